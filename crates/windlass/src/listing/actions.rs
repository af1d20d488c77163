//! What to do about anchors that do not stand.

use windlass_base::NextAction;
use windlass_pack::recaptures;

use super::row::Row;
use super::show::as_section;
use crate::rank::Rank;
use crate::{AnchorReport, Error};

/// The most ids one call names.
const MAX_IDS: usize = 8;

/// What the state of the anchors calls for: to capture again what moved, to look at what changed, to take
/// out what is no longer there.
pub(super) fn actions(rows: &[Row]) -> Result<Vec<NextAction>, Error> {
    let with = |wanted: &dyn Fn(Rank) -> bool| -> Vec<&AnchorReport> {
        rows.iter()
            .filter_map(Row::anchor)
            .filter(|report| wanted(Rank::of(&report.judgement)))
            .collect()
    };
    let call = |tool: &str, reason: &str, reports: &[&AnchorReport]| {
        let action = NextAction::new(tool, reason);
        let ids = reports
            .iter()
            .take(MAX_IDS)
            .map(|report| report.id.as_str());
        (!reports.is_empty()).then(|| ids.fold(action, NextAction::positional))
    };
    let moved = as_section(with(&|rank| rank == Rank::Moved))?;
    // Only what is proven to be gone is to be taken out: a file that is missing may have another name.
    let gone = with(&|rank| rank == Rank::Gone);
    let changed = with(&|rank| !matches!(rank, Rank::Gone | Rank::Moved | Rank::Fresh));
    let show = call("anchor show", "see what became of what changed", &changed);
    let remove = call(
        "anchor remove",
        "take out what is gone, if nobody needs it",
        &gone,
    );
    Ok(recaptures(&[moved])
        .into_iter()
        .chain(show)
        .chain(remove)
        .chain(rows.iter().filter_map(|row| row.runbook()?.action()))
        .collect())
}
