//! Verdicts on anchors.

use serde::Serialize;
use windlass_base::{Cancel, Capture, Evidence, Freshness, Ident, Item, Judgement, Pointer};
use windlass_evidence::{Claim, Step, explain};
use windlass_packs::{EditDiff, Rank, harmless_line};
use windlass_redact::redact_text;
use windlass_repo::Snapshot;
use windlass_site::Error;

use crate::{Anchor, AnchorKind, Notebook, Relocation, judge_all};

/// Verdict on one pointer of an anchor.
#[derive(Debug, Clone, Serialize)]
pub struct Checked {
    /// The pointer that was verified.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// Verdict on the lines of the pointer.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Context at capture.
    #[serde(skip)]
    pub capture: Option<Capture>,
    /// Differences between edited text and the captured one, if the report includes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<EditDiff>,
}

impl Checked {
    /// Compares the evidence with its captured text, if it was edited.
    #[must_use]
    pub fn compare(&self, snapshot: &Snapshot) -> Option<EditDiff> {
        EditDiff::of(
            snapshot,
            &self.pointer,
            self.capture.as_ref(),
            &self.judgement,
        )
    }
}

/// Verdict on one anchor.
#[derive(Debug, Clone, Serialize)]
pub struct AnchorReport {
    /// Name of the anchor.
    pub id: Ident,
    /// Kind of fact that the anchor proves.
    pub kind: AnchorKind,
    /// Title for readers.
    pub label: String,
    /// Search keywords of the anchor.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Verdict on the worst piece of evidence.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Verdicts on all evidence.
    pub evidence: Vec<Checked>,
    /// Former locations of the evidence, with the proof of each move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<Relocation>,
}

/// Verdict on an anchor, with the search steps that led to it.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedAnchor {
    /// Verdict on the anchor and its evidence.
    #[serde(flatten)]
    pub report: AnchorReport,
    /// Search steps for each piece of evidence, in order.
    pub steps: Vec<Vec<String>>,
}

impl AnchorReport {
    /// Returns the states of its evidence; that of the anchor if it has none.
    #[must_use]
    pub fn ranks(&self) -> Vec<Rank> {
        let evidence = self.evidence.iter().map(|checked| &checked.judgement);
        let all: Vec<Rank> = evidence.map(Rank::of).collect();
        match all.is_empty() {
            true => vec![Rank::of(&self.judgement)],
            false => all,
        }
    }

    /// True if all evidence is unchanged at its captured location.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        !self.evidence.is_empty()
            && self
                .evidence
                .iter()
                .all(|checked| checked.judgement.is_fresh())
    }
}

/// Returns the search steps for `claim`, redacted for display.
pub(crate) fn steps_of(claim: &Claim, snapshot: &Snapshot) -> Vec<String> {
    let (_, steps) = explain(snapshot, &claim.pointer, claim.capture.as_ref());
    let shown = |step: Step| {
        let text = harmless_line(&format!("{}: {}", step.stage, step.found));
        redact_text(&text).0.as_str().to_owned()
    };
    steps.into_iter().map(shown).collect()
}

/// Judges the anchors `ids` in `snapshot`, in the given order; all anchors in the order of saving if `ids` is
/// empty.
///
/// # Errors
/// If an id is unknown, or `cancel` was raised.
pub fn check_anchors(
    notebook: &Notebook,
    ids: &[String],
    snapshot: &Snapshot,
    cancel: &Cancel,
) -> Result<Vec<AnchorReport>, Error> {
    let chosen: Vec<&Anchor> = if ids.is_empty() {
        notebook.anchors().collect()
    } else {
        ids.iter()
            .map(|id| notebook.anchor(id))
            .collect::<Result<_, _>>()?
    };
    Ok(judge_all(&chosen, snapshot, cancel, report)?)
}

/// Converts a report to a pack item.
pub(crate) fn as_item(report: &AnchorReport) -> Item {
    let evidence = report.evidence.iter().map(|checked| Evidence {
        pointer: checked.pointer.clone(),
        judgement: checked.judgement.clone(),
        capture: checked.capture.clone(),
        spots: Vec::new(),
    });
    Item {
        id: Some(report.id.to_string()),
        kind: Some(report.kind.as_str().to_owned()),
        label: report.label.clone(),
        fields: serde_json::Map::new(),
        fields_left_out: 0,
        context: 0,
        evidence: evidence.collect(),
    }
}

/// Returns the relocation without its capture, for display.
fn shown(relocation: &Relocation) -> Relocation {
    Relocation {
        capture: None,
        ..relocation.clone()
    }
}

/// Builds the report of `anchor` from its judged `item`.
pub(crate) fn report(anchor: &Anchor, item: Item) -> AnchorReport {
    let evidence: Vec<Checked> = item
        .evidence
        .into_iter()
        .map(|evidence| Checked {
            pointer: evidence.pointer,
            judgement: evidence.judgement,
            capture: evidence.capture,
            diff: None,
        })
        .collect();
    // The first of equally bad ones.
    let worst = evidence
        .iter()
        .min_by_key(|checked| Rank::of(&checked.judgement));
    let judgement = worst.map_or_else(
        || {
            let reason = "the notebook has no valid lines for it".to_owned();
            Judgement::new(Freshness::Unknown, Some(reason))
        },
        |checked| checked.judgement.clone(),
    );
    AnchorReport {
        id: anchor.id.clone(),
        kind: anchor.kind,
        label: anchor.label.clone(),
        tags: anchor.tags.clone(),
        judgement,
        evidence,
        relocations: anchor.relocations.iter().map(shown).collect(),
    }
}
