//! Index of the beads in working order, each with what keeps it from beginning. Closed beads have
//! rows of their own, so that lists of open ones do not have to read them.
//!
//! While we apply events, we only collect the ids of beads with outdated rows. The next query or
//! checkpoint then computes all of these rows together. A change spreads to the beads that wait for
//! the changed one, and to the descendants of beads that become blocked or free.
//!
//! The time and other ledgers may change without an event here, so the index leaves out what
//! depends on them ([`Start::Depends`]). Each query has to check that.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::bead_order::Links;
use super::{BeadHead, EdgeKind, Hold, Table};
use crate::bead::{Bead, IssueType};
use crate::event::Outcome;
use crate::rows::{Overlay, encoded, key};

/// Tells if a bead can begin, as far as this ledger alone decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Start {
    /// Nothing holds the bead back.
    #[default]
    Free,
    /// Only the time or another ledger can tell.
    Depends,
    /// The bead can't begin.
    Blocked,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    start: Start,
    /// Key of the bead's row in working order. Empty if there is no bead.
    row: Vec<u8>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ListedBead<'a> {
    /// This has to be the first field, because [`WorkIndex::starting`] decodes nothing but it.
    pub(super) start: Start,
    /// True for an epic with open children. Agents work on those instead.
    pub(super) has_open_parts: bool,
    pub(super) id: &'a str,
    #[serde(borrow)]
    pub(super) head: BeadHead<'a>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct WorkIndex {
    pub(super) rows: Overlay,
    /// Beads whose rows are outdated. The flag is true if others may wait for the change.
    changed: BTreeMap<String, bool>,
}

impl WorkIndex {
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

    pub(super) fn encoded(&self, closed_too: bool) -> Box<dyn Iterator<Item = &[u8]> + '_> {
        let mut open = self.rows.starting_with(&[key::OPEN]).peekable();
        if !closed_too {
            return Box::new(open.map(|(_, bead)| bead));
        }
        let mut closed = self.rows.starting_with(&[key::CLOSED]).peekable();
        Box::new(std::iter::from_fn(move || {
            // After its kind, a key holds a bead's position in working order.
            let is_open = match (open.peek(), closed.peek()) {
                (Some((one, _)), Some((other, _))) => one.get(1..) < other.get(1..),
                (one, _) => one.is_some(),
            };
            let (_, bead) = if is_open { open.next() } else { closed.next() }?;
            Some(bead)
        }))
    }

    pub(super) fn beads(&self, closed_too: bool) -> impl Iterator<Item = ListedBead<'_>> {
        self.encoded(closed_too)
            .filter_map(|bead| postcard::from_bytes(bead).ok())
    }

    /// Iterates over the open beads in working order, as far as `is_wanted` accepts their
    /// [`Start`]. The others aren't decoded.
    pub(super) fn starting(
        &self,
        is_wanted: impl Fn(Start) -> bool,
    ) -> impl Iterator<Item = ListedBead<'_>> {
        let start = |bead: &[u8]| Some(postcard::take_from_bytes(bead).ok()?.0);
        let wanted = self.encoded(false);
        let wanted = wanted.filter(move |bead| start(bead).is_some_and(&is_wanted));
        wanted.filter_map(|bead| postcard::from_bytes(bead).ok())
    }

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

    /// Computes a bead's rows. Returns true if this may affect its descendants.
    fn update(&mut self, starts: &mut Starts<'_>, id: &str) -> bool {
        let row = key::of(key::STARTS, id.as_bytes());
        let before = self.rows.get(&row);
        let before: Known = before
            .and_then(|known| postcard::from_bytes(known).ok())
            .unwrap_or_default();
        let start = starts.of(id);
        let head = starts.beads.head(id);
        let order = head.as_ref().map(|head| order_key(id, head));
        let order = order.unwrap_or_default();
        // The bead has moved in working order, for example because its priority has changed.
        if before.row != order && !before.row.is_empty() {
            self.rows.set(before.row.clone(), None);
        }
        if let Some(head) = head {
            let is_epic = head.is_open() && head.issue_type == IssueType::Epic;
            let bead = ListedBead {
                start,
                has_open_parts: is_epic && starts.has_open_child(id),
                id,
                head,
            };
            self.rows.set(order.clone(), Some(encoded(&bead)));
        }
        let known = Known { start, row: order };
        let is_known = known != Known::default();
        if known != before {
            self.rows.set(row, is_known.then(|| encoded(&known)));
        }
        start != before.start
    }
}

/// Returns the key of a bead's row. Keys of a kind sort by priority, then by age, then by id.
fn order_key(id: &str, head: &BeadHead<'_>) -> Vec<u8> {
    let kind = if head.is_open() {
        key::OPEN
    } else {
        key::CLOSED
    };
    let mut key = vec![kind, head.priority];
    // Flip the sign bit, so that times before 1970 sort first in the bytes as well.
    key.extend((head.created ^ i64::MIN).to_be_bytes());
    key.extend(id.as_bytes());
    key
}

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

    /// Adds the beads that a change of `id` may block or free: those that wait for `id`, its
    /// parents, and those that wait for the children of its parents.
    fn add_waiters(&mut self, id: &str) {
        let links = self.board.links;
        self.add_all(links.waiters(id));
        let edges = self.board.beads.head(id).map(|head| head.edges);
        for edge in edges.into_iter().flatten() {
            if edge.kind == EdgeKind::Parent {
                self.add_all(std::iter::once(edge.to).chain(links.waiters(edge.to)));
            }
        }
    }
}

struct Starts<'a> {
    beads: &'a Table<Bead>,
    links: &'a Links,
    /// Tells if each bead can begin, apart from its parents.
    own: BTreeMap<String, Start>,
}

impl<'a> Starts<'a> {
    fn new(beads: &'a Table<Bead>, links: &'a Links) -> Self {
        let own = BTreeMap::new();
        Self { beads, links, own }
    }

    fn is_open(&self, id: &str) -> bool {
        self.beads.head(id).is_some_and(|head| head.is_open())
    }

    fn has_open_child(&self, id: &str) -> bool {
        self.links.children(id).any(|child| self.is_open(child))
    }

    /// Tells if a bead can begin, considering its ancestors as well.
    fn of(&mut self, id: &str) -> Start {
        let (mut start, mut known) = (Start::Free, BTreeSet::from([id.to_owned()]));
        let mut waiting = vec![id.to_owned()];
        while let Some(id) = waiting.pop() {
            let Some(head) = self.beads.head(&id) else {
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
        // A bead that we don't have may be in another ledger. A missing parent doesn't block its
        // children.
        let Some(other) = self.beads.head(to) else {
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
