//! Status of beads in other ledgers.

use std::collections::BTreeMap;

use super::State;
use crate::bead::BeadStatus;
use crate::event::Outcome;

/// Beads of other ledgers that beads here depend on, with their status. Queries get this from the
/// caller, because the state itself cannot read other ledgers.
#[derive(Debug, Clone, Default)]
pub struct Elsewhere(BTreeMap<String, Standing>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) status: BeadStatus,
    /// `None` while the bead is open.
    pub(super) ending: Option<Outcome>,
}

/// An empty table, for tests that have no other ledgers.
#[cfg(test)]
pub(super) static NOWHERE: Elsewhere = Elsewhere(BTreeMap::new());

impl Elsewhere {
    /// Records the status that `id` has in the ledger of `there`. This does nothing if that ledger
    /// does not have the bead either.
    pub fn note(&mut self, id: &str, there: &State) {
        if let Some(head) = there.beads.head(id) {
            let (status, ending) = (head.status, head.ending);
            self.0.insert(id.to_owned(), Standing { status, ending });
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<Standing> {
        self.0.get(id).copied()
    }
}
