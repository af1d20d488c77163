//! Draft of a formula during cooking. It contains units of work, their nesting and their dependencies.
//!
//! A unit may contain others, as in a template in place of a step, a loop, or one iteration of a loop. Such a unit has
//! a start node and an end node. Its members wait for the start, and the end waits for its members. Dependents of the
//! unit depend on its end, and the needs of the unit become needs of its start, whatever it contains. Finally, `reduce`
//! removes starts, ends and skipped steps from the graph, all in the same way: each dependent of a removed node
//! inherits that node's needs. Therefore no edge is lost.

mod link;
mod reduce;
mod resolve;

use std::collections::BTreeMap;

pub(crate) use self::reduce::{Irreducible, Reduced};
pub(crate) use self::resolve::ByFinalId;
use super::{AcceptanceCriterion, CookedStep, FanOut, Gate, NeedKind, RunCondition, WaitMode};

/// Index of a unit.
pub(crate) type UnitId = usize;

/// Index of a scope.
pub(crate) type ScopeId = usize;

/// Byte range in one of the sources.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) source: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A step or a group of units.
#[derive(Debug)]
pub(crate) struct Unit {
    /// Name of the unit in the cooked formula.
    pub(crate) id: String,
    pub(crate) spot: Spot,
    /// The step, or `None` for a group.
    pub(crate) step: Option<Box<CookedStep>>,
    /// Reason for the needs that its members inherit from it.
    pub(crate) kind: NeedKind,
    pub(crate) members: Vec<UnitId>,
    /// Units that were woven in before it and after it.
    pub(crate) before: Vec<UnitId>,
    pub(crate) after: Vec<UnitId>,
    /// Unit that contains this one. `None` at the top level.
    pub(crate) within: Option<UnitId>,
    /// True if this is a member of the enclosing unit, false if it is woven around that unit.
    pub(crate) is_member: bool,
    /// Step that contains this one.
    pub(crate) container: Option<UnitId>,
    /// Condition that removes this unit.
    pub(crate) left_out: Option<String>,
    /// Start and end nodes. `core` excludes the units that are woven around this one, and `outer` includes them.
    core: [usize; 2],
    outer: [usize; 2],
}

/// Point of a unit to which links attach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Port {
    /// The start, before everything that is woven around the unit.
    Start,
    /// The end, after everything that is woven around the unit.
    End,
    /// The start of the unit itself.
    CoreStart,
    /// The end of the unit itself.
    CoreEnd,
}

/// A dependency: `from` waits for `to`.
#[derive(Debug, Clone, Copy)]
struct Link {
    from: (UnitId, Port),
    to: (UnitId, Port),
    kind: NeedKind,
    spot: Spot,
}

/// A dependency of `from` on every unit with the name `name` in `scope`. It is not resolved yet.
#[derive(Debug)]
struct Pending {
    from: UnitId,
    scope: ScopeId,
    name: String,
    kind: NeedKind,
    spot: Spot,
}

/// Names and the units that they refer to. Two steps may share a name if a condition removes one of them.
#[derive(Debug, Default)]
struct Scope {
    outer: Option<ScopeId>,
    names: BTreeMap<String, Vec<UnitId>>,
}

/// Property of a unit that applies to some of its steps. Which ones is known only after the graph has been reduced.
#[derive(Debug)]
pub(crate) struct Attached {
    pub(crate) unit: UnitId,
    pub(crate) what: What,
    pub(crate) spot: Spot,
    /// Scope in which to look up the names that the property mentions.
    pub(crate) scope: ScopeId,
    /// Unit that a condition calls `step`. `None` for a gate, which cannot refer to its own step.
    pub(crate) itself: Option<UnitId>,
}

/// The property that is attached.
#[derive(Debug)]
pub(crate) enum What {
    /// Gate in front of the unit's first steps.
    Gate(Gate),
    /// Condition that applies to all steps of the unit.
    RunIf {
        holds: bool,
        condition: RunCondition,
    },
    /// Condition that the unit's last steps must meet.
    MustHold(RunCondition),
    /// Acceptance criteria for the unit's last steps.
    Acceptance(Vec<AcceptanceCriterion>),
    /// Fan-out after the unit's last step. There must be exactly one such step.
    FanOut(FanOut),
    /// Name that the arguments of the unit's step refer to.
    Reference(String),
    /// Role of the step in the scope `of`.
    Scope {
        of: String,
        aborts: bool,
        cleans_up: bool,
    },
    /// The unit's first steps wait for the children of these steps. Without a name, they wait for the children of their
    /// needs.
    Waits { mode: WaitMode, of: Option<String> },
}

/// Draft of a formula during cooking.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) units: Vec<Unit>,
    /// Unit that each node belongs to.
    nodes: Vec<UnitId>,
    links: Vec<Link>,
    pending: Vec<Pending>,
    scopes: Vec<Scope>,
    pub(crate) attached: Vec<Attached>,
}

impl Draft {
    /// Creates a scope inside `outer`.
    pub(crate) fn scope(&mut self, outer: Option<ScopeId>) -> ScopeId {
        let names = BTreeMap::new();
        self.scopes.push(Scope { outer, names });
        self.scopes.len() - 1
    }

    /// Binds `name` to a unit. A name may have several units.
    pub(crate) fn name(&mut self, scope: ScopeId, name: &str, unit: UnitId) {
        let names = &mut self.scopes[scope].names;
        if let Some(units) = names.get_mut(name) {
            units.push(unit);
        } else {
            names.insert(name.to_owned(), vec![unit]);
        }
    }

