//! The order of beads: forward and reverse dependencies, and a search for cycles.
//!
//! A bead can begin once its blockers are done and its parent can begin. It's done once it has
//! begun and its children are done. A cycle in this order means that some work can never begin.
//! Such a cycle can be less obvious than a bead that blocks itself: a child that waits for its
//! parent is enough, and so is a parent that waits for one of its children.

use std::collections::{BTreeMap, VecDeque};

use super::Table;
use super::short_forms::EdgeKind;
use crate::bead::{Bead, Dependency};
use crate::rows::{Overlay, key};

/// Reverse dependencies: each bead's children, and the beads that wait for it.
#[derive(Debug, Clone, Default)]
pub(super) struct Links(pub(super) Overlay);

#[derive(Debug, Clone, Copy)]
pub(super) struct Link<'a> {
    pub(super) to: &'a str,
    kind: EdgeKind,
}

impl<'a> Link<'a> {
    pub(super) fn of(dependency: &'a Dependency) -> Option<Self> {
        let to = &dependency.depends_on_id;
        EdgeKind::of(dependency).map(|kind| Self { to, kind })
    }

    pub(super) fn is_part(self) -> bool {
        self.kind == EdgeKind::Parent
    }

    /// The key of the link's row. It includes the kind, since a bead may depend on another one in
    /// several ways.
    fn row(self, from: &str) -> Vec<u8> {
        let rows = match self.is_part() {
            true => key::CHILDREN,
            false => key::WAITERS,
        };
        let mut row = key::pair(rows, self.to, from);
        row.push(self.kind as u8);
        row
    }
}

impl Links {
    /// Records a dependency of `from`, unless it has no effect on the order of work.
    pub(super) fn link(&mut self, from: &str, dependency: &Dependency) {
        if let Some(link) = Link::of(dependency) {
            self.0.set(link.row(from), Some(Vec::new()));
        }
    }

    pub(super) fn unlink(&mut self, from: &str, dependency: &Dependency) {
        if let Some(link) = Link::of(dependency) {
            self.0.set(link.row(from), None);
        }
    }

    pub(super) fn children(&self, to: &str) -> impl Iterator<Item = &str> {
        self.others(key::CHILDREN, to)
    }

    /// Ids of the beads that depend on `to` but aren't its children. An id may occur several times.
    pub(super) fn waiters(&self, to: &str) -> impl Iterator<Item = &str> {
        self.others(key::WAITERS, to)
    }

    fn others(&self, rows: u8, to: &str) -> impl Iterator<Item = &str> {
        let start = key::pairs(rows, to);
        let rows = self.0.starting_with(&start);
        rows.filter_map(move |(key, _)| {
            let (_, from) = key.split_last()?.1.split_at_checked(start.len())?;
            std::str::from_utf8(from).ok()
        })
    }

    /// Describes the cycle that `dependency` would close if we added it to `from`, or returns
    /// `None` if there's none.
    pub(super) fn cycle(
        &self,
        beads: &Table<Bead>,
        from: &str,
        dependency: &Dependency,
    ) -> Option<Vec<String>> {
        let link = Link::of(dependency)?;
        let order = Order { beads, links: self };
        let (from, to) = (from.to_owned(), link.to.to_owned());
        // `from` can't begin before `to` is done, so look for a way in which `to` waits for `from`.
        if !link.is_part() {
            let way = order.way(Moment::Done(to), &Moment::Begin(from.clone()))?;
            let first = format!("`{from}` would begin after `{}` is done", link.to);
            return Some([vec![first], way].concat());
        }
        // A child waits for what its parent waits for, and a parent isn't done before its children.
        // So there are two ways to close a cycle.
        let begins = order.way(Moment::Begin(to.clone()), &Moment::Begin(from.clone()));
        let ends = || order.way(Moment::Done(from.clone()), &Moment::Done(to.clone()));
        let first = format!("`{from}` would be a part of `{to}`");
        begins.or_else(ends).map(|way| [vec![first], way].concat())
    }
}

/// A point in a bead's life, which other points may have to wait for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    Begin(String),
    Done(String),
}

/// Lists the moments right before and after each moment.
struct Order<'a> {
    beads: &'a Table<Bead>,
    links: &'a Links,
}

