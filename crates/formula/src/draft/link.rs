//! Converts links between units to edges between nodes, and connects the members of a group to its
//! start and end.

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
            // Dependents of an empty group still have to wait for its needs.
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

    /// Returns two flags per unit: true if the unit needs a whole other member of its group, and
    /// true if another member needs the unit.
    ///
    /// With the first flag, the unit comes after the start of the group anyway, so we can do
    /// without an edge to it. The same goes for the second flag and the end of the group. In a long
    /// chain of steps, this saves most of the edges.
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
