//! A board has the short forms of some beads, and works out what holds each of them back.
//!
//! Unlike the index, a board gives all the reasons, considers the time and other ledgers, and
//! doesn't depend on what was computed before.

use std::collections::{BTreeMap, BTreeSet};

use super::bead_order::Links;
use super::beads_elsewhere::Elsewhere;
use super::short_forms::EdgeKind;
use super::work_filter::Reason;
use super::{BeadHead, Hold, Table};
use crate::Stamp;
use crate::bead::{Bead, BeadStatus};
use crate::event::Outcome;

/// The short forms of some beads, with the children of each.
pub(super) struct Board<'a> {
    pub(super) beads: Vec<(&'a str, BeadHead<'a>)>,
    pub(super) parts: Vec<Vec<usize>>,
    now: Stamp,
    elsewhere: &'a Elsewhere,
}

impl<'a> Board<'a> {
    /// Returns a board of the beads that decide whether `id` can begin. These are `id`, its
    /// ancestors, and everything that `id` or an ancestor depends on.
    pub(super) fn around(
        table: &'a Table<Bead>,
        links: &Links,
        id: &str,
        now: Stamp,
        elsewhere: &'a Elsewhere,
    ) -> Self {
        let mut beads = BTreeMap::new();
        let mut add = |id: &str| {
            let (id, found) = table.entry(id)?;
            let head = found.head()?;
            Some(beads.entry(id).or_insert(head).edges.clone())
        };
        let mut known = BTreeSet::from([id.to_owned()]);
        let mut waiting = vec![id.to_owned()];
        while let Some(edges) = waiting.pop().map(|id| add(&id)) {
            for edge in edges.unwrap_or_default() {
                if edge.kind == EdgeKind::Parent {
                    if known.insert(edge.to.to_owned()) {
                        waiting.push(edge.to.to_owned());
                    }
                    continue;
                }
                add(edge.to);
                if matches!(edge.kind, EdgeKind::AllChildren | EdgeKind::AnyChild) {
                    links.children(edge.to).for_each(|child| drop(add(child)));
                }
            }
        }
        Self::with(beads.into_iter().collect(), now, elsewhere)
    }

    pub(super) fn with(
        beads: Vec<(&'a str, BeadHead<'a>)>,
        now: Stamp,
        elsewhere: &'a Elsewhere,
    ) -> Self {
        let mut board = Self {
            parts: vec![Vec::new(); beads.len()],
            beads,
            now,
            elsewhere,
        };
        for at in 0..board.beads.len() {
            for edge in &board.beads[at].1.edges {
                if edge.kind == EdgeKind::Parent
                    && let Some(parent) = board.position(edge.to)
                {
                    board.parts[parent].push(at);
                }
            }
        }
        board
    }

    pub(super) fn position(&self, id: &str) -> Option<usize> {
        self.beads
            .binary_search_by(|(known, _)| (*known).cmp(id))
            .ok()
    }

    pub(super) fn is_open(&self, at: usize) -> bool {
        self.beads[at].1.is_open()
    }

    pub(super) fn reasons(&self) -> Vec<Vec<Reason>> {
        let mut reasons: Vec<Vec<Reason>> = (0..self.beads.len())
            .map(|at| match self.is_open(at) {
                true => self.own_reasons(at),
                false => Vec::new(),
            })
            .collect();
        // A blocked parent blocks all its descendants.
        let mut stuck: Vec<usize> = (0..reasons.len())
            .filter(|at| !reasons[*at].is_empty() && self.is_open(*at))
            .collect();
        let mut passed_on = vec![false; reasons.len()];
        // A bead is in `stuck` twice if it's held back both by itself and by a parent. Pass that on
        // only once.
        while let Some(at) = stuck.pop() {
            if std::mem::replace(&mut passed_on[at], true) {
                continue;
            }
            let reason = Reason::PartOfBlocked {
                id: self.beads[at].0.to_owned(),
            };
            for part in &self.parts[at] {
                reasons[*part].push(reason.clone());
                stuck.push(*part);
            }
        }
        for reasons in &mut reasons {
            reasons.sort();
        }
        reasons
    }

    fn own_reasons(&self, at: usize) -> Vec<Reason> {
        let head = &self.beads[at].1;
        let edges = head.edges.iter();
        let mut reasons: Vec<Reason> = edges
            .filter_map(|edge| self.reason(edge.kind, edge.to))
            .collect();
        let held = match head.hold {
            Some(Hold::Blocked) => Some(Reason::SaidToBe),
            Some(Hold::Pinned) => Some(Reason::Pinned),
            Some(Hold::Deferred(until)) => {
                let until = until.map(Stamp::from_micros);
                let is_over = until.is_some_and(|until| until <= self.now);
                (!is_over).then_some(Reason::Deferred { until })
            }
            Some(Hold::Deleted) | None => None,
        };
        reasons.extend(held);
        reasons
    }

    /// Returns the reason like [`Self::reason`], but for a bead in another ledger. All we know
    /// about that bead is its own status, so a dependency on its children can't be met.
    fn foreign_reason(&self, kind: EdgeKind, to: &str) -> Option<Reason> {
        let id = to.to_owned();
        let there = self.elsewhere.get(to);
        match (kind, there) {
            (EdgeKind::Parent, _) => None,
            (EdgeKind::Blocks, Some(there)) => {
                let status = there.status.as_str();
                let is_open = there.status != BeadStatus::Closed;
                is_open.then_some(Reason::WaitsFor { id, status })
            }
            (EdgeKind::IfItFails, Some(there)) => unless_failed(there.ending, id),
            (EdgeKind::AllChildren | EdgeKind::AnyChild, _) | (_, None) => {
                Some(Reason::Missing { id })
            }
        }
    }

    fn reason(&self, kind: EdgeKind, to: &str) -> Option<Reason> {
        let id = to.to_owned();
        let Some(at) = self.position(to) else {
            return self.foreign_reason(kind, to);
        };
        let head = &self.beads[at].1;
        match kind {
            EdgeKind::Parent => None,
            EdgeKind::Blocks => {
                let status = head.status.as_str();
                self.is_open(at).then_some(Reason::WaitsFor { id, status })
            }
            EdgeKind::IfItFails => unless_failed(head.ending, id),
            EdgeKind::AllChildren | EdgeKind::AnyChild => {
                let parts = &self.parts[at];
                let open = parts.iter().filter(|part| self.is_open(**part)).count();
                let (children, closed) = (parts.len(), !self.is_open(at));
                // An open bead without children may still get some, so the dependency isn't met
                // yet.
                let is_met = match kind {
                    EdgeKind::AnyChild if children > 0 => open < children,
                    _ => closed && open == 0,
                };
                (!is_met).then_some(Reason::WaitsForChildren {
                    id,
                    open,
                    children,
                    closed,
                })
            }
        }
    }
}

fn unless_failed(ending: Option<Outcome>, id: String) -> Option<Reason> {
    match ending {
        Some(Outcome::Failed) => None,
        Some(Outcome::Done) => Some(Reason::DidNotFail { id }),
        None => Some(Reason::WaitsForFailure { id }),
    }
}