    /// Makes the names of a scope visible in another scope, except for the name `except`. Returns the memory used,
    /// counting `beside` bytes per name in addition to its text.
    pub(crate) fn export(
        &mut self,
        scope: ScopeId,
        into: ScopeId,
        except: &str,
        beside: usize,
    ) -> usize {
        let names = self.scopes[scope].names.clone();
        let mut bytes = 0;
        for (name, units) in names.iter().filter(|(name, _)| *name != except) {
            for unit in units {
                self.name(into, name, *unit);
            }
            bytes += beside + name.len() + size_of_val(units.as_slice());
        }
        bytes
    }

    pub(crate) fn leaf(&mut self, step: CookedStep, spot: Spot) -> UnitId {
        let node = self.nodes.len();
        let id = step.id.clone();
        self.add(
            id,
            spot,
            Some(Box::new(step)),
            NeedKind::Needs,
            [node, node],
        )
    }

    pub(crate) fn group(&mut self, id: String, spot: Spot, kind: NeedKind) -> UnitId {
        let node = self.nodes.len();
        self.add(id, spot, None, kind, [node, node + 1])
    }

    fn add(
        &mut self,
        id: String,
        spot: Spot,
        step: Option<Box<CookedStep>>,
        kind: NeedKind,
        core: [usize; 2],
    ) -> UnitId {
        let unit = self.units.len();
        self.nodes.resize(core[1] + 1, unit);
        self.units.push(Unit {
            id,
            spot,
            step,
            kind,
            members: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            within: None,
            is_member: false,
            container: None,
            left_out: None,
            core,
            outer: core,
        });
        unit
    }

    /// Makes a unit a member of a group.
    pub(crate) fn put(&mut self, group: UnitId, member: UnitId) {
        self.units[group].members.push(member);
        self.units[member].within = Some(group);
        self.units[member].is_member = true;
    }

    /// Weaves other units around a unit: a sequence before it, a sequence after it, and some in parallel.
    pub(crate) fn weave(
        &mut self,
        unit: UnitId,
        [before, after, beside]: [Vec<UnitId>; 3],
        kind: NeedKind,
    ) {
        let spot = self.units[unit].spot;
        let this = &self.units[unit];
        if this.outer == this.core {
            let node = self.nodes.len();
            self.nodes.resize(node + 2, unit);
            self.units[unit].outer = [node, node + 1];
        }
        // Units that were woven in earlier stay closer to the unit.
        let mut inner = match self.units[unit].before.first() {
            None => (unit, Port::CoreStart),
            Some(first) => (*first, Port::Start),
        };
        for part in before.iter().rev() {
            self.link(inner, (*part, Port::End), kind, spot);
            inner = (*part, Port::Start);
        }
        self.link(inner, (unit, Port::Start), kind, spot);
        let mut inner = match self.units[unit].after.last() {
            None => (unit, Port::CoreEnd),
            Some(last) => (*last, Port::End),
        };
        for part in &after {
            self.link((*part, Port::Start), inner, kind, spot);
            inner = (*part, Port::End);
        }
        self.link((unit, Port::End), inner, kind, spot);
        for part in &beside {
            self.link((*part, Port::Start), (unit, Port::Start), kind, spot);
            self.link((unit, Port::End), (*part, Port::End), kind, spot);
        }
        for part in before.iter().chain(&after).chain(&beside) {
            self.units[*part].within = Some(unit);
        }
        self.units[unit].before.splice(0..0, before);
        self.units[unit]
            .after
            .extend(after.into_iter().chain(beside));
    }

    /// Makes one port of a unit wait for another.
    pub(crate) fn link(
        &mut self,
        from: (UnitId, Port),
        to: (UnitId, Port),
        kind: NeedKind,
        spot: Spot,
    ) {
        self.links.push(Link {
            from,
            to,
            kind,
            spot,
        });
    }

    /// Makes a unit wait for every unit with the name `name`.
    pub(crate) fn need(
        &mut self,
        from: UnitId,
        scope: ScopeId,
        name: String,
        kind: NeedKind,
        spot: Spot,
    ) {
        self.pending.push(Pending {
            from,
            scope,
            name,
            kind,
            spot,
        });
    }

    /// Iterates over a unit and the units that enclose it, innermost first.
    fn around(&self, unit: UnitId) -> impl Iterator<Item = UnitId> + '_ {
        std::iter::successors(Some(unit), |here| self.units[*here].within)
    }

    /// True if a unit is `ancestor` or is inside it.
    pub(crate) fn is_within(&self, unit: UnitId, ancestor: UnitId) -> bool {
        self.around(unit).any(|here| here == ancestor)
    }

    /// Returns the condition that removes a unit or one of the units that enclose it.
    pub(crate) fn removal_reason(&self, unit: UnitId) -> Option<&str> {
        self.around(unit)
            .find_map(|here| self.units[here].left_out.as_deref())
    }

    /// Returns the steps in document order.
    pub(crate) fn in_order(&self, top: UnitId) -> Vec<UnitId> {
        let mut ordered = Vec::with_capacity(self.units.len());
        // Each unit is pushed twice. The first time it is opened, and the second time its own step is placed after the
        // units before it.
        let mut stack = vec![(top, false)];
        while let Some((at, open)) = stack.pop() {
            let unit = &self.units[at];
            if open {
                if unit.step.is_some() {
                    ordered.push(at);
                }
                continue;
            }
            stack.extend(unit.after.iter().rev().map(|unit| (*unit, false)));
            stack.extend(unit.members.iter().rev().map(|unit| (*unit, false)));
            stack.push((at, true));
            stack.extend(unit.before.iter().rev().map(|unit| (*unit, false)));
        }
        ordered
    }
}
