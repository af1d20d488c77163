//! Checks source notes, and keeps those that still apply. Otherwise, we'd report a pack as
//! reproduced even if one of its notes is no longer true.

use std::collections::BTreeMap;

use windlass_base::short_id;
use windlass_packs::context::{Source, SourceKind, note_item};
use windlass_repo::SourceFile;

use super::failures_again::results_of;
use super::part_state::{Again, PartState};
use super::source_gone::gone;
use super::sources_now::{NO_FILE, path_of};
use super::{NO_ORIGIN, Rebuild};
use crate::compose::picked_lines::whole_text;
use crate::compose::source_notes::holds;

impl Rebuild<'_> {
    /// Returns a note if it still applies to all of its sources. A merged pack may have several
    /// states of a file, and one of them is enough.
    pub(super) fn note(&mut self, sources: &[&Source], note: String) -> Option<String> {
        // An earlier pack never changes, so a note on it always applies.
        let is_on_pack = |source: &&Source| source.kind == SourceKind::Pack;
        if !sources.is_empty() && sources.iter().all(is_on_pack) {
            return Some(note);
        }
        let item = note_item(&note);
        let mut files: BTreeMap<_, Vec<&Source>> = BTreeMap::new();
        for source in sources {
            let file = (source.kind, source.outside, source.path.as_deref());
            files.entry(file).or_default().push(source);
        }
        let each: Vec<Again<bool>> = files
            .into_values()
            .filter_map(|states| {
                let tried = states.iter().map(|source| self.noted(source, &note));
                tried.min_by_key(|again| again.state)
            })
            .collect();
        // The note gets the worst state among its sources.
        let Some(worst) = each.into_iter().rev().max_by_key(|again| again.state) else {
            self.tell(&item, PartState::NoOrigin, NO_ORIGIN);
            return Some(note);
        };
        let is_said = self.nearest(&item, vec![worst])?;
        is_said.then_some(note)
    }

    /// Checks if a note applies to `source`.
    fn noted(&mut self, source: &Source, note: &str) -> Again<bool> {
        if let Some(results) = results_of(source) {
            return self.results_noted(&results, note);
        }
        let Some(path) = path_of(source) else {
            return Again::told(PartState::Missing, NO_FILE, false);
        };
        // A very large file has no hash, because the note on it is only about its size.
        let is_it = |file: &SourceFile| {
            let hash = source.hash.as_deref();
            hash.is_none_or(|hash| hash == whole_text(file).1)
        };
        let now = self.look.snapshot.read(&path).ok();
        let holds_now = now.as_deref().is_some_and(|file| holds(note, &path, file));
        if holds_now && now.as_deref().is_some_and(is_it) {
            return Again::same(true);
        }
        let said_then = |file: &SourceFile| is_it(file) && holds(note, &path, file);
        if let Some((commit, _)) = self.look.in_commit(&path, &said_then) {
            let of_now = match (&now, holds_now) {
                (None, _) => "the file is missing now".to_owned(),
                (_, true) => "the file changed since, and the note still applies".to_owned(),
                (_, false) => "the file changed since, and the note no longer applies".to_owned(),
            };
            let why = format!(
                "the note applies to `{path}` in commit {}; {of_now}",
                short_id(&commit)
            );
            return Again::told(PartState::FromCommit, why, true);
        }
        match (now, holds_now) {
            (None, _) => Again::told(PartState::Missing, gone(path.as_str()), false),
            (Some(_), true) => {
                let why = format!("`{path}` changed, and the note still applies");
                Again::told(PartState::LinesSame, why, true)
            }
            (Some(_), false) => {
                let why = format!("the note no longer applies to `{path}`");
                Again::told(PartState::Changed, why, false)
            }
        }
    }
}
