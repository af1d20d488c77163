//! Summary of a whole list.

use std::collections::BTreeMap;

use windlass_packs::Rank;

use super::list_row::RunbookState;

/// Summary of a whole list, independent of the page.
pub(super) struct ListFacts {
    /// True for a list of the whole notebook.
    pub(super) is_of_notebook: bool,
    /// Revision of the notebook.
    pub(super) revision: u64,
    /// Number of damaged parts.
    pub(super) lost: usize,
    /// Number of runbooks in each state.
    pub(super) runbooks: Vec<(RunbookState, usize)>,
    /// Number of anchors in each state, including those that are not printed.
    pub(super) counts: BTreeMap<Rank, usize>,
    /// Number of runbooks among the entries from the start of this page.
    pub(super) runbooks_from_here: usize,
    /// Width of the name and kind columns.
    pub(super) columns: (usize, usize),
}
