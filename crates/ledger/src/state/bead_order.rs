//! Order of beads: forward and reverse dependencies, and the detection of cycles.
//!
//! A bead can begin once its blockers are done and its parent can begin. It is done once it has begun and its children
//! are done. A cycle in this order means work that can never begin, even if no bead blocks itself directly. Examples
//! are a child that waits for its parent, and a parent that waits for one of its children.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::short_forms::EdgeKind;
use super::{BeadHead, Found, Table};
use crate::bead::{Bead, Dependency};

/// Reverse dependencies. They are computed on first use, since few commands need them.
#[derive(Debug, Clone, Default)]
pub(super) struct Links(Option<WaysBack>);

/// The dependents and the children of each bead.
#[derive(Debug, Clone, Default)]
struct WaysBack {
    waiters: BTreeMap<String, BTreeSet<String>>,
    parts: BTreeMap<String, BTreeSet<String>>,
}

/// A dependency that affects the order of work.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link<'a> {
    to: &'a str,
    is_part: bool,
}

impl<'a> Link<'a> {
    pub(super) fn of(dependency: &'a Dependency) -> Option<Self> {
        EdgeKind::of(dependency).map(|kind| Self {
            to: &dependency.depends_on_id,
            is_part: kind == EdgeKind::Parent,
        })
    }
}

impl Links {
    /// Records a dependency of the bead `from`.
    pub(super) fn link(&mut self, from: &str, dependency: &Dependency) {
        if let (Some(ways), Some(link)) = (&mut self.0, Link::of(dependency)) {
            ways.add(from, link);
        }
    }

    /// Removes a dependency of the bead `from`.
    pub(super) fn unlink(&mut self, from: &str, dependency: &Dependency) {
        if let (Some(ways), Some(link)) = (&mut self.0, Link::of(dependency)) {
            ways.remove(from, link);
        }
    }

    /// Describes the cycle that adding `dependency` to `from` would close. Returns `None` if it would close none.
    pub(super) fn cycle(
        &mut self,
        beads: &Table<Bead>,
        from: &str,
        dependency: &Dependency,
    ) -> Option<Vec<String>> {
        let link = Link::of(dependency)?;
        let ways = self.0.get_or_insert_with(|| WaysBack::of(beads));
        let order = Order { beads, ways };
        let (from, to) = (from.to_owned(), link.to.to_owned());
        if !link.is_part {
            let way = order.way(Moment::Done(to), &Moment::Begin(from.clone()))?;
            let first = format!("`{from}` would begin after `{}` is done", link.to);
            return Some([vec![first], way].concat());
        }
        let begins = order.way(Moment::Begin(to.clone()), &Moment::Begin(from.clone()));
        let ends = || order.way(Moment::Done(from.clone()), &Moment::Done(to.clone()));
        let first = format!("`{from}` would be a part of `{to}`");
        begins.or_else(ends).map(|way| [vec![first], way].concat())
    }
}

impl WaysBack {
    fn of(beads: &Table<Bead>) -> Self {
        let mut links = Self::default();
        for (id, found) in beads.iter() {
            for edge in found.head().map(|head| head.edges).unwrap_or_default() {
                let is_part = edge.kind == EdgeKind::Parent;
                links.add(
                    id,
                    Link {
                        to: edge.to,
                        is_part,
                    },
                );
            }
        }
        links
    }

    fn way_back(&mut self, is_part: bool) -> &mut BTreeMap<String, BTreeSet<String>> {
        match is_part {
            true => &mut self.parts,
            false => &mut self.waiters,
        }
    }

    fn add(&mut self, from: &str, link: Link<'_>) {
        let all = self.way_back(link.is_part);
        match all.get_mut(link.to) {
            Some(known) => {
                known.insert(from.to_owned());
            }
            None => {
                all.insert(link.to.to_owned(), BTreeSet::from([from.to_owned()]));
            }
        }
    }

    fn remove(&mut self, from: &str, link: Link<'_>) {
        if let Some(known) = self.way_back(link.is_part).get_mut(link.to) {
            known.remove(from);
        }
    }
}

/// A point in the life of a bead, which other points may depend on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    Begin(String),
    Done(String),
}

/// Order of moments. It lists the moments before and after each moment.
struct Order<'a> {
    beads: &'a Table<Bead>,
    ways: &'a WaysBack,
}

impl Order<'_> {
    /// Describes the path from `start` back to `goal`. `goal` must come before `start` in the order.
    ///
    /// Searches from both ends in turn. A new bead has few neighbours on one side, so one of the searches ends early.
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

    /// Returns the moments that must come before `moment`.
    fn before(&self, moment: &Moment) -> Vec<Moment> {
        match moment {
            Moment::Begin(id) => {
                let found = self.beads.find(id);
                let head: Option<BeadHead<'_>> = found.as_ref().and_then(Found::head);
                let edges = head.map(|head| head.edges).unwrap_or_default();
                let before = |edge: &super::Edge<'_>| match edge.kind {
                    EdgeKind::Parent => Moment::Begin(edge.to.to_owned()),
                    _ => Moment::Done(edge.to.to_owned()),
                };
                edges.iter().map(before).collect()
            }
            Moment::Done(id) => {
                let parts = self.ways.parts.get(id).into_iter();
                let parts = parts.flatten().cloned().map(Moment::Done);
                std::iter::once(Moment::Begin(id.clone()))
                    .chain(parts)
                    .collect()
            }
        }
    }

    /// Returns the moments that must come after `moment`.
    fn after(&self, moment: &Moment) -> Vec<Moment> {
        match moment {
            Moment::Begin(id) => {
                let parts = self.ways.parts.get(id).into_iter().flatten().cloned();
                std::iter::once(Moment::Done(id.clone()))
                    .chain(parts.map(Moment::Begin))
                    .collect()
            }
            Moment::Done(id) => {
                let waiters = self.ways.waiters.get(id).into_iter().flatten().cloned();
                let found = self.beads.find(id);
                let head = found.as_ref().and_then(Found::head);
                let parent = head.and_then(|head| head.parent().map(str::to_owned));
                waiters
                    .map(Moment::Begin)
                    .chain(parent.map(Moment::Done))
                    .collect()
            }
        }
    }
}

/// Breadth-first search that records the predecessor of each moment found.
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

    /// Returns the path from the start to `end`.
    fn way(&self, end: &Moment) -> Vec<Moment> {
        let mut way = vec![end.clone()];
        while let Some(Some(from)) = way.last().and_then(|last| self.came_from.get(last)) {
            way.push(from.clone());
        }
        way.reverse();
        way
    }
}

/// Describes the path that leads through `met`, the moment at which the two searches met.
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
