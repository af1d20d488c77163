//! Anchor evidence made stale by a change.

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

/// Verdicts on evidence in changed files.
pub(crate) struct Looked {
    pub(crate) stale: Vec<StaleEvidence>,
    pub(crate) standing: usize,
    pub(crate) stale_before: usize,
}

/// Returns the notebook's anchors in the order of saving. After them come anchors of the repository
/// that the notebook lacks, or has at another location.
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

/// Number of pieces of evidence in one unit of work.
const PIECE: usize = 16;

/// Verdict on evidence in a changed file.
enum Became {
    Stands,
    StaleBefore,
    Stale(Box<StaleEvidence>),
}

/// Judges the evidence of `anchors` in files touched by `change`.
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

/// Returns true if stale evidence was fresh at the base, or was captured during the change itself.
fn is_of_this_change(claim: &Claim, change: &Change, git: &Git, snapshot: &Snapshot) -> bool {
    let Some(base) = &change.base else {
        // Without a base, everything is new.
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
        // If the commit has other lines there, the evidence was captured from uncommitted text.
        !is_before || !stood_at(snapshot, commit, &claim.pointer)
    })
}
