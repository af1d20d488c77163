//! Which beads can be worked on now, and what the others wait for.

use std::collections::BTreeMap;

use serde::Serialize;

use super::elsewhere::{Elsewhere, NOWHERE};
use super::head::EdgeKind;
use super::{BeadHead, Hold, State, Table};
use crate::Stamp;
use crate::bead::{Bead, BeadStatus, IssueType};
use crate::event::Outcome;

/// Types of other tools that are no work for anybody to take.
const NO_WORK: [&str; 7] = [
    "gate", "molecule", "message", "agent", "role", "rig", "event",
];

/// Which beads are asked for.
#[derive(Debug, Clone, Default)]
pub struct WorkFilter {
    /// Of these statuses; of all but `closed` where none is named.
    pub statuses: Vec<BeadStatus>,
    /// Also closed ones.
    pub all: bool,
    /// Of this type, ours or another tool's.
    pub issue_type: Option<String>,
    /// Of these priorities.
    pub priorities: Vec<u8>,
    /// For this one.
    pub assignee: Option<String>,
    /// For nobody.
    pub unassigned: bool,
    /// With all of these labels.
    pub labels: Vec<String>,
    /// Below this one, at any depth.
    pub under: Option<String>,
}

/// Why a bead cannot be begun.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Reason {
    /// It waits until another is closed.
    WaitsFor {
        /// The other.
        id: String,
        /// Where that stands.
        status: &'static str,
    },
    /// It waits for one that is not in this ledger.
    Missing {
        /// The other.
        id: String,
    },
    /// It begins only if another fails, which is not known yet.
    WaitsForFailure {
        /// The other.
        id: String,
    },
    /// It would have begun if another had failed, which it did not: it never will.
    DidNotFail {
        /// The other.
        id: String,
    },
    /// It waits for the children of another.
    WaitsForChildren {
        /// The other.
        id: String,
        /// How many are open.
        open: usize,
        /// How many there are.
        children: usize,
        /// Whether the other is closed, so that no more of them come.
        closed: bool,
    },
    /// What it is a part of is blocked.
    PartOfBlocked {
        /// What it is a part of.
        id: String,
    },
    /// It was put off.
    Deferred {
        /// Until when; for good if not given.
        until: Option<Stamp>,
    },
    /// It was said to be blocked, without a bead it waits for.
    SaidToBe,
    /// It is pinned, to be seen and not to be worked on.
    Pinned,
}

/// A bead that cannot be begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// Its id.
    pub id: String,
    /// Why not.
    pub reasons: Vec<Reason>,
}

/// Beads that were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picked {
    /// The ids of the first of them, in order.
    pub ids: Vec<String>,
    /// How many there are.
    pub total: usize,
}

/// All beads in short, with who is part of whom.
struct Board<'a> {
    /// Sorted by id.
    beads: Vec<(&'a str, BeadHead<'a>)>,
    /// Of each, its parts.
    parts: Vec<Vec<usize>>,
    now: Stamp,
    elsewhere: &'a Elsewhere,
}

impl State {
    /// The beads that can be worked on, the most important first, the oldest of these first; `most` of them are named.
    #[must_use]
    pub fn ready(
        &self,
        filter: &WorkFilter,
        now: Stamp,
        elsewhere: &Elsewhere,
        most: usize,
    ) -> Picked {
        let board = Board::of(self, now, elsewhere);
        let reasons = board.reasons();
        let is_free = |at: usize| {
            let (_, head) = &board.beads[at];
            let open_parts = || board.parts[at].iter().any(|part| board.is_open(*part));
            let is_asked = || filter.issue_type.is_some();
            head.status == BeadStatus::Open
                && head.hold != Some(Hold::Deleted)
                && reasons[at].is_empty()
                && (is_asked()
                    || !head
                        .foreign_type
                        .is_some_and(|kind| NO_WORK.contains(&kind))
                        && head.issue_type != IssueType::MergeRequest)
                && !(head.issue_type == IssueType::Epic && open_parts())
        };
        let free = (0..board.beads.len()).filter(|at| is_free(*at) && board.is_wanted(*at, filter));
        board.picked(free.collect(), most)
    }

