//! What became of anchors.

use serde::Serialize;
use windlass_base::{Cancel, Evidence, Freshness, Ident, Item, Judgement, Pointer};
use windlass_evidence::{Claim, Step, explain};
use windlass_packs::{Rank, harmless_line};
use windlass_redact::redact_text;
use windlass_repo::Snapshot;
use windlass_site::Error;

use crate::{Anchor, AnchorKind, Notebook, Relocation, judge_all};

/// What became of one pointer of an anchor.
#[derive(Debug, Clone, Serialize)]
pub struct Checked {
    /// The pointer.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// The verdict.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// What became of an anchor.
#[derive(Debug, Clone, Serialize)]
pub struct AnchorReport {
    /// Its name.
    pub id: Ident,
    /// What sort of thing it is.
    pub kind: AnchorKind,
    /// What a person calls it.
    pub label: String,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The verdict on its worst piece of evidence.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// All of its evidence.
    pub evidence: Vec<Checked>,
    /// Where that was before it moved, with what proved the new places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<Relocation>,
}

/// What became of an anchor, and how that was found out.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedAnchor {
    /// The verdict.
    #[serde(flatten)]
    pub report: AnchorReport,
    /// For each piece of evidence what was looked at, in order.
    pub steps: Vec<Vec<String>>,
}

impl AnchorReport {
    /// Whether all of its evidence stands where it was captured.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        !self.evidence.is_empty()
            && self
                .evidence
                .iter()
                .all(|checked| checked.judgement.is_fresh())
    }
}

/// How `claim` was looked for, as it may be shown.
pub(crate) fn steps_of(claim: &Claim, snapshot: &Snapshot) -> Vec<String> {
    let (_, steps) = explain(snapshot, &claim.pointer, claim.capture.as_ref());
    let shown = |step: Step| {
        let text = harmless_line(&format!("{}: {}", step.stage, step.found));
        redact_text(&text).0.as_str().to_owned()
    };
    steps.into_iter().map(shown).collect()
}

/// The anchors of `notebook` with the given names, in that order, or all of them in the order in which they were
/// saved, each judged in the state of the files that `snapshot` holds.
///
/// # Errors
/// When one of the names is not there, or `cancel` was raised.
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

/// An anchor as an item of a pack.
pub(crate) fn as_item(report: &AnchorReport) -> Item {
    let evidence = report.evidence.iter().map(|checked| Evidence {
        pointer: checked.pointer.clone(),
        judgement: checked.judgement.clone(),
        capture: None,
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

/// A relocation as it is shown: without what was recorded for later proof.
fn shown(relocation: &Relocation) -> Relocation {
    Relocation {
        capture: None,
        ..relocation.clone()
    }
}

/// What is said of `anchor`, which `item` is judged.
pub(crate) fn report(anchor: &Anchor, item: Item) -> AnchorReport {
    let evidence: Vec<Checked> = item
        .evidence
        .into_iter()
        .map(|evidence| Checked {
            pointer: evidence.pointer,
            judgement: evidence.judgement,
        })
        .collect();
    // The first of those that are as bad.
    let worst = evidence
        .iter()
        .min_by_key(|checked| Rank::of(&checked.judgement));
    let judgement = worst.map_or_else(
        || {
            let reason = "the notebook gives it no lines that make sense".to_owned();
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
