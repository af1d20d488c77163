//! Suggests next actions for anchors and runbooks with problems.

use windlass_base::{Caller, NextAction};
use windlass_packs::anchor_actions;

use super::list_row::Row;
use crate::AnchorReport;

/// Suggestions for the anchors in `rows`, followed by those for the runbooks.
pub(super) fn actions(rows: &[Row], caller: Option<&Caller>) -> Vec<NextAction> {
    let reports: Vec<&AnchorReport> = rows.iter().filter_map(Row::anchor).collect();
    let runbooks = rows.iter().filter_map(|row| row.runbook()?.action());
    let runbooks = runbooks.filter_map(|action| action.for_caller(caller));
    what_to_do(&reports, caller)
        .into_iter()
        .chain(runbooks)
        .collect()
}

/// Suggestions for the anchors, according to their states. Those that the caller cannot run are
/// left out.
#[must_use]
pub fn what_to_do(reports: &[&AnchorReport], caller: Option<&Caller>) -> Vec<NextAction> {
    let anchors = reports
        .iter()
        .map(|report| (report.id.as_str(), report.ranks()));
    let actions = anchor_actions(anchors).into_iter();
    actions
        .filter_map(|action| action.for_caller(caller))
        .collect()
}
