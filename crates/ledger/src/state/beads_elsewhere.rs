//! Status of beads in other ledgers.

use std::collections::BTreeMap;

use super::State;
use crate::bead::BeadStatus;
use crate::event::Outcome;

/// Status of beads in other ledgers that beads here depend on.
#[derive(Debug, Clone, Default)]
pub struct Elsewhere(BTreeMap<String, Standing>);

/// A bead's status in another ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) status: BeadStatus,
    /// Outcome; absent while the bead is open.
    pub(super) ending: Option<Outcome>,
}

/// Empty table for queries that ignore other ledgers.
pub(super) static NOWHERE: Elsewhere = Elsewhere(BTreeMap::new());

impl Elsewhere {
    /// Records the status of `id` in another ledger, if that ledger has the bead.
    pub fn note(&mut self, id: &str, there: &State) {
        let found = there.beads.find(id);
        if let Some(head) = found.as_ref().and_then(super::Found::head) {
            let (status, ending) = (head.status, head.ending);
            self.0.insert(id.to_owned(), Standing { status, ending });
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<Standing> {
        self.0.get(id).copied()
    }
}
