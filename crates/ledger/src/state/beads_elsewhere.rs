//! What is known of beads that lie in other ledgers.

use std::collections::BTreeMap;

use super::State;
use crate::bead::BeadStatus;
use crate::event::Outcome;

/// How beads of other ledgers stand that some here depend on.
#[derive(Debug, Clone, Default)]
pub struct Elsewhere(BTreeMap<String, Standing>);

/// How a bead stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) status: BeadStatus,
    /// How it ended.
    pub(super) ending: Option<Outcome>,
}

/// Where nothing is known of other ledgers.
pub(super) static NOWHERE: Elsewhere = Elsewhere(BTreeMap::new());

impl Elsewhere {
    /// Notes how `id` stands in another ledger; nothing where it is not there either.
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
