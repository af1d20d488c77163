//! Totals of a list, shown on every page.

use std::collections::BTreeMap;

use windlass_packs::Rank;

use super::list_row::RunbookState;

/// Totals of a list. They are the same on every page, except for `runbooks_from_here`.
pub(super) struct ListFacts {
    pub(super) is_of_notebook: bool,
    pub(super) revision: u64,
    pub(super) lost: usize,
    pub(super) runbooks: Vec<(RunbookState, usize)>,
    /// Number of anchors in each state, including those that are not shown.
    pub(super) counts: BTreeMap<Rank, usize>,
    /// Number of runbooks from this page to the end of the list. They come before the anchors, so
    /// this tells us where the anchors start.
    pub(super) runbooks_from_here: usize,
    pub(super) columns: (usize, usize),
}
