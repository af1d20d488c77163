//! Beads with a text in them.

use windlass_ledger::{Stamp, WorkFilter};

use super::found::list_of;
use super::{LedgerDesk, WorkList};
use crate::Error;

impl LedgerDesk {
    /// Beads that have `text` in their id, title, description, labels, or any other field that is a text; large and
    /// small letters are the same.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn search_beads(
        &self,
        text: &str,
        filter: &WorkFilter,
        at: Option<Stamp>,
        limit: usize,
    ) -> Result<WorkList, Error> {
        let state = self.state_at(at)?;
        Ok(list_of(&state, &state.search(text, filter, limit)))
    }
}