impl Order<'_> {
    /// Describes the path from `start` back to `goal`, which comes before `start` in the order.
    /// Returns `None` if there's no path.
    ///
    /// Two searches advance in turn, one from each end. A new bead has few neighbours on one side,
    /// so one of the two usually ends early, even in a large ledger.
    fn way(&self, start: Moment, goal: &Moment) -> Option<Vec<String>> {
        let mut there = Search::from(start);
        let mut back = Search::from(goal.clone());
        loop {
            let forth = there.next()?;
            if back.has(&forth) {
                return Some(describe(&there, &back, &forth));
            }
            for next in self.before(&forth) {
                there.add(next, &forth);
            }
            let found = back.next()?;
            if there.has(&found) {
                return Some(describe(&there, &back, &found));
            }
            for next in self.after(&found) {
                back.add(next, &found);
            }
        }
    }

    fn before(&self, moment: &Moment) -> Vec<Moment> {
        match moment {
            Moment::Begin(id) => {
                let head = self.beads.head(id);
                let edges = head.map(|head| head.edges).unwrap_or_default();
                let before = |edge: &super::Edge<'_>| match edge.kind {
                    EdgeKind::Parent => Moment::Begin(edge.to.to_owned()),
                    _ => Moment::Done(edge.to.to_owned()),
                };
                edges.iter().map(before).collect()
            }
            Moment::Done(id) => {
                let parts = self.links.children(id);
                let parts = parts.map(|part| Moment::Done(part.to_owned()));
                std::iter::once(Moment::Begin(id.clone()))
                    .chain(parts)
                    .collect()
            }
        }
    }

    fn after(&self, moment: &Moment) -> Vec<Moment> {
        match moment {
            Moment::Begin(id) => {
                let parts = self.links.children(id);
                std::iter::once(Moment::Done(id.clone()))
                    .chain(parts.map(|part| Moment::Begin(part.to_owned())))
                    .collect()
            }
            Moment::Done(id) => {
                let waiters = self.links.waiters(id);
                let head = self.beads.head(id);
                let parent = head.and_then(|head| head.parent().map(str::to_owned));
                waiters
                    .map(|waiter| Moment::Begin(waiter.to_owned()))
                    .chain(parent.map(Moment::Done))
                    .collect()
            }
        }
    }
}

/// Breadth-first search that records how it got to each moment, so that we can describe the path.
struct Search {
    came_from: BTreeMap<Moment, Option<Moment>>,
    waiting: VecDeque<Moment>,
}

impl Search {
    fn from(start: Moment) -> Self {
        Self {
            came_from: BTreeMap::from([(start.clone(), None)]),
            waiting: VecDeque::from([start]),
        }
    }

    fn next(&mut self) -> Option<Moment> {
        self.waiting.pop_front()
    }

    fn has(&self, moment: &Moment) -> bool {
        self.came_from.contains_key(moment)
    }

    fn add(&mut self, moment: Moment, from: &Moment) {
        if !self.has(&moment) {
            self.came_from.insert(moment.clone(), Some(from.clone()));
            self.waiting.push_back(moment);
        }
    }

    fn way(&self, end: &Moment) -> Vec<Moment> {
        let mut way = vec![end.clone()];
        while let Some(Some(from)) = way.last().and_then(|last| self.came_from.get(last)) {
            way.push(from.clone());
        }
        way.reverse();
        way
    }
}

fn describe(there: &Search, back: &Search, met: &Moment) -> Vec<String> {
    let mut way = there.way(met);
    way.extend(back.way(met).into_iter().rev().skip(1));
    let steps = way
        .windows(2)
        .filter_map(|pair| match (pair.first()?, pair.last()?) {
            (Moment::Begin(a), Moment::Done(b)) => {
                Some(format!("`{a}` begins after `{b}` is done"))
            }
            (Moment::Begin(a), Moment::Begin(b)) => Some(format!("`{a}` is a part of `{b}`")),
            (Moment::Done(a), Moment::Done(b)) => {
                Some(format!("`{a}` is done after its part `{b}`"))
            }
            (Moment::Done(_), Moment::Begin(_)) => None,
        });
    steps.collect()
}
