//! What is known of beads that lie in other ledgers.

use std::collections::{BTreeMap, BTreeSet};

use super::State;
use super::head::EdgeKind;
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

impl State {
    /// The beads that some here depend on, and that are not here.
    #[must_use]
    pub fn missing(&self) -> BTreeSet<String> {
        let mut missing = BTreeSet::new();
        for (_, found) in self.beads.iter() {
            let edges = found.head().map(|head| head.edges).unwrap_or_default();
            let others = edges.iter().filter(|edge| edge.kind != EdgeKind::Parent);
            let others = others.filter(|edge| !self.beads.contains(edge.to));
            missing.extend(others.map(|edge| edge.to.to_owned()));
        }
        missing
    }
}
