//! The draft of a formula during cooking: units of work, their nesting and their dependencies.
//!
//! A unit is either a step or a group of other units, such as a loop, or a template in place of a
//! step. A group has two nodes of its own: a start that all members wait for, and an end that waits
//! for all members. Dependents of the group wait for its end, and the group's needs become needs of
//! its start. This way, we can connect a group before it has any members, and never need to know
//! what's inside.
//!
//! In the end, `reduce` removes starts, ends and skipped steps from the graph. If `c` needs a
//! removed step `b`, and `b` needs `a`, then `c` ends up needing `a`. Since every removed node
//! passes on its needs like this, the order of the remaining steps is preserved.

mod link;
mod reduce;
mod resolve;

use std::collections::BTreeMap;

pub(crate) use self::reduce::{Irreducible, Reduced};
pub(crate) use self::resolve::ByFinalId;
use super::{AcceptanceCriterion, CookedStep, FanOut, Gate, NeedKind, RunCondition, WaitMode};

/// Index into [`Draft::units`].
pub(crate) type UnitId = usize;

/// Index into `Draft::scopes`.
pub(crate) type ScopeId = usize;

/// A byte range in one of the sources. `source` is an index into
/// [`Library`](super::library::Library).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) source: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

#[derive(Debug)]
pub(crate) struct Unit {
    /// The ID that the step will have in the cooked formula, e.g. `retry.iter2.build`.
    pub(crate) id: String,
    pub(crate) spot: Spot,
    /// `None` for a group.
    pub(crate) step: Option<Box<CookedStep>>,
    /// The kind of the edges between members and the group's start and end.
    pub(crate) kind: NeedKind,
    pub(crate) members: Vec<UnitId>,
    /// Units woven in, in execution order. `after` also contains the units in `beside` of
    /// [`Draft::weave`].
    pub(crate) before: Vec<UnitId>,
    pub(crate) after: Vec<UnitId>,
    /// The unit around this one: its container, or the unit it is woven around. `None` at the top
    /// level.
    pub(crate) within: Option<UnitId>,
    /// True for a member of `within`, false for a unit woven around it.
    pub(crate) is_member: bool,
    /// The step listing this one among its `children`.
    pub(crate) container: Option<UnitId>,
    /// The condition behind the removal of this unit, if it was removed.
    pub(crate) left_out: Option<String>,
    /// The start and end nodes, which are one and the same node for a step.
    ///
    /// The nodes in `outer` are only added once something is woven around the unit. The woven units
    /// are then inside of `outer`, but outside of `core`. Until that happens, the two are equal.
    core: [usize; 2],
    outer: [usize; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Port {
    /// Before everything woven around the unit.
    Start,
    /// After everything woven around the unit.
    End,
    /// The unit's own start, after everything woven in before it.
    CoreStart,
    /// The unit's own end, before everything woven in after it.
    CoreEnd,
}

/// An edge between units: `from` waits for `to`.
#[derive(Debug, Clone, Copy)]
struct Link {
    from: (UnitId, Port),
    to: (UnitId, Port),
    kind: NeedKind,
    spot: Spot,
}

/// A dependency with an unresolved name. `from` will wait for every unit called `name` in `scope`.
#[derive(Debug)]
struct Pending {
    from: UnitId,
    scope: ScopeId,
    name: String,
    kind: NeedKind,
    spot: Spot,
}

/// Names and their units. Two steps may share a name, as long as a condition removes one of them
/// (`finish` reports the others as duplicates).
#[derive(Debug, Default)]
struct Scope {
    outer: Option<ScopeId>,
    names: BTreeMap<String, Vec<UnitId>>,
}

/// A property for some of a unit's steps. The steps are only known once the graph has been reduced.
#[derive(Debug)]
pub(crate) struct Attached {
    pub(crate) unit: UnitId,
    pub(crate) what: What,
    pub(crate) spot: Spot,
    /// The scope for names in the property.
    pub(crate) scope: ScopeId,
    /// The unit called `step` in a condition, i.e. an iteration of a loop. Otherwise `None`: a step
    /// cannot look at its own result before it starts.
    pub(crate) itself: Option<UnitId>,
}

#[derive(Debug)]
pub(crate) enum What {
    /// A gate before the unit's first steps.
    Gate(Gate),
    /// A condition for all steps of the unit.
    RunIf {
        holds: bool,
        condition: RunCondition,
    },
    /// A condition for the unit's last steps.
    MustHold(RunCondition),
    /// Acceptance criteria for the unit's last steps.
    Acceptance(Vec<AcceptanceCriterion>),
    /// A fan-out for the unit's last step. The unit must have exactly one.
    FanOut(FanOut),
    /// A name in the arguments of the unit's step.
    Reference(String),
    /// The step's role in the scope called `of`.
    Scope {
        of: String,
        aborts: bool,
        cleans_up: bool,
    },
    /// Makes the unit's first steps wait for the children of the steps called `of`.
    ///
    /// `None` refers to a step among the unit's needs, chosen by [`finish`](crate::finish).
    Waits { mode: WaitMode, of: Option<String> },
}

#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) units: Vec<Unit>,
    /// Maps each node to its unit.
    nodes: Vec<UnitId>,
    links: Vec<Link>,
    pending: Vec<Pending>,
    scopes: Vec<Scope>,
    pub(crate) attached: Vec<Attached>,
}

impl Draft {
    pub(crate) fn scope(&mut self, outer: Option<ScopeId>) -> ScopeId {
        let names = BTreeMap::new();
        self.scopes.push(Scope { outer, names });
        self.scopes.len() - 1
    }

