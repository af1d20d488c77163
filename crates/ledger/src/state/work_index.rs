//! Index of the open beads in working order, along with whatever keeps each from beginning.
//!
//! While applying events, we only collect the beads whose rows are out of date. Before the next
//! query or checkpoint, their rows are computed together. A change spreads to the beads waiting for
//! the changed one, and to the descendants of beads that become blocked or free. Anything that
//! depends on the time or on other ledgers is left to each query.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::bead_order::Links;
use super::{BeadHead, EdgeKind, Found, Hold, Table};
use crate::bead::{Bead, IssueType};
use crate::event::Outcome;
use crate::rows::{Overlay, key};

/// A bead's ability to begin, as far as this ledger alone can tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Start {
    /// Nothing holds the bead back.
    #[default]
    Free,
    /// The time or another ledger decides.
    Depends,
    /// The bead can't begin.
    Blocked,
}

/// A bead's entry in the index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    start: Start,
    /// Key of the bead's row among the open beads.
    open: Option<Vec<u8>>,
}

/// An open bead of the index.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OpenBead<'a> {
    pub(super) start: Start,
    /// True for an epic with open children, which isn't worked on itself.
    pub(super) has_open_parts: bool,
    pub(super) id: &'a str,
    #[serde(borrow)]
    pub(super) head: BeadHead<'a>,
}

/// Open beads in working order.
#[derive(Debug, Clone, Default)]
pub(super) struct WorkIndex {
    pub(super) rows: Overlay,
    /// Beads whose rows are out of date. The flag is true if others may be waiting for the change.
    changed: BTreeMap<String, bool>,
}

impl WorkIndex {
    /// Notes a changed bead. `is_gate` is true if other beads may be waiting for the change.
    pub(super) fn note(&mut self, id: &str, is_gate: bool) {
        match self.changed.get_mut(id) {
            Some(known) => *known |= is_gate,
            None => {
                self.changed.insert(id.to_owned(), is_gate);
            }
        }
    }

    pub(super) fn is_fresh(&self) -> bool {
        self.changed.is_empty()
    }

    /// Iterates over the encoded open beads in working order.
    pub(super) fn encoded(&self) -> impl Iterator<Item = &[u8]> {
        let rows = self.rows.starting_with(&[key::OPEN]);
        rows.map(|(_, bead)| bead)
    }

    /// Iterates over the open beads in working order.
    pub(super) fn open(&self) -> impl Iterator<Item = OpenBead<'_>> {
        self.encoded()
            .filter_map(|bead| postcard::from_bytes(bead).ok())
    }

    /// Brings the rows of all changed beads up to date.
    pub(super) fn refresh(&mut self, beads: &Table<Bead>, links: &Links) {
        let changed = std::mem::take(&mut self.changed);
        let mut spread = Spread {
            board: Starts::new(beads, links),
            waiting: changed.into_iter().collect(),
            done: BTreeSet::new(),
            gates: BTreeSet::new(),
        };
        while let Some((id, is_gate)) = spread.waiting.pop() {
            if is_gate && spread.gates.insert(id.clone()) {
                spread.add_waiters(&id);
            }
            if spread.done.insert(id.clone()) && self.update(&mut spread.board, &id) {
                spread.add_all(links.children(&id));
            }
        }
    }

    /// Computes a bead's rows. Returns true if its descendants may be affected.
    fn update(&mut self, starts: &mut Starts<'_>, id: &str) -> bool {
        let row = key::of(key::STARTS, id.as_bytes());
        let before = self.rows.get(&row);
        let before: Known = before
            .and_then(|known| postcard::from_bytes(known).ok())
            .unwrap_or_default();
        let start = starts.of(id);
        let head = starts.head(id).filter(BeadHead::is_open);
        let open = head.as_ref().map(|head| order_key(id, head));
        if let Some(gone) = before
            .open
            .as_ref()
            .filter(|key| open.as_ref() != Some(*key))
        {
            self.rows.set(gone.clone(), None);
        }
        if let Some((key, head)) = open.clone().zip(head) {
            let is_epic = head.issue_type == IssueType::Epic;
            let bead = OpenBead {
                start,
                has_open_parts: is_epic && starts.has_open_child(id),
                id,
                head,
            };
            self.rows
                .set(key, Some(postcard::to_stdvec(&bead).unwrap_or_default()));
        }
        let known = Known { start, open };
        let is_known = known != Known::default();
        if known != before {
            let encoded = is_known.then(|| postcard::to_stdvec(&known).unwrap_or_default());
            self.rows.set(row, encoded);
        }
        start != before.start
    }
}

