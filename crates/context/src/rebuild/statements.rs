//! Rebuilds the statements of a pack, which are the parts that depend on whole files: the goal,
//! conditions, constraints, decisions, failures, artifacts and notes.
//!
//! If the bytes of its sources are the same, then so is a statement. Hence, a statement has the
//! state of its sources. This only works for packs that were built here, since others may have
//! taken their statements from elsewhere.

use std::collections::BTreeMap;

use windlass_base::RepoPath;
use windlass_packs::context::{
    ContextPack, RESOLVED_ITEM, Source, SourceKind, artifact_item, decision_item, doc_item,
    failure_item, note_item,
};
use windlass_repo::{MAX_FILE_BYTES, SourceFile, read_foreign_results};
use windlass_site::Error;

use super::part_state::{Again, PartState};
use super::sources_now::NO_FILE;
use super::{NO_ORIGIN, Rebuild, Sources};
use crate::compose::contract::{DONE_ITEM, constraint_item};
use crate::compose::picked_lines::whole_text;

const NOT_BUILT_HERE: &str = "the pack was not built here, so only its excerpts can be verified";

impl Rebuild<'_> {
    /// Checks the statements of `kept`. If the sources of a statement have changed or are missing,
    /// it's removed from `pack`.
    pub(super) fn statements(
        &mut self,
        kept: &ContextPack,
        sources: &Sources<'_>,
        pack: &mut ContextPack,
    ) -> Result<(), Error> {
        for (item, needs_origin) in statements_of(kept) {
            self.site.go_on()?;
            let mut own = sources.of_item(&item).to_vec();
            if own.is_empty() && needs_origin {
                self.tell(&item, PartState::NoOrigin, NO_ORIGIN);
                continue;
            }
            if item == DONE_ITEM && own.iter().any(|source| is_file(source)) {
                // The conditions come from all documents, although not every document has some.
                let docs = kept.doc_refs.iter().map(|doc| doc_item(&doc.path));
                own.extend(docs.flat_map(|doc| sources.of_item(&doc).to_vec()));
            }
            let state = match self.outside.is_some() {
                true => self.worst_of(&own),
                false => Some(Again::told(PartState::Unverified, NOT_BUILT_HERE, ())),
            };
            let is_lost = matches!(
                state.as_ref().and_then(|again| again.state),
                Some(PartState::Changed | PartState::Missing)
            );
            self.nearest(&item, state.into_iter().collect());
            if is_lost {
                remove(pack, &item);
            }
        }
        Ok(())
    }

    /// The worst state of the sources, or `None` if none of them is a file. After a merge, there
    /// may be several states of the same file, in which case we take the best of them.
    fn worst_of(&mut self, sources: &[&Source]) -> Option<Again<()>> {
        let mut files: BTreeMap<_, Again<()>> = BTreeMap::new();
        for source in sources.iter().filter(|source| is_file(source)) {
            let again = self.state_of(source);
            let best = files.entry((source.outside, source.path.as_deref()));
            let best = best.or_insert_with(|| again.clone());
            if again.state < best.state {
                *best = again;
            }
        }
        files.into_values().rev().max_by_key(|again| again.state)
    }

    fn state_of(&mut self, source: &Source) -> Again<()> {
        let key = (source.outside, source.path.clone(), source.hash.clone());
        if let Some(known) = self.seen.get(&key) {
            return known.clone();
        }
        let path = source.path.as_deref().unwrap_or_default();
        let again = match RepoPath::parse(path) {
            _ if source.outside => self.state_outside(path, source.hash.as_deref()),
            Ok(path) => self.look.state(&path, source.hash.as_deref()),
            Err(_) => Again::told(PartState::Missing, NO_FILE, ()),
        };
        self.seen.insert(key, again.clone());
        again
    }

    /// The state of results outside of the repository. If we can't read them, that doesn't prove
    /// that they've changed.
    fn state_outside(&self, name: &str, hash: Option<&str>) -> Again<()> {
        let places = self.outside.iter();
        let places = places.flat_map(|it| it.places_of(name, hash.unwrap_or_default()));
        let found = places.filter_map(|place| read_foreign_results(place, MAX_FILE_BYTES).ok());
        let mut found = found.map(|bytes| whole_text(&SourceFile::from_bytes(bytes)).1);
        let first = found.next();
        if first
            .iter()
            .cloned()
            .chain(found)
            .any(|now| Some(&*now) == hash)
        {
            return Again::same(());
        }
        let (state, why) = match first {
            Some(_) => (PartState::Changed, "changed"),
            None => (
                PartState::Unverified,
                "lies outside of the repository, and cannot be read from here",
            ),
        };
        Again::told(state, format!("`{name}` {why}"), ())
    }
}

fn is_file(source: &Source) -> bool {
    matches!(
        source.kind,
        SourceKind::File | SourceKind::Memory | SourceKind::Results
    )
}

/// Lists the statements by name. The flag is true if a statement must have an origin. Others may
/// come from the request.
fn statements_of(pack: &ContextPack) -> Vec<(String, bool)> {
    let mut given = vec!["goal".to_owned()];
    given.extend((!pack.definition_of_done.is_empty()).then(|| DONE_ITEM.to_owned()));
    given.extend(pack.constraints.keys().map(|name| constraint_item(name)));
    given.extend(pack.decisions.iter().map(|it| decision_item(&it.id)));
    let mut read: Vec<String> = Vec::new();
    if let Some(delta) = &pack.delta {
        read.extend(delta.failures.iter().map(|it| failure_item(&it.id)));
        read.extend((!delta.resolved.is_empty()).then(|| RESOLVED_ITEM.to_owned()));
    }
    read.extend(pack.artifacts.iter().map(|it| artifact_item(&it.reference)));
    read.extend(pack.source_notes.iter().map(|it| note_item(it)));
    let given = given.into_iter().map(|item| (item, false));
    given
        .chain(read.into_iter().map(|item| (item, true)))
        .collect()
}

/// Removes a statement. Artifacts are just references, so they stay.
fn remove(pack: &mut ContextPack, item: &str) {
    if item == "goal" {
        pack.goal.clear();
    }
    if item == DONE_ITEM {
        pack.definition_of_done.clear();
    }
    pack.constraints
        .retain(|name, _| constraint_item(name) != item);
    pack.decisions.retain(|it| decision_item(&it.id) != item);
    pack.source_notes.retain(|it| note_item(it) != item);
    if let Some(delta) = &mut pack.delta {
        delta.failures.retain(|it| failure_item(&it.id) != item);
        if item == RESOLVED_ITEM {
            delta.resolved.clear();
        }
    }
}
