//! Short forms of beads and messages.
//!
//! Queries over all records would be slow if they had to parse every record. So each record has a
//! second row with the few fields that such queries need, in a compact encoding that borrows from
//! the row.

use serde::{Deserialize, Serialize};

use super::Record;
use crate::bead::{Bead, BeadStatus, Dependency, DependencyKind, IssueType};
use crate::event::{EventLine, Outcome};
use crate::{Stamp, mail::Message};

/// A bead's short form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BeadHead<'a> {
    /// Current status.
    pub status: BeadStatus,
    /// Set by another tool. It keeps the bead from being worked on.
    pub hold: Option<Hold>,
    /// From 0 (critical) to 4 (backlog).
    pub priority: u8,
    /// Type of work.
    pub issue_type: IssueType,
    /// See [`Bead::foreign_type`].
    #[serde(borrow)]
    pub foreign_type: Option<&'a str>,
    /// Time of creation, in microseconds.
    pub created: i64,
    /// Time of the last change, in microseconds.
    pub updated: i64,
    /// `None` while the bead is open.
    pub ending: Option<Outcome>,
    /// The actor that has the bead, if any.
    #[serde(borrow)]
    pub assignee: Option<&'a str>,
    #[serde(borrow)]
    pub labels: Vec<&'a str>,
    /// The dependencies that affect the order of work.
    #[serde(borrow)]
    pub edges: Vec<Edge<'a>>,
    /// Id of the event that created the bead.
    #[serde(borrow)]
    pub made_by: &'a str,
    /// Id of the event that last set the bead's status.
    #[serde(borrow)]
    pub status_by: &'a str,
    /// The actor that last set the bead's status.
    #[serde(borrow)]
    pub status_actor: &'a str,
    /// See [`BeadNote::is_ahead`].
    pub is_ahead: bool,
}

/// Reasons for not working on a bead that have nothing to do with its dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Hold {
    /// The bead was deleted.
    Deleted,
    /// A user marked the bead as blocked.
    Blocked,
    /// The bead is deferred until a time in microseconds. `None` means indefinitely.
    Deferred(Option<i64>),
    /// The bead is there for information only.
    Pinned,
}

/// A dependency that affects the order of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge<'a> {
    /// Condition the bead waits for, or the relation of the two.
    pub kind: EdgeKind,
    /// The other bead's id.
    pub to: &'a str,
}

/// Effects of a dependency on the order of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EdgeKind {
    /// Waits until the other bead is closed.
    Blocks,
    /// Waits until the other bead has failed.
    IfItFails,
    /// Waits until the other bead and all its children are closed.
    AllChildren,
    /// Waits until one child of the other bead is closed.
    AnyChild,
    /// Is a child of the other bead.
    Parent,
}

impl EdgeKind {
    /// The effect of `dependency`. `None` if it's mere information.
    #[must_use]
    pub fn of(dependency: &Dependency) -> Option<Self> {
        match dependency.kind {
            DependencyKind::Blocks => Some(Self::Blocks),
            DependencyKind::ConditionalBlocks => Some(Self::IfItFails),
            DependencyKind::WaitsFor if dependency.any_child_is_enough() => Some(Self::AnyChild),
            DependencyKind::WaitsFor => Some(Self::AllChildren),
            DependencyKind::ParentChild => Some(Self::Parent),
            DependencyKind::Other(_) => None,
        }
    }
}

/// Facts about a bead that its line in `issues.jsonl` doesn't have. They come from the events that
/// changed the bead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BeadNote {
    /// Id of the event that created the bead.
    pub made_by: String,
    /// Id of the event that last set the bead's status.
    pub status_by: String,
    /// The actor that last set the bead's status.
    pub status_actor: String,
    /// True if the clock that dated the last update was ahead of all others.
    pub is_ahead: bool,
}

impl BeadHead<'_> {
    pub(super) fn is_open(&self) -> bool {
        self.status != BeadStatus::Closed && self.hold != Some(Hold::Deleted)
    }

    /// See [`Bead::parent`].
    #[must_use]
    pub fn parent(&self) -> Option<&str> {
        let mut edges = self.edges.iter();
        edges
            .find(|edge| edge.kind == EdgeKind::Parent)
            .map(|edge| edge.to)
    }
}

pub(super) fn hold(bead: &Bead) -> Option<Hold> {
    let field = |name: &str| bead.rest.get(name);
    let until = || {
        let moment: Stamp = field("defer_until")?.as_str()?.parse().ok()?;
        Some(moment.micros())
    };
    let is_pinned = field("pinned").is_some_and(|pinned| pinned == true);
    match bead.foreign_status() {
        Some("tombstone") => Some(Hold::Deleted),
        Some("blocked") => Some(Hold::Blocked),
        Some("deferred") => Some(Hold::Deferred(until())),
        Some("pinned") => Some(Hold::Pinned),
        _ if is_pinned => Some(Hold::Pinned),
        _ => until().map(|until| Hold::Deferred(Some(until))),
    }
}

impl Record for Bead {
    const ROWS: u8 = crate::rows::key::BEADS;

    type Note = BeadNote;
    type Head<'a> = BeadHead<'a>;

    fn id(&self) -> &str {
        &self.id
    }

    fn head<'a>(&'a self, note: &'a BeadNote) -> BeadHead<'a> {
        let edge = |dependency: &'a Dependency| {
            let kind = EdgeKind::of(dependency)?;
            let to = dependency.depends_on_id.as_str();
            Some(Edge { kind, to })
        };
        BeadHead {
            status: self.status,
            hold: hold(self),
            priority: self.priority,
            issue_type: self.issue_type,
            foreign_type: self.foreign_type(),
            created: self.created_at.micros(),
            updated: self.updated_at.micros(),
            ending: self.ending(),
            assignee: self.assignee.as_deref(),
            labels: self.labels.iter().map(String::as_str).collect(),
            edges: self.dependencies.iter().filter_map(edge).collect(),
            made_by: &note.made_by,
            status_by: &note.status_by,
            status_actor: &note.status_actor,
            is_ahead: note.is_ahead,
        }
    }

    fn note(head: &BeadHead<'_>) -> BeadNote {
        BeadNote {
            made_by: head.made_by.to_owned(),
            status_by: head.status_by.to_owned(),
            status_actor: head.status_actor.to_owned(),
            is_ahead: head.is_ahead,
        }
    }
}

/// A message's short form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageHead<'a> {
    /// The sending actor.
    pub from: &'a str,
    /// The receiving actor.
    pub to: &'a str,
    /// True if the recipient has read it.
    pub is_read: bool,
    /// Time of sending, in microseconds.
    pub sent: i64,
    /// See [`MessageNote::order`].
    pub order: i64,
}

/// Facts about a message that its line doesn't have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MessageNote {
    /// Time by which the message's event is ordered, in microseconds.
    pub order: i64,
}

impl MessageNote {
    pub(super) fn of(event: &EventLine<'_>) -> Self {
        let order = event.key().timestamp().micros();
        Self { order }
    }
}

impl Record for Message {
    const ROWS: u8 = crate::rows::key::MESSAGES;

    type Note = MessageNote;
    type Head<'a> = MessageHead<'a>;

    fn id(&self) -> &str {
        &self.id
    }

    fn head<'a>(&'a self, note: &'a MessageNote) -> MessageHead<'a> {
        MessageHead {
            from: &self.from,
            to: &self.to,
            is_read: self.read_at.is_some(),
            sent: self.timestamp.micros(),
            order: note.order,
        }
    }

    fn note(head: &MessageHead<'_>) -> MessageNote {
        MessageNote { order: head.order }
    }
}
