//! Events of a playbook.

use windlass_base::{NextAction, Place};

use crate::Node;
use crate::playbook::{Event, Threads};

/// A playbook's events with their nodes.
pub(super) struct EventLog<'d> {
    pub(super) nodes: Vec<Node<'d>>,
    pub(super) threads: Threads<'d>,
    /// The document's name in suggested commands.
    pub(super) called: &'d str,
}

impl<'d> EventLog<'d> {
    /// Returns the location of an event's field `name`, or of the event if it doesn't have the
    /// field.
    pub(super) fn place(&self, event: &Event<'d>, name: &str) -> Option<Place> {
        let node = self.nodes.get(event.at)?;
        Some(node.get(name).unwrap_or(*node).place())
    }

    /// Returns a command for this document's playbook.
    pub(super) fn call(&self, what: &str) -> NextAction {
        let tool = format!("doc playbook {what}");
        NextAction::new(tool, "put it right").positional(self.called)
    }
}
