//! Anchors for what documents cite.

use std::collections::BTreeSet;

use windlass_base::{Ident, Pointer, RepoPath};
use windlass_notebook::{AnchorDraft, EditMode, Notebook, Operation};
use windlass_repo::Snapshot;

use super::judging::captured_now;
use super::saved::{TAG, is_for, label_for, pointers};
use super::{CitedLines, Meant};
use crate::transact::Work;
use crate::{Error, Workspace};

/// The longest part of a name that is taken from a path, in bytes.
const MAX_NAME: usize = 80;

impl Workspace {
    /// Saves what is cited and stands, in one transaction. Where nothing but an anchor says what is meant, each document has
    /// one of its own; else one of that text is enough.
    pub(super) fn save_citations(
        &self,
        citations: &[CitedLines],
        notebook: Option<&Notebook>,
        snapshot: &Snapshot,
        mode: EditMode,
    ) -> Result<Vec<Ident>, Error> {
        let anchors = || notebook.iter().flat_map(|notebook| notebook.anchors());
        let mut names: BTreeSet<String> = anchors().map(|anchor| anchor.id.to_string()).collect();
        let mut grounded: Vec<(Pointer, Option<RepoPath>)> = Vec::new();
        for cited in citations {
            let own = anchors().filter(|anchor| is_for(anchor, &cited.document));
            let places = own.flat_map(pointers);
            grounded.extend(places.map(|place| (place, Some(cited.document.clone()))));
        }
        grounded.extend(anchors().flat_map(pointers).map(|place| (place, None)));
        let freshness = self.freshness();
        let (mut operations, mut saved) = (Vec::new(), Vec::new());
        for cited in citations {
            let Some(captured) = captured_now(cited, snapshot) else {
                continue;
            };
            let place = captured.pointer.clone();
            let needs_own = matches!(cited.meant, Meant::Nothing | Meant::Anchor(_));
            let is_there = |(at, of): &(Pointer, Option<RepoPath>)| {
                *at == place && (!needs_own || of.as_ref() == Some(&cited.document))
            };
            // What was saved as it was is taken over by a repair, not saved beside it.
            let is_older = |(at, of): &(Pointer, Option<RepoPath>)| {
                cited.edited_in_place
                    && (&at.file, at.span) == (&place.file, place.span)
                    && of.as_ref() == Some(&cited.document)
            };
            if grounded.iter().any(|one| is_there(one) || is_older(one)) {
                continue;
            }
            let id = name_for(&place, &mut names)?;
            grounded.push((place, Some(cited.document.clone())));
            saved.push(id.clone());
            let draft = AnchorDraft {
                id,
                kind: None,
                label: Some(label_for(&cited.document)),
                evidence: vec![captured.into()],
                locator: None,
                zone: None,
                tags: Some(vec![TAG.to_owned()]),
                freshness: freshness.clone(),
                must_be_new: true,
                is_suggestion: false,
            };
            operations.push((Operation::UpsertAnchor(Box::new(draft)), None));
        }
        if !operations.is_empty() {
            let mut work = Work::new(operations);
            work.mode = mode;
            self.transact(work, |_| ())?;
        }
        Ok(saved)
    }
}

/// A name that tells the lines, and that nothing has yet: `src-a.rs-L10-20`.
fn name_for(place: &Pointer, taken: &mut BTreeSet<String>) -> Result<Ident, Error> {
    let allowed = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') {
            c
        } else {
            '-'
        }
    };
    let path: String = place.file.as_str().chars().map(allowed).collect();
    // The end of a path says more than its beginning.
    let path = path[path.len().saturating_sub(MAX_NAME)..].trim_start_matches(['-', '.']);
    let name = format!("{path}-L{}", place.span);
    let name = name.trim_start_matches('-');
    let mut number = 1;
    let free = loop {
        let tried = match number {
            1 => name.to_owned(),
            number => format!("{name}-{number}"),
        };
        if taken.insert(tried.clone()) {
            break tried;
        }
        number += 1;
    };
    Ident::parse(&free).map_err(|error| Error::internal(format!("`{free}`: {error}")))
}
