//! Giving anchors the places where their evidence is proven to stand now.

use serde::Serialize;
use windlass_base::{Ident, NextAction, Pointer, Repair, RepairOutcome};
use windlass_evidence::capture;
use windlass_repo::Snapshot;
use windlass_site::Error;

use crate::anchor_reports::{AnchorReport, Checked, check_anchors};
use crate::listing::what_to_do;
use crate::transact::{Transactor, Work};
use crate::{AnchorEvidence, EditMode, NotebookChange, Operation, Relocate, Relocation};

/// Which anchors are repaired, and how far.
#[derive(Debug, Clone)]
pub struct RepairRequest {
    /// The anchors with these names; all if none is given.
    pub ids: Vec<String>,
    /// Whether text that was edited is taken over as it is now. Without it only what moved unchanged is.
    pub edited: bool,
    /// Whether it is done, or only looked at.
    pub mode: EditMode,
}

/// What was repaired.
#[derive(Debug, Serialize)]
pub struct Repaired {
    /// What became of the notebook.
    #[serde(flatten)]
    pub change: NotebookChange,
    /// The anchors with new places, in the order in which they were asked for or saved.
    pub repaired: Vec<RepairedAnchor>,
    /// Those with evidence that still does not stand, and that evidence.
    pub left: Vec<AnchorReport>,
    /// What to do about those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// An anchor with new places.
#[derive(Debug, Serialize)]
pub struct RepairedAnchor {
    /// Its name.
    pub id: Ident,
    /// What was given a new place.
    pub evidence: Vec<NewPlace>,
}

/// Where a piece of evidence was, and where it is.
#[derive(Debug, Serialize)]
pub struct NewPlace {
    /// Where it was captured.
    pub from: Pointer,
    /// Where it stands now, and what proves that.
    #[serde(flatten)]
    pub repair: Repair,
}

/// Gives anchors the places where their evidence is proven to stand now, all in one transaction.
///
/// # Errors
/// When one of the names is not there, or the notebook cannot be read or written. Nothing is saved then.
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
    for mut report in reports {
        let mut places = Vec::new();
        report.evidence.retain(|checked| {
            if checked.judgement.is_fresh() {
                return false;
            }
            let place = new_place(checked, request.edited, &snapshot);
            let is_left = place.is_none();
            places.extend(place);
            is_left
        });
        let id = report.id.clone();
        if !report.evidence.is_empty() || !report.judgement.is_fresh() && places.is_empty() {
            left.push(report);
        }
        if places.is_empty() {
            continue;
        }
        let shown = places.iter().map(|(from, repair, _)| NewPlace {
            from: from.clone(),
            repair: repair.clone(),
        });
        repaired.push(RepairedAnchor {
            id: id.clone(),
            evidence: shown.collect(),
        });
        let relocation = |(from, repair, captured)| {
            let at = freshness.captured_at.clone();
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
        next_actions,
    })
}

/// The place that `checked` is given, captured; nothing where none is proven.
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
    // The proof is about these very lines.
    (captured.pointer == *new).then(|| {
        let from = checked.pointer.clone();
        (from, repair.clone(), captured.into())
    })
}
