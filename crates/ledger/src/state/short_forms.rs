//! What is asked of all beads at once: which are ready, who waits for whom.

use serde::{Deserialize, Serialize};

use super::Record;
use crate::bead::{Bead, BeadStatus, Dependency, DependencyKind, IssueType};
use crate::event::{EventLine, Outcome};
use crate::{Stamp, mail::Message};

/// The short form of a bead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BeadHead<'a> {
    /// Where it stands.
    pub status: BeadStatus,
    /// What keeps it from being worked on, by what another tool said.
    pub hold: Option<Hold>,
    /// 0 to 4.
    pub priority: u8,
    /// What sort of work it is.
    pub issue_type: IssueType,
    /// The type another tool gave it.
    #[serde(borrow)]
    pub foreign_type: Option<&'a str>,
    /// In microseconds.
    pub created: i64,
    /// In microseconds.
    pub updated: i64,
    /// How it ended.
    pub ending: Option<Outcome>,
    /// Who it is for.
    #[serde(borrow)]
    pub assignee: Option<&'a str>,
    /// Its labels.
    #[serde(borrow)]
    pub labels: Vec<&'a str>,
    /// What it waits for, or is a part of.
    #[serde(borrow)]
    pub edges: Vec<Edge<'a>>,
    /// The event that made it.
    #[serde(borrow)]
    pub made_by: &'a str,
    /// The event that brought it to where it stands.
    #[serde(borrow)]
    pub status_by: &'a str,
    /// The actor of that event.
    #[serde(borrow)]
    pub status_actor: &'a str,
    /// See [`BeadNote::is_ahead`].
    pub is_ahead: bool,
}

/// That it is not to be worked on, though nothing is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Hold {
    /// It was deleted.
    Deleted,
    /// It was said to be blocked, by hand.
    Blocked,
    /// It was put off, until a moment (microseconds) or for good.
    Deferred(Option<i64>),
    /// It is there to be seen, not to be worked on.
    Pinned,
}

/// A dependency that matters for the order of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge<'a> {
    /// In which way.
    pub kind: EdgeKind,
    /// What it depends on.
    pub to: &'a str,
}

/// In which way one waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EdgeKind {
    /// Until it is closed.
    Blocks,
    /// Until it fails.
    IfItFails,
    /// Until it and all its children are closed.
    AllChildren,
    /// Until one of its children is closed.
    AnyChild,
    /// It is a part of it.
    Parent,
}

impl EdgeKind {
    /// How `dependency` is waited for; nothing where it is not.
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

/// What is known of a bead that its line does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BeadNote {
    /// The event that made it.
    pub made_by: String,
    /// The event that brought it to where it stands.
    pub status_by: String,
    /// The actor of that event.
    pub status_actor: String,
    /// True if it was last updated by a clock that is ahead of all others.
    pub is_ahead: bool,
}

impl BeadHead<'_> {
    /// The bead it is a part of.
    #[must_use]
    pub fn parent(&self) -> Option<&str> {
        let mut edges = self.edges.iter();
        edges
            .find(|edge| edge.kind == EdgeKind::Parent)
            .map(|edge| edge.to)
    }
}

fn hold(bead: &Bead) -> Option<Hold> {
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

/// The short form of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageHead<'a> {
    /// Who sent it.
    pub from: &'a str,
    /// Who is to get it.
    pub to: &'a str,
    /// Whether it was read.
    pub is_read: bool,
    /// When it was sent, in microseconds.
    pub sent: i64,
    /// See [`MessageNote::order`].
    pub order: i64,
}

/// Facts about a message that its line does not hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MessageNote {
    /// Its place in the order of all events, in microseconds.
    pub order: i64,
}

impl MessageNote {
    /// Those of a message that `event` made.
    pub(super) fn of(event: &EventLine<'_>) -> Self {
        let order = event.key().timestamp().micros();
        Self { order }
    }
}

impl Record for Message {
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
