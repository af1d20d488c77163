//! Converts links between units to edges between nodes. This includes the edges that connect the
//! members of groups to their starts and ends.

use super::{Draft, Port, Spot, UnitId};
use crate::NeedKind;

/// An edge to a node that must come first.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeEdge {
    pub(super) to: usize,
    pub(super) kind: NeedKind,
    pub(super) spot: Spot,
}

impl Draft {
    fn node(&self, (unit, port): (UnitId, Port)) -> usize {
        let unit = &self.units[unit];
        match port {
            Port::Start => unit.outer[0],
            Port::End => unit.outer[1],
            Port::CoreStart => unit.core[0],
            Port::CoreEnd => unit.core[1],
        }
    }

    /// Returns the edges of each node.
    pub(super) fn node_edges(&self) -> Vec<Vec<NodeEdge>> {
        let mut edges: Vec<Vec<NodeEdge>> = vec![Vec::new(); self.nodes.len()];
        for link in &self.links {
            edges[self.node(link.from)].push(NodeEdge {
                to: self.node(link.to),
                kind: link.kind,
                spot: link.spot,
            });
        }
        let (needs, needed) = self.linked_members();
        for (group, unit) in self.units.iter().enumerate() {
            if unit.step.is_some() {
                continue;
            }
            let mut add = |from: (UnitId, Port), to: (UnitId, Port), spot| {
                let (kind, to) = (unit.kind, self.node(to));
                edges[self.node(from)].push(NodeEdge { to, kind, spot });
            };
            let (start, end) = ((group, Port::CoreStart), (group, Port::CoreEnd));
            if unit.members.is_empty() {
                add(end, start, unit.spot);
            }
            for member in &unit.members {
                let spot = self.units[*member].spot;
                if !needs[*member] {
                    add((*member, Port::Start), start, spot);
                }
                if !needed[*member] {
                    add(end, (*member, Port::End), spot);
                }
            }
        }
        edges
    }

    /// Returns two flags for each unit: whether it needs another member of its group as a whole,
    /// and whether another member needs it. In the first case, its start needn't wait for the
    /// group's start. In the second, the group's end needn't wait for its end.
    fn linked_members(&self) -> (Vec<bool>, Vec<bool>) {
        let mut needs = vec![false; self.units.len()];
        let mut needed = needs.clone();
        for link in &self.links {
            let ((from, Port::Start), (to, Port::End)) = (link.from, link.to) else {
                continue;
            };
            let (left, right) = (&self.units[from], &self.units[to]);
            let together = left.is_member && right.is_member && left.within == right.within;
            if together && from != to {
                (needs[from], needed[to]) = (true, true);
            }
        }
        (needs, needed)
    }
}
