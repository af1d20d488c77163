//! What is said of a list as a whole.

use std::collections::BTreeMap;

use windlass_packs::Rank;

use super::list_row::RunbookState;

/// What is said of a list as a whole, whatever of it is shown.
pub(super) struct ListFacts {
    /// Whether it is a list of the whole notebook.
    pub(super) is_of_notebook: bool,
    /// The revision of the notebook.
    pub(super) revision: u64,
    /// How many parts of it cannot be used.
    pub(super) lost: usize,
    /// How many runbooks have each state.
    pub(super) runbooks: Vec<(RunbookState, usize)>,
    /// How many anchors have each state, those that are not printed included.
    pub(super) counts: BTreeMap<Rank, usize>,
    /// How many of the entries that begin where this page does are runbooks.
    pub(super) runbooks_from_here: usize,
    /// How wide the columns of names and kinds are.
    pub(super) columns: (usize, usize),
}