    /// The beads that are not closed and cannot be begun, with all reasons.
    #[must_use]
    pub fn blocked(&self, filter: &WorkFilter, now: Stamp, elsewhere: &Elsewhere) -> Vec<Blocked> {
        let board = Board::of(self, now, elsewhere);
        let mut reasons = board.reasons();
        let stuck = (0..board.beads.len()).filter(|at| {
            board.is_open(*at) && !reasons[*at].is_empty() && board.is_wanted(*at, filter)
        });
        let mut stuck: Vec<usize> = stuck.collect();
        stuck.sort_by_key(|at| board.order(*at));
        let blocked = stuck.into_iter().map(|at| Blocked {
            id: board.beads[at].0.to_owned(),
            reasons: std::mem::take(&mut reasons[at]),
        });
        blocked.collect()
    }

    /// Why `id` cannot be begun; nothing where it can.
    #[must_use]
    pub fn reasons(&self, id: &str, now: Stamp, elsewhere: &Elsewhere) -> Vec<Reason> {
        let board = Board::around(self, id, now, elsewhere);
        let board = board.unwrap_or_else(|| Board::of(self, now, elsewhere));
        let at = board.position(id);
        at.map(|at| board.reasons().swap_remove(at))
            .unwrap_or_default()
    }

    /// The beads that `filter` asks for, in the same order; `most` of them are named.
    #[must_use]
    pub fn list(&self, filter: &WorkFilter, most: usize) -> Picked {
        Board::of(self, Stamp::default(), &NOWHERE).list(filter, most, |_| true)
    }

    /// As [`State::list`], of those in which `text` stands: in their id, title, description, labels, or any other field that
    /// is a text. Large and small letters are the same.
    #[must_use]
    pub fn search(&self, text: &str, filter: &WorkFilter, most: usize) -> Picked {
        let having = having(&self.beads, text);
        let board = match &filter.under {
            // What they are a part of decides.
            Some(_) => Board::of(self, Stamp::default(), &NOWHERE),
            None => Board::with(
                having
                    .iter()
                    .map(|(id, head)| (*id, head.clone()))
                    .collect(),
                Stamp::default(),
                &NOWHERE,
            ),
        };
        board.list(filter, most, |id| having.contains_key(id))
    }
}

/// The beads in which `text` stands, in short.
fn having<'a>(beads: &'a Table<Bead>, text: &str) -> BTreeMap<&'a str, BeadHead<'a>> {
    let wanted = text.to_lowercase();
    let found = beads.mentioning(&wanted).into_iter();
    let found = found.filter(|(_, found)| found.record().is_some_and(|bead| bead.has(&wanted)));
    found
        .filter_map(|(id, found)| Some((id, found.head()?)))
        .collect()
}

impl Board<'_> {
    /// Those that `filter` and `is_among` take.
    fn list(&self, filter: &WorkFilter, most: usize, is_among: impl Fn(&str) -> bool) -> Picked {
        let board = self;
        let is_meant = |at: &usize| {
            let (id, head) = &board.beads[*at];
            let status = match filter.statuses.as_slice() {
                [] => filter.all || head.status != BeadStatus::Closed,
                some => some.contains(&head.status),
            };
            status
                && is_among(id)
                && (filter.all || head.hold != Some(Hold::Deleted))
                && board.is_wanted(*at, filter)
        };
        board.picked((0..board.beads.len()).filter(is_meant).collect(), most)
    }
}

impl<'a> Board<'a> {
    fn of(state: &'a State, now: Stamp, elsewhere: &'a Elsewhere) -> Self {
        let beads = state.beads.iter();
        let beads = beads.filter_map(|(id, found)| Some((id, found.head()?)));
        Self::with(beads.collect(), now, elsewhere)
    }

    /// Only what decides whether `id` can be begun: what it is a part of, and what these depend on. Nothing where others'
    /// children count as well: then all beads have to be looked at.
    fn around(state: &'a State, id: &str, now: Stamp, elsewhere: &'a Elsewhere) -> Option<Self> {
        let mut beads = BTreeMap::new();
        let mut next = Some(id.to_owned());
        while let Some(id) = next.take() {
            let (id, found) = state.beads.entry(&id)?;
            let head = found.head()?;
            for edge in &head.edges {
                match edge.kind {
                    EdgeKind::AllChildren | EdgeKind::AnyChild => return None,
                    // With a second whole, or in a circle, they are looked at all together.
                    EdgeKind::Parent if next.is_some() || beads.contains_key(edge.to) => {
                        return None;
                    }
                    EdgeKind::Parent => next = Some(edge.to.to_owned()),
                    EdgeKind::Blocks | EdgeKind::IfItFails => {
                        if let Some((other, found)) = state.beads.entry(edge.to) {
                            beads.entry(other).or_insert(found.head()?);
                        }
                    }
                }
            }
            beads.insert(id, head);
            next = next.filter(|parent| state.beads.contains(parent));
        }
        Some(Self::with(beads.into_iter().collect(), now, elsewhere))
    }

