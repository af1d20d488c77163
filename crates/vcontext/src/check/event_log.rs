//! Keeps the parsed events of a playbook, so that several checks can share them.

use windlass_base::Place;

use crate::Node;
use crate::playbook::{Event, Threads};

pub(super) struct EventLog<'d> {
    pub(super) nodes: Vec<Node<'d>>,
    pub(super) threads: Threads<'d>,
}

impl<'d> EventLog<'d> {
    /// Returns the place of an event's field, or of the whole event if it does not have the field.
    pub(super) fn place(&self, event: &Event<'d>, name: &str) -> Option<Place> {
        let node = self.nodes.get(event.at)?;
        Some(node.get(name).unwrap_or(*node).place())
    }
}
