//! Suggested calls for anchors that are not fresh.

use windlass_base::{Caller, Ident, NextAction};
use windlass_packs::{Rank, repair};

use super::list_row::Row;
use crate::AnchorReport;

/// Maximum number of ids in one call.
const MAX_IDS: usize = 8;

/// Returns the calls that the state of the rows suggests.
pub(super) fn actions(rows: &[Row], caller: Option<&Caller>) -> Vec<NextAction> {
    let reports: Vec<&AnchorReport> = rows.iter().filter_map(Row::anchor).collect();
    let runbooks = rows.iter().filter_map(|row| row.runbook()?.action());
    let runbooks = runbooks.filter_map(|action| action.for_caller(caller));
    what_to_do(&reports, caller)
        .into_iter()
        .chain(runbooks)
        .collect()
}

/// Returns the calls that the state of the anchors suggests: accept moves, inspect changes, remove what is
/// gone.
pub(crate) fn what_to_do(reports: &[&AnchorReport], caller: Option<&Caller>) -> Vec<NextAction> {
    let ranks: Vec<(&Ident, Rank)> = reports
        .iter()
        .map(|report| (&report.id, Rank::of(&report.judgement)))
        .collect();
    what_to_do_with(&ranks, caller)
}

/// Returns the calls of [`what_to_do`] for anchors in the given states.
#[must_use]
pub fn what_to_do_with(anchors: &[(&Ident, Rank)], caller: Option<&Caller>) -> Vec<NextAction> {
    let with = |wanted: &dyn Fn(Rank) -> bool| -> Vec<&Ident> {
        let anchors = anchors.iter().filter(|(_, rank)| wanted(*rank));
        anchors.map(|(id, _)| *id).collect()
    };
    let call = |tool: &str, reason: &str, ids: &[&Ident]| {
        let action = NextAction::new(tool, reason);
        let named = ids.iter().take(MAX_IDS).map(|id| id.as_str());
        (!ids.is_empty()).then(|| named.fold(action, NextAction::positional))
    };
    let moved: Vec<&str> = with(&|rank| rank == Rank::Moved)
        .into_iter()
        .map(Ident::as_str)
        .collect();
    // Only proven loss suggests removal: a missing file may have another name.
    let gone = with(&|rank| rank == Rank::Gone);
    let changed = with(&|rank| !matches!(rank, Rank::Gone | Rank::Moved | Rank::Fresh));
    let edited = with(&|rank| rank == Rank::Edited);
    let show = call("anchor show", "see what became of what changed", &changed);
    let take = call(
        "anchor repair",
        "accept what was edited, after a review",
        &edited,
    );
    let take = take.map(|action| action.option("edited", true));
    let remove = call(
        "anchor remove",
        "remove what is gone, unless it is still needed",
        &gone,
    );
    let all = repair(&moved)
        .into_iter()
        .chain(show)
        .chain(take)
        .chain(remove);
    all.filter_map(|action| action.for_caller(caller)).collect()
}
