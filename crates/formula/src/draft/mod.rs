//! Draft of a formula during cooking, with its units of work, their nesting and their dependencies.
//!
//! A unit may contain others: a template in place of a step, a loop, or an iteration of a loop.
//! Such a unit has a start node and an end node. Its members wait for the start, and the end waits
//! for its members. Dependents of the unit depend on its end, and whatever the unit needs becomes a
//! need of its start. So we can connect a unit without knowing its contents.
//!
//! Finally, `reduce` removes starts, ends and skipped steps from the graph. All of them are treated
//! alike: each dependent of a removed node inherits that node's needs. Say `c` needs a removed step
//! `b`, which needs `a`: then `c` ends up needing `a`. That way, no edge gets lost.

mod link;
mod reduce;
mod resolve;

use std::collections::BTreeMap;

pub(crate) use self::reduce::{Irreducible, Reduced};
pub(crate) use self::resolve::ByFinalId;
use super::{AcceptanceCriterion, CookedStep, FanOut, Gate, NeedKind, RunCondition, WaitMode};

/// A unit's index.
pub(crate) type UnitId = usize;

/// A scope's index.
pub(crate) type ScopeId = usize;

/// A byte range in one of the sources.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) source: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A step or a group of units.
#[derive(Debug)]
pub(crate) struct Unit {
    /// The unit's name in the cooked formula.
    pub(crate) id: String,
    pub(crate) spot: Spot,
    /// The step, or `None` for a group.
    pub(crate) step: Option<Box<CookedStep>>,
    /// The reason for the needs its members inherit from it.
    pub(crate) kind: NeedKind,
    pub(crate) members: Vec<UnitId>,
    /// Units woven in before and after this one.
    pub(crate) before: Vec<UnitId>,
    pub(crate) after: Vec<UnitId>,
    /// The unit that contains this one, or `None` at the top level.
    pub(crate) within: Option<UnitId>,
    /// True for a member of the enclosing unit, and false for a unit woven around it.
    pub(crate) is_member: bool,
    /// The step that contains this one.
    pub(crate) container: Option<UnitId>,
    /// The condition that removes this unit.
    pub(crate) left_out: Option<String>,
    /// Start and end nodes. `outer` includes the units woven around this one, and `core` excludes
    /// them.
    core: [usize; 2],
    outer: [usize; 2],
}

/// The points of a unit that links attach to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Port {
    /// The start, before everything woven around the unit.
    Start,
    /// The end, after everything woven around the unit.
    End,
    /// The unit's own start.
    CoreStart,
    /// The unit's own end.
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

/// An unresolved dependency of `from` on every unit called `name` in `scope`.
#[derive(Debug)]
struct Pending {
    from: UnitId,
    scope: ScopeId,
    name: String,
    kind: NeedKind,
    spot: Spot,
}

/// Names, with the units they refer to. Two steps may share a name if a condition removes one of
/// them.
#[derive(Debug, Default)]
struct Scope {
    outer: Option<ScopeId>,
    names: BTreeMap<String, Vec<UnitId>>,
}

/// A property of a unit that applies to some of its steps. Which ones is only known once the graph
/// has been reduced.
#[derive(Debug)]
pub(crate) struct Attached {
    pub(crate) unit: UnitId,
    pub(crate) what: What,
    pub(crate) spot: Spot,
    /// The scope in which to look up names mentioned by the property.
    pub(crate) scope: ScopeId,
    /// The unit that a condition calls `step`. It's `None` for a gate, which can't refer to its own
    /// step.
    pub(crate) itself: Option<UnitId>,
}

/// Properties that can be attached to a unit.
#[derive(Debug)]
pub(crate) enum What {
    /// A gate in front of the unit's first steps.
    Gate(Gate),
    /// A condition that applies to all steps of the unit.
    RunIf {
        holds: bool,
        condition: RunCondition,
    },
    /// A condition on the unit's last steps.
    MustHold(RunCondition),
    /// Acceptance criteria for the unit's last steps.
    Acceptance(Vec<AcceptanceCriterion>),
    /// A fan-out after the unit's last step. The unit must have exactly one last step.
    FanOut(FanOut),
    /// A name referred to by the arguments of the unit's step.
    Reference(String),
    /// The step's role in the scope `of`.
    Scope {
        of: String,
        aborts: bool,
        cleans_up: bool,
    },
    /// The unit's first steps wait for the children of these steps, or for the children of their
    /// needs if there's no name.
    Waits { mode: WaitMode, of: Option<String> },
}

/// Draft of a formula during cooking.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) units: Vec<Unit>,
    /// The unit each node belongs to.
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

    /// Makes the names of a scope visible in another one, except for `except`. Returns the memory
    /// used, at `beside` bytes per name in addition to its text.
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

    /// Weaves other units around a unit: some in sequence before it, some in sequence after it, and
    /// some in parallel.
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
        // Units woven in earlier stay closer to the unit.
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

    /// Makes one unit's port wait for another's.
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

    /// Iterates over a unit and its enclosing units, innermost first.
    fn around(&self, unit: UnitId) -> impl Iterator<Item = UnitId> + '_ {
        std::iter::successors(Some(unit), |here| self.units[*here].within)
    }

    /// True if a unit is `ancestor` or inside it.
    pub(crate) fn is_within(&self, unit: UnitId, ancestor: UnitId) -> bool {
        self.around(unit).any(|here| here == ancestor)
    }

    /// Returns the condition that removes a unit or one of its enclosing units.
    pub(crate) fn removal_reason(&self, unit: UnitId) -> Option<&str> {
        self.around(unit)
            .find_map(|here| self.units[here].left_out.as_deref())
    }

    /// Returns the steps in document order.
    pub(crate) fn in_order(&self, top: UnitId) -> Vec<UnitId> {
        let mut ordered = Vec::with_capacity(self.units.len());
        // We push each unit twice. The first time, it's opened. The second time, its own step is
        // placed after the units before it.
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
