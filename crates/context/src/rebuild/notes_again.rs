//! Notes on what a pack was made of, again: whether each can still be said.

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
    /// A note, if all that it is on gives reason for it still. Of a file that packs which were merged had in several states, one is
    /// enough.
    pub(super) fn note(&mut self, sources: &[&Source], note: String) -> Option<String> {
        // What the pack before says never changes: such a note is as it was given.
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
        // What is worst of one of them is so of the whole sentence.
        let Some(worst) = each.into_iter().rev().max_by_key(|again| again.state) else {
            self.tell(&item, PartState::NoOrigin, NO_ORIGIN);
            return Some(note);
        };
        let is_said = self.nearest(&item, vec![worst])?;
        is_said.then_some(note)
    }

    /// Whether what `source` names gives reason for a note.
    fn noted(&mut self, source: &Source, note: &str) -> Again<bool> {
        if let Some(results) = results_of(source) {
            return self.results_noted(&results, note);
        }
        let Some(path) = path_of(source) else {
            return Again::told(PartState::Missing, NO_FILE, false);
        };
        // Of what is very large there is no hash, nor is more said of it than that it is.
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
                (None, _) => "which is not there now".to_owned(),
                (_, true) => "which is another now, and it holds of that as well".to_owned(),
                (_, false) => "which is another now, and it does not hold of that".to_owned(),
            };
            let why = format!("commit {} has `{path}` so, {of_now}", short_id(&commit));
            return Again::told(PartState::FromCommit, why, true);
        }
        match (now, holds_now) {
            (None, _) => Again::told(PartState::Missing, gone(path.as_str()), false),
            (Some(_), true) => {
                let why = format!("`{path}` is another now, of which it holds as well");
                Again::told(PartState::LinesSame, why, true)
            }
            (Some(_), false) => {
                let why = format!("it does not hold of `{path}` as that is now");
                Again::told(PartState::Changed, why, false)
            }
        }
    }
}
