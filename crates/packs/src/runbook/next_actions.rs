//! Next actions: calls that can be made as printed.

use windlass_base::{Entry, Evidence, Ident, Item, NextAction, RepairOutcome};

use crate::runbook::pack_status::of_judgement;
use crate::{Pack, PackSection, SectionStatus};

/// The most ids one call names.
const MAX_IDS: usize = 8;

/// Returns the actions that the state of `pack` requires, the most urgent first: failures, missing files, then moved or
/// stale evidence. `call` is the runbook and the inputs of the run as `NAME=VALUE`; without it, failures give no
/// actions. The view adds the action to continue a cut section.
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

/// Returns the action for the first failed section.
fn failure(sections: &[PackSection], (call, inputs): (&str, &[String])) -> Option<NextAction> {
    let mut refused = sections.iter().filter(|section| section.refused);
    let is_open = |section: &&PackSection| section.next_action.is_none();
    if let Some(section) = refused.clone().find(is_open) {
        let reason = format!(
            "review the programs of the runbook: step `{}` may not start programs yet",
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
        "explain step `{}` of section `{}`",
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

/// Returns the repair of anchors with evidence that moved to a known location.
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

/// Returns the call that repairs the anchors `ids`.
#[must_use]
pub fn repair(ids: &[&str]) -> Option<NextAction> {
    let action = NextAction::new(
        "anchor repair",
        "point anchors to the new location of their text",
    );
    match ids.len() {
        0 => None,
        1..=MAX_IDS => Some(ids.iter().fold(action, |action, id| action.positional(*id))),
        // Without ids it repairs all anchors.
        _ => Some(action),
    }
}

/// Returns the check of anchors with evidence that is no longer valid and was not found again.
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
    let reason = "see the state of the anchors with stale evidence";
    let show = NextAction::new("anchor show", reason);
    Some(ids.iter().fold(show, |action, id| action.positional(*id)))
}

/// Returns the items with an anchor id. Other text could not name an anchor, and might not be safe to paste.
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
