//! Moves anchors to the proven current locations of their evidence.
//!
//! All repairs are a single transaction. It records the old location of each piece of evidence, so
//! the anchor can still be found on branches where the text has not moved.

use serde::Serialize;
use windlass_base::{Ident, NextAction, Pointer, Repair, RepairOutcome};
use windlass_evidence::capture;
use windlass_packs::EditDiff;
use windlass_repo::Snapshot;
use windlass_site::Error;

use crate::anchor_reports::{AnchorReport, Checked, check_anchors};
use crate::listing::what_to_do;
use crate::transact::{Transactor, Work};
use crate::unfit_places::{Locations, UnfitPlace, unfit_places};
use crate::{AnchorEvidence, EditMode, NotebookChange, Operation, Relocate, Relocation};

/// Request to repair anchors.
#[derive(Debug, Clone)]
pub struct RepairRequest {
    /// Names of the anchors. An empty list stands for all anchors.
    pub ids: Vec<String>,
    /// True to also accept edited text. By default, we only accept text that has not changed, since
    /// an edit may have changed what the anchor is about.
    pub edited: bool,
    /// Decides if the repair is applied or only previewed.
    pub mode: EditMode,
}

/// Result of a repair, or of its preview.
#[derive(Debug, Serialize)]
pub struct Repaired {
    /// The change to the notebook.
    #[serde(flatten)]
    pub change: NotebookChange,
    /// Anchors with new locations, in the order of the request (or of saving, if the request is for
    /// all anchors).
    pub repaired: Vec<RepairedAnchor>,
    /// Anchors that still have stale evidence. Only the stale evidence is listed.
    pub left: Vec<AnchorReport>,
    /// Worktrees and branches in which the repaired anchors would be stale, because they have the
    /// old state of the files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfit: Vec<UnfitPlace>,
    /// Next actions for the anchors in `left`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// An anchor with new locations.
#[derive(Debug, Serialize)]
pub struct RepairedAnchor {
    /// The repaired anchor's name.
    pub id: Ident,
    /// The moved evidence, in order.
    pub evidence: Vec<NewPlace>,
}

/// The move of a piece of evidence.
#[derive(Debug, Serialize)]
pub struct NewPlace {
    /// Location before the repair.
    pub from: Pointer,
    /// The verdict, including the new location and the proof.
    #[serde(flatten)]
    pub repair: Repair,
    /// Differences between the captured text and its edited version. This is `None` for unchanged
    /// text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<EditDiff>,
}

pub(crate) fn repair_anchors(
    transactor: &Transactor,
    request: &RepairRequest,
) -> Result<Repaired, Error> {
    let (desk, site) = (&transactor.desk, transactor.desk.site());
    let snapshot = site.snapshot();
    let reports = check_anchors(&desk.read()?, &request.ids, &snapshot, site.cancel())?;
    let freshness = desk.freshness();
    let mut work = Work::new(Vec::new());
    work.mode = request.mode;
    let (mut repaired, mut left) = (Vec::new(), Vec::new());
    let mut locations: Vec<Locations> = Vec::new();
    for mut report in reports {
        let mut places = Vec::new();
        let mut diffs = Vec::new();
        // Fresh evidence doesn't need a repair, and repaired evidence isn't left. Only keep the
        // rest.
        report.evidence.retain_mut(|checked| {
            if checked.judgement.is_fresh() {
                return false;
            }
            let diff = checked.compare(&snapshot);
            match new_place(checked, request.edited, &snapshot) {
                Some(place) => {
                    places.push(place);
                    diffs.push(diff);
                    false
                }
                None => {
                    checked.diff = diff;
                    true
                }
            }
        });
        let id = report.id.clone();
        for (from, _, captured) in &places {
            let former = report.relocations.iter().map(|one| one.from.clone());
            let here = captured.pointer().into_iter().chain([from.clone()]);
            locations.push((id.clone(), here.chain(former).collect()));
        }
        // An anchor without any valid evidence has nothing left to list, but it isn't fresh either.
        if !report.evidence.is_empty() || !report.judgement.is_fresh() && places.is_empty() {
            left.push(report);
        }
        if places.is_empty() {
            continue;
        }
        let shown = places.iter().zip(diffs);
        let shown = shown.map(|((from, repair, _), diff)| NewPlace {
            from: from.clone(),
            repair: repair.clone(),
            diff,
        });
        repaired.push(RepairedAnchor {
            id: id.clone(),
            evidence: shown.collect(),
        });
        let relocation = |(from, repair, captured)| {
            let at = freshness.captured_at.clone();
            // The transaction fills in the capture from the old evidence.
            let capture = None;
            let relocation = Relocation {
                from,
                repair,
                at,
                capture,
            };
            (relocation, captured)
        };
        let relocate = Relocate {
            id,
            places: places.into_iter().map(relocation).collect(),
            freshness: freshness.clone(),
            keeps_locator: true,
        };
        let operation = Operation::Relocate(Box::new(relocate));
        work.operations.push((operation, None));
    }
    let next_actions = what_to_do(&left.iter().collect::<Vec<_>>(), site.caller());
    let edited = transactor.transact(work, |_| ())?;
    Ok(Repaired {
        change: NotebookChange::new(edited.before, edited.revision, edited.changes, request.mode),
        repaired,
        left,
        unfit: unfit_places(&snapshot, &locations),
        next_actions,
    })
}

/// Captures the new location of `checked`. Returns `None` if the location isn't proven, or if the
/// request doesn't accept it.
fn new_place(
    checked: &Checked,
    edited: bool,
    snapshot: &Snapshot,
) -> Option<(Pointer, Repair, AnchorEvidence)> {
    let repair = checked.judgement.repair.as_ref()?;
    let is_wanted = match repair.outcome {
        RepairOutcome::Moved => true,
        RepairOutcome::Edited => edited,
        RepairOutcome::Ambiguous | RepairOutcome::Gone | RepairOutcome::Unproven => false,
    };
    let new = repair.evidence.as_ref().filter(|_| is_wanted)?;
    let captured = capture(snapshot, &new.file, new.span).ok()?;
    // The files may have changed since the check. The proof only holds for the lines it was made
    // for.
    (captured.pointer == *new).then(|| {
        let from = checked.pointer.clone();
        (from, repair.clone(), captured.into())
    })
}
