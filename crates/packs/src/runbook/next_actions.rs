//! What to do next: calls that can be made as they are printed.

use windlass_base::{Entry, Evidence, Ident, Item, NextAction, RepairOutcome};

use crate::runbook::pack_status::of_judgement;
use crate::{Pack, PackSection, SectionStatus};

/// The most ids one call names.
const MAX_IDS: usize = 8;

/// What the state of `pack` calls for, most urgent first: what failed, what is missing, then evidence that moved or is stale.
/// `call` is what the runbook can be run by, and the inputs of the run, as `NAME=VALUE`; without one, nothing is said
/// about failures.
/// Going on with a cut section is added by the view that cuts it.
#[must_use]
pub fn next_actions(pack: &Pack, call: Option<(&str, &[String])>) -> Vec<NextAction> {
    let failed = call.and_then(|call| failure(&pack.sections, call));
    let stale = stale_anchors(&pack.sections);
    let mut named: Vec<NextAction> = Vec::new();
    for action in pack
        .sections
        .iter()
        .filter_map(|section| section.next_action.as_ref())
    {
        // Several sections may call for the same.
        if !named.contains(action) {
            named.push(action.clone());
        }
    }
    failed
        .into_iter()
        .chain(named)
        .chain(repairs(&pack.sections))
        .chain(stale)
        .collect()
}

/// What to do about the first section that failed.
fn failure(sections: &[PackSection], (call, inputs): (&str, &[String])) -> Option<NextAction> {
    let mut refused = sections.iter().filter(|section| section.refused);
    let is_open = |section: &&PackSection| section.next_action.is_none();
    if let Some(section) = refused.clone().find(is_open) {
        let reason = format!(
            "look at what the runbook would start: step `{}` may not start programs yet",
            section.step
        );
        let look = NextAction::new("trust", reason).positional(call);
        return Some(look.option("dry_run", true));
    }
    if refused.next().is_some() {
        return None;
    }
    let section = sections
        .iter()
        .find(|section| section.status == SectionStatus::Failed)?;
    let reason = format!(
        "see what step `{}` of section `{}` needs and does",
        section.step, section.id
    );
    let plan = NextAction::new("plan", reason)
        .positional(call)
        .option("explain", true);
    Some(if inputs.is_empty() {
        plan
    } else {
        plan.option("input", inputs)
    })
}

/// Anchors some of whose evidence is known to stand at a new place: to be given that place.
#[must_use]
pub fn repairs(sections: &[PackSection]) -> Option<NextAction> {
    let moved = |evidence: &Evidence| evidence.judgement.outcome() == Some(RepairOutcome::Moved);
    let moved = anchors(sections).filter(|item| item.evidence.iter().any(moved));
    let mut ids: Vec<&str> = Vec::new();
    for id in moved.filter_map(|item| item.id.as_deref()) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    repair(&ids)
}

/// The call that gives the anchors with these names the places where they stand now.
#[must_use]
pub fn repair(ids: &[&str]) -> Option<NextAction> {
    let action = NextAction::new("anchor repair", "point to where what moved stands now");
    match ids.len() {
        0 => None,
        1..=MAX_IDS => Some(ids.iter().fold(action, |action, id| action.positional(*id))),
        // Without names it is about all of them.
        _ => Some(action),
    }
}

/// Anchors whose evidence no longer stands where it was captured, and was not found again.
fn stale_anchors(sections: &[PackSection]) -> Option<NextAction> {
    let mut ids: Vec<&str> = Vec::new();
    for item in anchors(sections) {
        let lost = |status| matches!(status, SectionStatus::Stale | SectionStatus::Unknown);
        let id = item.id.as_deref().unwrap_or_default();
        let statuses = item
            .evidence
            .iter()
            .map(|evidence| of_judgement(&evidence.judgement));
        if statuses.into_iter().any(lost) && !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids.truncate(MAX_IDS);
    if ids.is_empty() {
        return None;
    }
    let reason = "see what became of the anchors that no longer stand where they were captured";
    let show = NextAction::new("anchor show", reason);
    Some(ids.iter().fold(show, |action, id| action.positional(*id)))
}

/// Items that name an anchor. Whatever else stands there cannot name one, and might not be safe to paste.
fn anchors(sections: &[PackSection]) -> impl Iterator<Item = &Item> {
    sections
        .iter()
        .flat_map(|section| &section.entries)
        .filter_map(|entry| match entry {
            Entry::Item(item)
                if item
                    .id
                    .as_deref()
                    .is_some_and(|id| Ident::parse(id).is_ok()) =>
            {
                Some(item)
            }
            _ => None,
        })
}