    pub(crate) fn name(&mut self, scope: ScopeId, name: &str, unit: UnitId) {
        let names = &mut self.scopes[scope].names;
        if let Some(units) = names.get_mut(name) {
            units.push(unit);
        } else {
            names.insert(name.to_owned(), vec![unit]);
        }
    }

    /// Makes the names of a scope, except for `except`, visible in another scope.
    ///
    /// Returns the memory used, so that the caller can count it towards the limit: the text of each
    /// name, plus `beside` bytes.
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

    pub(crate) fn put(&mut self, group: UnitId, member: UnitId) {
        self.units[group].members.push(member);
        self.units[member].within = Some(group);
        self.units[member].is_member = true;
    }

    /// Weaves other units around a unit: `before` and `after` run in sequence, `beside` in parallel
    /// to the unit.
    pub(crate) fn weave(
        &mut self,
        unit: UnitId,
        [before, after, beside]: [Vec<UnitId>; 3],
        kind: NeedKind,
    ) {
        let spot = self.units[unit].spot;
        let this = &self.units[unit];
        // Something is woven around the unit for the first time, so it needs outer nodes.
        if this.outer == this.core {
            let node = self.nodes.len();
            self.nodes.resize(node + 2, unit);
            self.units[unit].outer = [node, node + 1];
        }
        // Units woven in earlier stay closer to the unit, so the new ones go outside of those.
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
        // Units beside this one start when it does, and whatever waits for it also waits for them.
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

    /// Makes a unit wait for every unit called `name`.
    ///
    /// We only resolve the name later, because it may refer to a step further down in the document.
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

    /// Iterates over the unit and those around it, innermost first.
    fn around(&self, unit: UnitId) -> impl Iterator<Item = UnitId> + '_ {
        std::iter::successors(Some(unit), |here| self.units[*here].within)
    }

    pub(crate) fn is_within(&self, unit: UnitId, ancestor: UnitId) -> bool {
        self.around(unit).any(|here| here == ancestor)
    }

    /// Returns the condition that removed the unit or one of the units around it.
    pub(crate) fn removal_reason(&self, unit: UnitId) -> Option<&str> {
        self.around(unit)
            .find_map(|here| self.units[here].left_out.as_deref())
    }

    /// All steps inside `top`, in document order.
    pub(crate) fn in_order(&self, top: UnitId) -> Vec<UnitId> {
        let mut ordered = Vec::with_capacity(self.units.len());
        // We push each unit twice. The first time we see it, we push its parts. When it comes up
        // again, all units before it are done, so its own step is next.
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
