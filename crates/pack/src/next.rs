//! What to do next: calls that can be made as they are printed.

use windlass_base::{Entry, Ident, NextAction};

use crate::status::of_judgement;
use crate::{Pack, SectionStatus};

/// The most ids one call names.
const MAX_IDS: usize = 8;

/// What the state of `pack` calls for, most urgent first: failed steps, then evidence that is stale.
/// Going on with a cut section is added by the view that cuts it.
pub(crate) fn next_actions(pack: &Pack) -> Vec<NextAction> {
    let failed = pack
        .sections
        .iter()
        .find(|section| section.status == SectionStatus::Failed);
    let failed = failed.map(|section| {
        let reason = format!(
            "see why `{}` of section `{}` failed and what it needs",
            section.step, section.id
        );
        NextAction::new("plan", reason)
            .positional(pack.runbook.id.as_str())
            .option("explain", true)
    });
    failed.into_iter().chain(stale_anchors(pack)).collect()
}

/// Anchors whose evidence no longer stands where it was captured.
fn stale_anchors(pack: &Pack) -> Option<NextAction> {
    let mut ids: Vec<&str> = Vec::new();
    for entry in pack.sections.iter().flat_map(|section| &section.entries) {
        let Entry::Item(item) = entry else { continue };
        let stale = |status| {
            matches!(
                status,
                SectionStatus::Stale | SectionStatus::Unknown | SectionStatus::Moved
            )
        };
        // Whatever else stands there cannot name an anchor, and might not be safe to paste.
        if let Some(id) = &item.id
            && Ident::parse(id).is_ok()
            && item
                .evidence
                .iter()
                .any(|evidence| stale(of_judgement(&evidence.judgement)))
            && !ids.contains(&id.as_str())
        {
            ids.push(id);
        }
    }
    ids.truncate(MAX_IDS);
    if ids.is_empty() {
        return None;
    }
    let reason =
        "look at the anchors that no longer stand where they were captured, and capture them again";
    Some(
        ids.iter()
            .fold(NextAction::new("anchor show", reason), |action, id| {
                action.positional(*id)
            }),
    )
}
