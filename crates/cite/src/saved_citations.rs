//! Saves anchors for citations, so that they can be verified later.

use std::collections::BTreeSet;

use windlass_base::{Freshness, Ident, Pointer, RepairOutcome, RepoPath};
use windlass_evidence::{Captured, capture};
use windlass_notebook::{AnchorDraft, AnchorFreshness, Notebook, Operation};
use windlass_repo::Snapshot;
use windlass_site::Error;

use crate::cited_lines::{CitedLines, Meant};
use crate::params::MAX_NAME;
use crate::verdict::{TAG, is_for, label_for, pointers};

/// Makes the operations to save anchors for citations with known lines, and the anchors' names.
///
/// If no commit or code block shows a citation's meaning, its document gets an anchor of its own.
/// Otherwise, one anchor is enough for all citations of the same lines.
pub(crate) fn anchors_of(
    citations: &[CitedLines],
    notebook: Option<&Notebook>,
    snapshot: &Snapshot,
    freshness: &AnchorFreshness,
) -> Result<(Vec<Operation>, Vec<Ident>), Error> {
    let anchors = || notebook.iter().flat_map(|notebook| notebook.anchors());
    let mut names: BTreeSet<String> = anchors().map(|anchor| anchor.id.to_string()).collect();
    let mut grounded: Vec<(Pointer, Option<RepoPath>)> = Vec::new();
    for cited in citations {
        let own = anchors().filter(|anchor| is_for(anchor, &cited.document));
        let places = own.flat_map(pointers);
        grounded.extend(places.map(|place| (place, Some(cited.document.clone()))));
    }
    grounded.extend(anchors().flat_map(pointers).map(|place| (place, None)));
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
        // A repair moves the existing anchor to the edited text, so a second one isn't needed.
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
        operations.push(Operation::UpsertAnchor(Box::new(draft)));
    }
    Ok((operations, saved))
}

/// Captures the cited lines at their current location. Returns `None` if this location is not
/// certain.
fn captured_now(cited: &CitedLines, snapshot: &Snapshot) -> Option<Captured> {
    let place = match (&cited.judgement.repair, cited.judgement.status) {
        (_, Freshness::Unknown) if cited.is_writer_unknown => return None,
        (_, Freshness::Fresh | Freshness::Unknown) => &cited.pointer,
        (Some(repair), _) if repair.outcome == RepairOutcome::Moved || cited.edited_in_place => {
            repair.evidence.as_ref()?
        }
        _ => return None,
    };
    capture(snapshot, &place.file, place.span).ok()
}

/// Derives an unused anchor name from the location, e.g. `src-a.rs-L10-20`.
fn name_for(place: &Pointer, taken: &mut BTreeSet<String>) -> Result<Ident, Error> {
    let allowed = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') {
            c
        } else {
            '-'
        }
    };
    let path: String = place.file.as_str().chars().map(allowed).collect();
    // The file name says more than the first folders, so cut a long path at the front.
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
