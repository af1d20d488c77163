//! A formula while it is cooked: units of work, which may hold others, and who needs whom.
//!
//! A unit that holds others (what stands in for an expanded step, a loop, one time of it) has a start and an end of
//! its own: its members wait for its start, its end waits for them. So whoever needs the unit needs its end, and what
//! the unit needs its start needs, however it came about and whatever is in it. At last starts, ends, and steps that
//! a condition leaves out are taken out of the graph in one way (`reduce`): what needs one of them needs what that needs.
//! That is why no edge is ever lost.

mod link;
mod reduce;
mod resolve;

use std::collections::BTreeMap;

pub(crate) use self::reduce::{Irreducible, Reduced};
pub(crate) use self::resolve::ByFinalId;
use super::{AcceptanceCriterion, CookedStep, FanOut, Gate, NeedKind, RunCondition, WaitMode};

/// The number of a unit.
pub(crate) type UnitId = usize;

/// The number of a scope.
pub(crate) type ScopeId = usize;

/// A place in one of the sources.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) source: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A step, or several that belong together.
#[derive(Debug)]
pub(crate) struct Unit {
    /// Its name in the cooked formula.
    pub(crate) id: String,
    pub(crate) spot: Spot,
    /// The step; a unit that holds others has none.
    pub(crate) step: Option<Box<CookedStep>>,
    /// Why its members need what it needs.
    pub(crate) kind: NeedKind,
    pub(crate) members: Vec<UnitId>,
    /// What is woven in before and after it.
    pub(crate) before: Vec<UnitId>,
    pub(crate) after: Vec<UnitId>,
    /// The unit it is part of.
    pub(crate) within: Option<UnitId>,
    /// Whether it is one of the members of that unit, and not woven around it.
    pub(crate) is_member: bool,
    /// The step that contains it.
    pub(crate) container: Option<UnitId>,
    /// The condition that leaves it out.
    pub(crate) left_out: Option<String>,
    /// The nodes at which it starts and ends, without and with what is woven around it.
    core: [usize; 2],
    outer: [usize; 2],
}

/// Where a unit is held on to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Port {
    /// With all that is woven around it.
    Start,
    /// With all that is woven around it.
    End,
    /// Without.
    CoreStart,
    /// Without.
    CoreEnd,
}

/// `from` waits for `to`.
#[derive(Debug, Clone, Copy)]
struct Link {
    from: (UnitId, Port),
    to: (UnitId, Port),
    kind: NeedKind,
    spot: Spot,
}

/// `from` waits for whatever is called `name`, seen from `scope`.
#[derive(Debug)]
struct Pending {
    from: UnitId,
    scope: ScopeId,
    name: String,
    kind: NeedKind,
    spot: Spot,
}

/// Names, and the units they stand for. Two steps may have one name if conditions leave one of them out.
#[derive(Debug, Default)]
struct Scope {
    outer: Option<ScopeId>,
    names: BTreeMap<String, Vec<UnitId>>,
}

/// Something that is said of a unit, and lands on the steps in it once it is known which those are.
#[derive(Debug)]
pub(crate) struct Attached {
    pub(crate) unit: UnitId,
    pub(crate) what: What,
    pub(crate) spot: Spot,
    /// Where the names it mentions are looked up.
    pub(crate) scope: ScopeId,
    /// What a condition means by `step`; the unit itself cannot be meant by a gate.
    pub(crate) itself: Option<UnitId>,
}

/// What is said of a unit.
#[derive(Debug)]
pub(crate) enum What {
    /// Its first steps wait for it.
    Gate(Gate),
    /// All its steps are skipped unless it holds, or does not.
    RunIf {
        holds: bool,
        condition: RunCondition,
    },
    /// Its last steps fail unless it holds.
    MustHold(RunCondition),
    /// Its last steps are judged by it.
    Acceptance(Vec<AcceptanceCriterion>),
    /// Its last step, of which there must be one, is followed by it.
    FanOut(FanOut),
    /// Its arguments refer to what is called so.
    Reference(String),
    /// Its first steps wait for children of these steps; of what it needs where no name is given.
    Waits { mode: WaitMode, of: Option<String> },
}

/// A formula while it is cooked.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) units: Vec<Unit>,
    /// The unit that each node belongs to.
    nodes: Vec<UnitId>,
    links: Vec<Link>,
    pending: Vec<Pending>,
    scopes: Vec<Scope>,
    pub(crate) attached: Vec<Attached>,
}

impl Draft {
    /// A new scope within another.
    pub(crate) fn scope(&mut self, outer: Option<ScopeId>) -> ScopeId {
        let names = BTreeMap::new();
        self.scopes.push(Scope { outer, names });
        self.scopes.len() - 1
    }

    /// Lets `name` stand for a unit.
    pub(crate) fn name(&mut self, scope: ScopeId, name: &str, unit: UnitId) {
        let names = &mut self.scopes[scope].names;
        if let Some(units) = names.get_mut(name) {
            units.push(unit);
        } else {
            names.insert(name.to_owned(), vec![unit]);
        }
    }

    /// Makes the names of a scope known in another, all but one. Returns the bytes that they take, each `beside` more
    /// than its text.
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

    /// Adds a step.
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

    /// Adds a unit that holds others.
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

    /// Makes a unit part of another.
    pub(crate) fn put(&mut self, group: UnitId, member: UnitId) {
        self.units[group].members.push(member);
        self.units[member].within = Some(group);
        self.units[member].is_member = true;
    }

    /// Weaves units around another: those before it in a row, those after it in a row, and those beside it.
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
        // What was woven in earlier is nearer to the unit.
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

    /// Lets one port wait for another.
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

    /// Lets a unit wait for whatever is called `name`.
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

    /// A unit and those it is within, innermost first.
    fn around(&self, unit: UnitId) -> impl Iterator<Item = UnitId> + '_ {
        std::iter::successors(Some(unit), |here| self.units[*here].within)
    }

    /// Whether a unit is `ancestor`, or part of it.
    pub(crate) fn is_within(&self, unit: UnitId, ancestor: UnitId) -> bool {
        self.around(unit).any(|here| here == ancestor)
    }

    /// The condition that leaves a unit, or one that it is part of, out.
    pub(crate) fn why_left_out(&self, unit: UnitId) -> Option<&str> {
        self.around(unit)
            .find_map(|here| self.units[here].left_out.as_deref())
    }

    /// The steps in the order in which the documents have them.
    pub(crate) fn in_order(&self, top: UnitId) -> Vec<UnitId> {
        let mut ordered = Vec::with_capacity(self.units.len());
        // Each unit twice: to open it, and, for its own step, after what comes before it.
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
