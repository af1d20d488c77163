use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};
use windlass_base::RepoPath;
use windlass_packs::context::{
    ContextPack, Delta, Origin, PackWorkspace, Provenance, Source, note_item, redaction_of,
};
use windlass_packs::without_marks;
use windlass_redact::redact_value;
use windlass_repo::{Refusal, SourceFile};
use windlass_site::Site;

use super::goal_words::words_of;
use super::ground::Ground;
use super::nameable::safe;

/// A pack that is being built, with the origin of each part.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) pack: ContextPack,
    pub(super) origins: BTreeMap<String, Origin>,
    /// The origins of notes. If a note is about several files, it has an origin for each of them.
    pub(super) noted: Vec<Origin>,
    /// Stems of the words in the goal and in the conditions.
    pub(super) wanted: BTreeSet<String>,
    /// The state of each file that differs from the commit. `None` if we do not know.
    pub(super) uncommitted: Option<BTreeMap<String, String>>,
    /// Files that we must not read, or whose names we must not show.
    pub(super) withheld: BTreeSet<String>,
}

impl Draft {
    /// Records a reason for including a part. If the part is known already, it gets another reason
    /// and the higher of both ranks, and keeps its source.
    pub(super) fn note(&mut self, item: String, source: Source, why: &str, rank: u32) {
        let origin = self.origins.entry(item.clone()).or_insert_with(|| Origin {
            item,
            source,
            ..Origin::default()
        });
        origin.why.insert(safe(why));
        origin.rank = origin.rank.max(rank);
    }

    /// Returns the text of a file, or `None` if it is binary, in Git LFS, or cannot be read. Secret
    /// files are recorded as withheld.
    pub(super) fn text_of(
        &mut self,
        ground: &Ground<'_>,
        path: &RepoPath,
    ) -> Option<Arc<SourceFile>> {
        if ground.unnameable.contains(path) {
            self.withheld.insert(safe(path.as_str()));
            return None;
        }
        match ground.snapshot.read(path) {
            Ok(file) if !file.is_binary() && !file.is_lfs_pointer() => Some(file),
            Err(Refusal::Secret { .. }) => {
                self.withheld.insert(safe(path.as_str()));
                None
            }
            _ => None,
        }
    }

    /// The goal, for use in a search. It does not have the marks of secrets, which would count as
    /// words.
    pub(super) fn sought(&self) -> String {
        without_marks(&self.pack.goal)
    }

    pub(super) fn delta(&mut self) -> &mut Delta {
        self.pack.delta.get_or_insert_default()
    }

    pub(super) fn take_workspace(&mut self, branch: Option<String>) {
        self.pack.workspace = Some(PackWorkspace {
            branch,
            ..PackWorkspace::default()
        });
    }

    /// Completes the pack with the provenance and the list of redactions, and seals it.
    pub(super) fn finished(mut self, ground: &Ground<'_>) -> ContextPack {
        let head = ground.snapshot.head_commit(&ground.cancel);
        self.pack.provenance = Some(Provenance {
            commit: head,
            uncommitted: self.uncommitted.take(),
            request: asked(ground, &self.pack.docs_root),
            items: self.origins.into_values().chain(self.noted).collect(),
            ..Provenance::default()
        });
        self.pack.redaction = redaction_of(&self.pack, self.withheld);
        self.pack.created_at = ground.site.environment().timestamp();
        self.pack.sort();
        self.pack.seal()
    }

    /// Adds a note to the pack, and tells the caller as well. `sources` are the files that the note
    /// is about.
    pub(super) fn tell(&mut self, site: &Site, note: String, sources: Vec<Source>) {
        site.note_trouble(note.clone());
        let item = note_item(&note);
        self.noted.extend(sources.into_iter().map(|source| Origin {
            item: item.clone(),
            source,
            ..Origin::default()
        }));
        self.pack.source_notes.push(note);
    }
}

/// The request in the form for the provenance: names are valid on any machine, and empty fields are
/// missing.
fn asked(ground: &Ground<'_>, docs_root: &str) -> Map<String, Value> {
    let request = ground.request;
    let one = |name: &Option<String>| name.as_deref().map(|name| ground.portable(name));
    let all = |names: &[String]| -> Vec<String> {
        names.iter().map(|name| ground.portable(name)).collect()
    };
    let packs = request.from.iter().map(|name| ground.portable_pack(name));
    let packs: Vec<String> = packs.collect();
    let since = request.since.as_deref();
    let all = json!({
        "docsRoot": docs_root, "plan": one(&request.plan), "acceptance": one(&request.acceptance),
        "architecture": one(&request.architecture), "docs": all(&request.docs),
        "since": since.map(|name| ground.portable_pack(name)),
        "files": all(&request.files), "search": request.search, "from": packs,
        "noMemory": request.no_memory.then_some(true),
    });
    let Value::Object(all) = all else {
        return Map::new();
    };
    let is_said =
        |value: &Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
    all.into_iter()
        .filter(|(_, value)| is_said(value))
        .map(|(name, value)| (name, redact_value(value)))
        .collect()
}

pub(super) fn wanted_words(goal: &str, done: &[String]) -> BTreeSet<String> {
    words_of(&without_marks(&safe(&format!(
        "{goal}\n{}",
        done.join("\n")
    ))))
}
