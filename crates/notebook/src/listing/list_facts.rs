//! Totals of a list, shown on every page.

use std::collections::BTreeMap;

use windlass_packs::Rank;

use super::list_row::RunbookState;

/// Totals of a list. They're the same on every page, except for the page's position.
pub(super) struct ListFacts {
    /// True if the list shows the whole notebook.
    pub(super) is_of_notebook: bool,
    /// The notebook's revision.
    pub(super) revision: u64,
    /// Number of damaged parts of the notebook.
    pub(super) lost: usize,
    /// Number of runbooks in each state.
    pub(super) runbooks: Vec<(RunbookState, usize)>,
    /// Number of anchors in each state, including unlisted ones.
    pub(super) counts: BTreeMap<Rank, usize>,
    /// Number of runbooks among the entries from this page on.
    pub(super) runbooks_from_here: usize,
    /// Widths of the name and kind columns.
    pub(super) columns: (usize, usize),
}