/// Returns the key of an open bead's row. Keys sort by priority, then by age, then by id.
fn order_key(id: &str, head: &BeadHead<'_>) -> Vec<u8> {
    let mut key = vec![key::OPEN, head.priority];
    key.extend((head.created ^ i64::MIN).to_be_bytes());
    key.extend(id.as_bytes());
    key
}

/// Beads whose rows have yet to be computed.
struct Spread<'a> {
    board: Starts<'a>,
    waiting: Vec<(String, bool)>,
    done: BTreeSet<String>,
    gates: BTreeSet<String>,
}

impl Spread<'_> {
    fn add_all<'i>(&mut self, ids: impl Iterator<Item = &'i str>) {
        self.waiting.extend(ids.map(|id| (id.to_owned(), false)));
    }

    /// Adds the beads that a change of `id` may hold back or let go. They are those waiting for it
    /// or for the children of its parents, and the parents.
    fn add_waiters(&mut self, id: &str) {
        let links = self.board.links;
        self.add_all(links.waiters(id));
        let edges = self.board.head(id).map(|head| head.edges);
        for edge in edges.into_iter().flatten() {
            if edge.kind == EdgeKind::Parent {
                self.add_all(std::iter::once(edge.to).chain(links.waiters(edge.to)));
            }
        }
    }
}

/// Computes which beads can begin.
struct Starts<'a> {
    beads: &'a Table<Bead>,
    links: &'a Links,
    /// Each bead's own ability to begin, apart from its parents.
    own: BTreeMap<String, Start>,
}

impl<'a> Starts<'a> {
    fn new(beads: &'a Table<Bead>, links: &'a Links) -> Self {
        let own = BTreeMap::new();
        Self { beads, links, own }
    }

    fn head(&self, id: &str) -> Option<BeadHead<'a>> {
        self.beads.find(id).as_ref().and_then(Found::head)
    }

    fn is_open(&self, id: &str) -> bool {
        self.head(id).is_some_and(|head| head.is_open())
    }

    fn has_open_child(&self, id: &str) -> bool {
        self.links.children(id).any(|child| self.is_open(child))
    }

    /// Returns a bead's ability to begin, its ancestors included.
    fn of(&mut self, id: &str) -> Start {
        let (mut start, mut known) = (Start::Free, BTreeSet::from([id.to_owned()]));
        let mut waiting = vec![id.to_owned()];
        while let Some(id) = waiting.pop() {
            let Some(head) = self.head(&id) else {
                continue;
            };
            if head.is_open() {
                let own = self.own.get(&id).copied();
                let own = own.unwrap_or_else(|| {
                    let own = self.own_start(&head);
                    self.own.insert(id, own);
                    own
                });
                start = start.max(own);
            }
            for edge in &head.edges {
                if edge.kind == EdgeKind::Parent && known.insert(edge.to.to_owned()) {
                    waiting.push(edge.to.to_owned());
                }
            }
        }
        start
    }

    fn own_start(&self, head: &BeadHead<'_>) -> Start {
        let held = match head.hold {
            Some(Hold::Blocked | Hold::Pinned | Hold::Deferred(None)) => Start::Blocked,
            Some(Hold::Deferred(Some(_))) => Start::Depends,
            Some(Hold::Deleted) | None => Start::Free,
        };
        let edges = head.edges.iter();
        edges.fold(held, |start, edge| {
            start.max(self.held_by(edge.kind, edge.to))
        })
    }

    fn held_by(&self, kind: EdgeKind, to: &str) -> Start {
        let Some(other) = self.head(to) else {
            return match kind {
                EdgeKind::Parent => Start::Free,
                _ => Start::Depends,
            };
        };
        let is_met = match kind {
            EdgeKind::Parent => true,
            EdgeKind::Blocks => !other.is_open(),
            EdgeKind::IfItFails => other.ending == Some(Outcome::Failed),
            EdgeKind::AnyChild if self.links.children(to).next().is_some() => {
                self.links.children(to).any(|child| !self.is_open(child))
            }
            EdgeKind::AllChildren | EdgeKind::AnyChild => {
                !other.is_open() && !self.has_open_child(to)
            }
        };
        match is_met {
            true => Start::Free,
            false => Start::Blocked,
        }
    }
}
