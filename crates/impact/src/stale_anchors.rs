//! Finds the evidence of anchors that a change has made stale.

use windlass_base::{Cancel, Evidence, Pointer, in_parallel};
use windlass_evidence::{Claim, stood_at};
use windlass_notebook::SharedAnchor;
use windlass_notebook::{Anchor, AnchorEvidence, NotebookDesk, shared_anchors};
use windlass_repo::{Git, Snapshot};
use windlass_site::Error;

use crate::impact_report::{KeptIn, StaleEvidence};
use crate::touched_files::Change;

pub(crate) struct KeptAnchor {
    pub(crate) anchor: Anchor,
    pub(crate) kept_in: KeptIn,
}

pub(crate) struct Looked {
    pub(crate) stale: Vec<StaleEvidence>,
    pub(crate) standing: usize,
    pub(crate) stale_before: usize,
}

/// Lists the anchors of the notebook in the order in which they were saved. Then come the shared
/// anchors, unless the notebook has the same anchor at the same location.
pub(crate) fn all_anchors(
    desk: &NotebookDesk,
    snapshot: &Snapshot,
) -> Result<Vec<KeptAnchor>, Error> {
    let mut all = Vec::new();
    let kept = |kept_in| {
        move |anchor: &Anchor| KeptAnchor {
            anchor: anchor.clone(),
            kept_in,
        }
    };
    if desk.file().is_enabled() {
        let notebook = desk.read()?;
        all.extend(notebook.anchors().map(kept(KeptIn::Notebook)));
    }
    let Some(shared) = shared_anchors(snapshot)? else {
        return Ok(all);
    };
    let own = all.len();
    for anchor in shared.iter().map(SharedAnchor::anchor) {
        let is_same =
            |one: &KeptAnchor| one.anchor.id == anchor.id && places(&one.anchor).eq(places(anchor));
        if !all[..own].iter().any(is_same) {
            all.push(kept(KeptIn::Repository)(anchor));
        }
    }
    Ok(all)
}

fn places(anchor: &Anchor) -> impl Iterator<Item = Option<Pointer>> {
    anchor.evidence.iter().map(AnchorEvidence::pointer)
}

/// Number of pieces of evidence that a thread judges at a time.
const PIECE: usize = 16;

enum Became {
    Stands,
    StaleBefore,
    Stale(Box<StaleEvidence>),
}

/// Judges the evidence in the files that `change` touches.
pub(crate) fn look(
    anchors: &[KeptAnchor],
    change: &Change,
    git: &Git,
    snapshot: &Snapshot,
    cancel: &Cancel,
) -> Looked {
    let claims = |kept| {
        let KeptAnchor { anchor, .. }: &KeptAnchor = kept;
        let claims = anchor.evidence.iter();
        let claims = claims.filter_map(|one| anchor.claim_here(one, snapshot));
        claims.map(move |claim| (kept, claim))
    };
    let touched: Vec<(&KeptAnchor, Claim)> = anchors
        .iter()
        .flat_map(claims)
        .filter(|(_, claim)| change.touches(&claim.pointer.file))
        .collect();
    let became = in_parallel(&touched, snapshot.repo().threads(), PIECE, |piece| {
        let became =
            |(kept, claim): &(&KeptAnchor, Claim)| became(kept, claim, change, git, snapshot);
        let left = piece.iter().filter(|_| !cancel.is_cancelled());
        left.map(became).collect::<Vec<_>>()
    });
    let mut looked = Looked {
        stale: Vec::new(),
        standing: 0,
        stale_before: 0,
    };
    for became in became.into_iter().flatten() {
        match became {
            Became::Stands => looked.standing += 1,
            Became::StaleBefore => looked.stale_before += 1,
            Became::Stale(stale) => looked.stale.push(*stale),
        }
    }
    looked
}

fn became(
    kept: &KeptAnchor,
    claim: &Claim,
    change: &Change,
    git: &Git,
    snapshot: &Snapshot,
) -> Became {
    let Evidence {
        pointer, judgement, ..
    } = claim.clone().judged(snapshot);
    if judgement.is_fresh() {
        return Became::Stands;
    }
    if !is_of_this_change(claim, change, git, snapshot) {
        return Became::StaleBefore;
    }
    let anchor = &kept.anchor;
    Became::Stale(Box::new(StaleEvidence {
        id: anchor.id.clone(),
        kind: anchor.kind,
        label: anchor.label.clone(),
        kept_in: kept.kept_in,
        pointer,
        judgement,
    }))
}

/// True if the evidence is stale because of the change: it was fresh at the base, or was captured
/// during the change.
fn is_of_this_change(claim: &Claim, change: &Change, git: &Git, snapshot: &Snapshot) -> bool {
    let Some(base) = &change.base else {
        // Before the first commit, everything is part of the change.
        return true;
    };
    if stood_at(snapshot, base, &claim.pointer) {
        return true;
    }
    let captured = claim
        .capture
        .as_ref()
        .and_then(|capture| capture.commit.as_ref());
    captured.is_some_and(|commit| {
        let is_before = git.revisions().comes_from(base, commit).unwrap_or(true);
        // If the lines are different in that commit, they were captured from text that wasn't
        // committed.
        !is_before || !stood_at(snapshot, commit, &claim.pointer)
    })
}
