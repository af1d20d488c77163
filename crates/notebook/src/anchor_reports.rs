//! Reports about the state of anchors.

use serde::Serialize;
use windlass_base::{Cancel, Capture, Evidence, Freshness, Ident, Item, Judgement, Pointer};
use windlass_evidence::{Claim, Step, explain};
use windlass_packs::{EditDiff, Rank, harmless_line};
use windlass_redact::redact_text;
use windlass_repo::Snapshot;
use windlass_site::Error;

use crate::{Anchor, AnchorKind, Notebook, Relocation, judge_all};

/// Verdict on a single piece of evidence of an anchor.
#[derive(Debug, Clone, Serialize)]
pub struct Checked {
    /// Pointer that was verified.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// Verdict on the lines of the pointer.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Context that was captured with the lines.
    #[serde(skip)]
    pub capture: Option<Capture>,
    /// Differences between the captured text and its edited version. `None` if there are none or the report omits
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<EditDiff>,
}

impl Checked {
    /// Compares the current text with the captured text. Returns `None` unless the text was edited.
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

/// Verdict on an anchor and all its evidence.
#[derive(Debug, Clone, Serialize)]
pub struct AnchorReport {
    /// Name of the anchor.
    pub id: Ident,
    /// Kind of the anchor.
    pub kind: AnchorKind,
    /// Title for readers.
    pub label: String,
    /// Search keywords of the anchor.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Verdict on the anchor, which is that on its worst piece of evidence.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Verdicts on the individual pieces of evidence.
    pub evidence: Vec<Checked>,
    /// Former locations of the evidence, with the proof of each move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<Relocation>,
}

/// Verdict on an anchor, together with the search steps that led to it.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedAnchor {
    /// Verdict on the anchor and its evidence.
    #[serde(flatten)]
    pub report: AnchorReport,
    /// Search steps for each piece of evidence, in order.
    pub steps: Vec<Vec<String>>,
}

impl AnchorReport {
    /// Returns the states of the pieces of evidence. If there is no evidence, returns the state of the anchor.
    #[must_use]
    pub fn ranks(&self) -> Vec<Rank> {
        let evidence = self.evidence.iter().map(|checked| &checked.judgement);
        let all: Vec<Rank> = evidence.map(Rank::of).collect();
        match all.is_empty() {
            true => vec![Rank::of(&self.judgement)],
            false => all,
        }
    }

    /// Returns true if all evidence is unchanged and at its captured location.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        !self.evidence.is_empty()
            && self
                .evidence
                .iter()
                .all(|checked| checked.judgement.is_fresh())
    }
}

/// Returns the search steps for `claim`. Secret values are replaced, so that they can be displayed.
pub(crate) fn steps_of(claim: &Claim, snapshot: &Snapshot) -> Vec<String> {
    let (_, steps) = explain(snapshot, &claim.pointer, claim.capture.as_ref());
    let shown = |step: Step| {
        let text = harmless_line(&format!("{}: {}", step.stage, step.found));
        redact_text(&text).0.as_str().to_owned()
    };
    steps.into_iter().map(shown).collect()
}

/// Judges the anchors `ids` in `snapshot`, in the given order. If `ids` is empty, judges all anchors in the order in
/// which they were saved.
///
/// # Errors
/// Returns an error if an id is unknown, or if `cancel` was raised.
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

/// Converts a report to an item of a pack.
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

/// Returns `relocation` without its capture, which is not displayed.
fn shown(relocation: &Relocation) -> Relocation {
    Relocation {
        capture: None,
        ..relocation.clone()
    }
}

/// Creates the report about `anchor` from its judged `item`.
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
    // If several pieces are equally bad, the first one determines the verdict.
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
