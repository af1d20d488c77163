//! Reports on the state of anchors, as shown to users and tools.

use serde::Serialize;
use windlass_base::{Cancel, Capture, Evidence, Freshness, Ident, Item, Judgement, Pointer};
use windlass_evidence::{Claim, Step, explain};
use windlass_packs::{EditDiff, Rank, harmless_line};
use windlass_redact::redact_text;
use windlass_repo::Snapshot;
use windlass_site::Error;

use crate::{Anchor, AnchorKind, Notebook, Relocation, judge_all};

/// Verdict on a piece of evidence.
#[derive(Debug, Clone, Serialize)]
pub struct Checked {
    /// The verified pointer.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// Verdict on the pointer's lines.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// The context captured with the lines.
    #[serde(skip)]
    pub capture: Option<Capture>,
    /// Differences between the captured text and its edited version. This is `None` for text that
    /// was not edited. Computing a diff takes some time, so most reports don't include it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<EditDiff>,
}

impl Checked {
    /// Compares the captured text with its edited version. Returns `None` if the text was not
    /// edited.
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

/// Verdict on an anchor and on each piece of its evidence.
#[derive(Debug, Clone, Serialize)]
pub struct AnchorReport {
    /// The anchor's name.
    pub id: Ident,
    /// The anchor's kind.
    pub kind: AnchorKind,
    /// Human-readable title.
    pub label: String,
    /// The anchor's search keywords.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Verdict on the anchor as a whole, taken from its worst piece of evidence.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Verdicts on the pieces of evidence.
    pub evidence: Vec<Checked>,
    /// Former locations of the evidence, each with the proof of its move. The captures are left
    /// out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<Relocation>,
}

/// Verdict on an anchor, and the search steps behind it.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedAnchor {
    /// Verdict on the anchor and its evidence.
    #[serde(flatten)]
    pub report: AnchorReport,
    /// Search steps in order, for each piece of evidence in `report`.
    pub steps: Vec<Vec<String>>,
}

impl AnchorReport {
    /// The state of each piece of evidence. If there is no evidence, the anchor's own state is the
    /// only element.
    #[must_use]
    pub fn ranks(&self) -> Vec<Rank> {
        let evidence = self.evidence.iter().map(|checked| &checked.judgement);
        let all: Vec<Rank> = evidence.map(Rank::of).collect();
        match all.is_empty() {
            true => vec![Rank::of(&self.judgement)],
            false => all,
        }
    }

    /// True if all evidence is unchanged and still at its captured location. Without evidence, an
    /// anchor is never fresh.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        !self.evidence.is_empty()
            && self
                .evidence
                .iter()
                .all(|checked| checked.judgement.is_fresh())
    }
}

/// The steps of the search for `claim`. Secret values are redacted and control characters are
/// removed, so the steps are safe to display.
pub(crate) fn steps_of(claim: &Claim, snapshot: &Snapshot) -> Vec<String> {
    let (_, steps) = explain(snapshot, &claim.pointer, claim.capture.as_ref());
    let shown = |step: Step| {
        let text = harmless_line(&format!("{}: {}", step.stage, step.found));
        redact_text(&text).0.as_str().to_owned()
    };
    steps.into_iter().map(shown).collect()
}

/// Judges the anchors `ids` in `snapshot`, in that order. If `ids` is empty, this judges all
/// anchors in the order in which they were saved.
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

fn shown(relocation: &Relocation) -> Relocation {
    Relocation {
        capture: None,
        ..relocation.clone()
    }
}

/// Turns `item`, the verdict on `anchor`, into a report. An anchor is only as good as its worst
/// piece of evidence.
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
    // `min_by_key` returns the first of several minima, so the order of the evidence decides among
    // equally bad pieces.
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