    /// `beads`, sorted by id, with who is part of whom.
    fn with(beads: Vec<(&'a str, BeadHead<'a>)>, now: Stamp, elsewhere: &'a Elsewhere) -> Self {
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

    fn position(&self, id: &str) -> Option<usize> {
        self.beads
            .binary_search_by(|(known, _)| (*known).cmp(id))
            .ok()
    }

    fn is_open(&self, at: usize) -> bool {
        let head = &self.beads[at].1;
        head.status != BeadStatus::Closed && head.hold != Some(Hold::Deleted)
    }

    /// Of each bead, why it cannot be begun.
    fn reasons(&self) -> Vec<Vec<Reason>> {
        let mut reasons: Vec<Vec<Reason>> = (0..self.beads.len())
            .map(|at| match self.is_open(at) {
                true => self.own_reasons(at),
                false => Vec::new(),
            })
            .collect();
        // What keeps the whole keeps its parts, down to the last.
        let mut stuck: Vec<usize> = (0..reasons.len())
            .filter(|at| !reasons[*at].is_empty() && self.is_open(*at))
            .collect();
        let mut passed_on = vec![false; reasons.len()];
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

    /// The same where `to` is not in this ledger. Who has children there cannot be told.
    fn reason_elsewhere(&self, kind: EdgeKind, to: &str) -> Option<Reason> {
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

    /// What keeps a bead that depends on `to` from being begun.
    fn reason(&self, kind: EdgeKind, to: &str) -> Option<Reason> {
        let id = to.to_owned();
        let Some(at) = self.position(to) else {
            return self.reason_elsewhere(kind, to);
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
                // As long as it is open more children may come: to have none yet says nothing.
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

    fn is_wanted(&self, at: usize, filter: &WorkFilter) -> bool {
        let (_, head) = &self.beads[at];
        let is_type = |wanted: &String| match head.foreign_type {
            Some(foreign) => foreign == wanted,
            None => head.issue_type.as_str() == wanted,
        };
        filter.issue_type.as_ref().is_none_or(is_type)
            && (filter.priorities.is_empty() || filter.priorities.contains(&head.priority))
            && filter
                .assignee
                .as_ref()
                .is_none_or(|wanted| head.assignee == Some(wanted))
            && !(filter.unassigned && head.assignee.is_some())
            && filter
                .labels
                .iter()
                .all(|label| head.labels.contains(&label.as_str()))
            && filter
                .under
                .as_ref()
                .is_none_or(|wanted| self.is_under(at, wanted))
    }

    fn is_under(&self, at: usize, wanted: &str) -> bool {
        let mut head = &self.beads[at].1;
        // Imported beads may be parts of each other in a circle.
        for _ in 0..self.beads.len() {
            let Some(parent) = head.parent() else {
                return false;
            };
            if parent == wanted {
                return true;
            }
            let Some(at) = self.position(parent) else {
                return false;
            };
            head = &self.beads[at].1;
        }
        false
    }

    /// What comes first: the most important, the oldest.
    fn order(&self, at: usize) -> (u8, i64, &str) {
        let (id, head) = &self.beads[at];
        (head.priority, head.created, id)
    }

    /// `some`, of which the first `most` are named.
    fn picked(&self, mut some: Vec<usize>, most: usize) -> Picked {
        let total = some.len();
        // Nobody sees the order of what is not named.
        if most < total {
            some.select_nth_unstable_by_key(most, |at| self.order(*at));
            some.truncate(most);
        }
        some.sort_by_key(|at| self.order(*at));
        let ids = some.iter().map(|at| self.beads[*at].0.to_owned());
        Picked {
            ids: ids.collect(),
            total,
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
