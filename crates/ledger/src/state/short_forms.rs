//! Short forms of beads and messages, with the fields needed by queries over all records.

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
    /// A hold set by another tool, which keeps the bead from being worked on.
    pub hold: Option<Hold>,
    /// Priority from 0 to 4.
    pub priority: u8,
    /// Type of work.
    pub issue_type: IssueType,
    /// Another tool's type, if it has no equivalent here.
    #[serde(borrow)]
    pub foreign_type: Option<&'a str>,
    /// Time of creation, in microseconds.
    pub created: i64,
    /// Time of the last change, in microseconds.
    pub updated: i64,
    /// Outcome; absent while the bead is open.
    pub ending: Option<Outcome>,
    /// The actor the bead is assigned to.
    #[serde(borrow)]
    pub assignee: Option<&'a str>,
    /// Labels, as stored.
    #[serde(borrow)]
    pub labels: Vec<&'a str>,
    /// Dependencies affecting the order of work.
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

/// Reasons for not working on a bead, apart from its dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Hold {
    /// The bead was deleted.
    Deleted,
    /// The bead was marked as blocked by hand.
    Blocked,
    /// The bead is deferred until a time in microseconds, or indefinitely.
    Deferred(Option<i64>),
    /// The bead is pinned for information and isn't work.
    Pinned,
}

/// A dependency affecting the order of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge<'a> {
    /// Effect of the dependency.
    pub kind: EdgeKind,
    /// The other bead's id.
    pub to: &'a str,
}

/// Effects of dependencies on the order of work.
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
    /// Returns the effect of `dependency` on the order of work, or `None` if it has none.
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

/// Data about a bead that isn't part of its line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BeadNote {
    /// Id of the event that created the bead.
    pub made_by: String,
    /// Id of the event that last set the bead's status.
    pub status_by: String,
    /// The actor that last set the bead's status.
    pub status_actor: String,
    /// True if the clock behind its last update was ahead of all others.
    pub is_ahead: bool,
}

impl BeadHead<'_> {
    /// True if the bead is neither closed nor deleted.
    pub(super) fn is_open(&self) -> bool {
        self.status != BeadStatus::Closed && self.hold != Some(Hold::Deleted)
    }

    /// Returns the id of the parent bead.
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

/// A message's short form, with the most used fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageHead<'a> {
    /// The sender's name.
    pub from: &'a str,
    /// The recipient's name.
    pub to: &'a str,
    /// True if the recipient has read it.
    pub is_read: bool,
    /// Time of sending, in microseconds.
    pub sent: i64,
    /// See [`MessageNote::order`].
    pub order: i64,
}

/// Data about a message that isn't part of its line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MessageNote {
    /// The message's position in the order of all events, in microseconds.
    pub order: i64,
}

impl MessageNote {
    /// Returns the note for a message created by `event`.
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
