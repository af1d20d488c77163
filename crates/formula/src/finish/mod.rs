//! The last phase of cooking: names become edges, conditions remove steps, and the final graph is
//! checked.
//!
//! Up to this phase, properties such as gates or acceptance criteria are attached to units, because
//! we do not know yet which steps will remain of a loop or template. Once the graph has been
//! reduced, [`Ends`] moves each of them to the first or last steps of its unit, and replaces names
//! with the IDs of steps.

mod finisher;
mod step_names;

use std::collections::BTreeMap;

use windlass_base::{Diagnostic, counted};
use windlass_plan::Findings;
use windlass_plan::quote::cut;

use self::finisher::Finisher;
use crate::cook_options::CookOptions;
use crate::draft::{Attached, ByFinalId, Draft, Irreducible, Reduced, ScopeId, Spot, UnitId, What};
use crate::growth::{Built, spot};
use crate::library::Library;
use crate::merge::Merged;
use crate::{
    CookedBondPoint, CookedFormula, CookedStep, GateKind, LeftOut, Need, NeedKind, RunIf, Scope,
    WaitMode, WaitsFor,
};

/// Adds the steps to a cooked formula. Returns `None` if the graph is invalid, in which case
/// `found` has the reason.
pub(crate) fn finish(
    mut cooked: CookedFormula,
    built: Built,
    formula: &Merged,
    options: &CookOptions<'_>,
    library: &Library<'_>,
    found: &mut Findings,
) -> Option<CookedFormula> {
    let Built {
        mut draft,
        top,
        scope,
        open_hooks,
        output,
    } = built;
    let all = ByFinalId::of(&draft);
    let mut finisher = Finisher {
        draft: &mut draft,
        all: &all,
        library,
        found,
    };
    // This looks at the needs in the document. The next call adds further ones, and `resolve`
    // consumes them all.
    finisher.find_spawners();
    finisher.add_condition_needs();
    finisher.add_scope_needs();
    finisher.draft.resolve(&all, library, finisher.found);
    finisher.remove_dependent_steps();
    let reduced = match draft.reduce(options.limits.max_needs, library, found) {
        Ok(reduced) => reduced,
        Err(Irreducible::Cycle) => return None,
        Err(Irreducible::TooManyEdges) => {
            let message = format!(
                "the steps have more than {} in total",
                counted(options.limits.max_needs, "need")
            );
            found.push(
                Diagnostic::error("too-many-needs", message)
                    .help("put one step between groups of steps that wait for each other"),
            );
            return None;
        }
    };
    let order = draft.in_order(top);
    let mut ends = Ends {
        draft: &mut draft,
        all: &all,
        reduced: &reduced,
        library,
        found,
    };
    ends.report_duplicates(&order);
    ends.land_all();
    ends.wait_for_drains(&order);
    ends.report_gate_cycles();
    cooked.bond_points = ends.bond_points(formula, scope);
    cooked.left_out = ends.left_out(&order);
    cooked.steps = steps(&mut draft, &reduced, &order);
    super::honoured::one_at_a_time(&mut cooked, formula.single_lane);
    // After an error, the steps may only be missing because of it.
    if cooked.steps.is_empty() && !found.has_errors() {
        let message = "the conditions remove all steps of the formula";
        found.push(
            Diagnostic::error("empty-formula", message)
                .at(formula.place.clone())
                .help("give other values to its variables"),
        );
    }
    cooked.open_hooks = open_hooks;
    cooked.output = output;
    Some(cooked)
}

struct Ends<'a, 'l> {
    draft: &'a mut Draft,
    all: &'a ByFinalId,
    reduced: &'a Reduced,
    library: &'a Library<'l>,
    found: &'a mut Findings,
}

impl Ends<'_, '_> {
    fn report(&mut self, spot: Spot, diagnostic: Diagnostic) {
        let place = self.library.place(spot.source, spot.start, spot.end);
        self.found.push_at(place, diagnostic);
    }

    fn report_duplicates(&mut self, order: &[UnitId]) {
        let left = order.iter().filter(|at| self.reduced.survives(**at));
        let mut seen: BTreeMap<&str, UnitId> = BTreeMap::new();
        let mut twice = Vec::new();
        for at in left {
            if let Some(first) = seen.insert(&self.draft.units[*at].id, *at) {
                twice.push((first, *at));
            }
        }
        for (first, at) in twice {
            let unit = &self.draft.units[at];
            let (spot, first) = (unit.spot, self.draft.units[first].spot);
            let mut message = format!("duplicate step `{}`", cut(&unit.id));
            let mut help = "give one of the two another id";
            // A template or advice that's applied twice without using the name of its target.
            if first == spot {
                message += ", both from the same place in a document";
                help = "use `{target}` in the ids of a template, or `{step.id}` in those of advice";
            }
            let mut diagnostic = Diagnostic::error("duplicate-step", message).help(help);
            if let Some(place) = self.library.place(first.source, first.start, first.end) {
                diagnostic = diagnostic.see(place, "first step");
            }
            self.report(spot, diagnostic);
        }
    }

    /// Moves the attached properties to the remaining steps of their units. All needs are final by
    /// now.
    fn land_all(&mut self) {
        for one in std::mem::take(&mut self.draft.attached) {
            self.land(one);
        }
    }

    fn land(&mut self, one: Attached) {
        let Attached {
            unit,
            what,
            spot,
            scope,
            itself,
        } = one;
        match what {
            What::Gate(mut gate) => {
                // A gate on a unit holds back each of its first steps. If a condition has removed
                // them all, there's nothing left to gate, so it doesn't matter if the gate names a
                // removed step.
                let firsts = self.reduced.firsts(self.draft, unit);
                if let GateKind::Condition { condition } = gate.kind {
                    let Some(condition) =
                        self.named(condition, scope, None, spot, !firsts.is_empty())
                    else {
                        return;
                    };
                    gate.kind = GateKind::Condition { condition };
                }
                self.each(&firsts, |step| step.gates.push(gate.clone()));
            }
            What::RunIf { holds, condition } => {
                let inside = self.inside(unit);
                let Some(condition) =
                    self.named(condition, scope, itself, spot, !inside.is_empty())
                else {
                    return;
                };
                let run_if = RunIf { holds, condition };
                self.each(&inside, |step| step.run_if.push(run_if.clone()));
            }
            What::MustHold(condition) => {
                let lasts = self.reduced.lasts(self.draft, unit);
                if let Some(condition) =
                    self.named(condition, scope, itself, spot, !lasts.is_empty())
                {
                    self.each(&lasts, |step| step.must_hold = Some(condition.clone()));
                }
            }
            What::Acceptance(criteria) => {
                let lasts = self.reduced.lasts(self.draft, unit);
                self.each(&lasts, |step| {
                    step.acceptance.extend(criteria.iter().cloned());
                });
            }
            What::FanOut(fan_out) => {
                let lasts = self.reduced.lasts(self.draft, unit);
                // `on_complete` reads a list from the output of a single step. If the unit ends
                // with several, we can't know which of their outputs is meant.
                if lasts.len() > 1 {
                    let message = format!(
                        "`{}` ends with {}, so its output is ambiguous",
                        cut(&self.draft.units[unit].id),
                        counted(lasts.len(), "step")
                    );
                    self.report(
                        spot,
                        Diagnostic::error("unsupported", message)
                            .help("move `on_complete` to the step whose output is meant"),
                    );
                }
                self.each(&lasts, |step| step.on_complete = Some(fan_out.clone()));
            }
            What::Waits { mode, of } => {
                let Some(name) = of else {
                    return;
                };
                let of = self.ids_of(&name, scope);
                let firsts = self.reduced.firsts(self.draft, unit);
                if !of.is_empty() {
                    let waits = WaitsFor { mode, of };
                    self.each(&firsts, |step| step.waits_for = Some(waits.clone()));
                }
            }
            What::Scope {
                of,
                aborts,
                cleans_up,
            } => {
                let Some(of) = self.scope_called(&of, scope, spot) else {
                    return;
                };
                let part = match cleans_up {
                    true => Scope::Cleanup { of },
                    false => Scope::Member { of, aborts },
                };
                self.each(&[unit], |step| step.scope = Some(part.clone()));
            }
            What::Reference(name) => self.refer(unit, &name, scope, spot),
        }
    }

    /// Returns the ID of the step that represents the scope `name`, or `None` if a condition has
    /// removed it.
    ///
    /// We also return `None` after reporting a step that is not a scope.
    fn scope_called(&mut self, name: &str, scope: ScopeId, spot: Spot) -> Option<String> {
        let units = self.draft.find(scope, name, self.all);
        if units.is_empty() {
            let unknown = self
                .draft
                .unknown_step(scope, "the step belongs to scope", name);
            self.report(spot, unknown);
        }
        let mut inside = units.iter().flat_map(|unit| self.inside(*unit));
        let is_scope = |step: &CookedStep| step.scope == Some(Scope::Body);
        let steps: Vec<&CookedStep> = inside
            .by_ref()
            .filter_map(|unit| self.draft.units[unit].step.as_deref())
            .collect();
        let body = steps.iter().find(|step| is_scope(step));
        if body.is_none() && !steps.is_empty() {
            let message = format!("step `{}` is not a scope", cut(name));
            let help = "add `\"gc.kind\" = \"scope\"` to its metadata";
            let diagnostic = Diagnostic::error("scope", message).help(help);
            self.report(spot, diagnostic);
            return None;
        }
        body.map(|step| step.id.clone())
    }

    /// Makes the dependents of a drain wait for its molecules as well. The step itself is done as
    /// soon as the molecules exist.
    fn wait_for_drains(&mut self, order: &[UnitId]) {
        for unit in order.iter().filter(|unit| self.reduced.survives(**unit)) {
            let needs = self.reduced.needs[*unit].iter();
            let drained = needs.filter_map(|(needed, _)| {
                let step = self.draft.units[*needed].step.as_deref()?;
                step.drain.is_some().then(|| step.id.clone())
            });
            let drained: Vec<String> = drained.collect();
            let unit = &mut self.draft.units[*unit];
            let Some(step) = unit.step.as_deref_mut().filter(|_| !drained.is_empty()) else {
                continue;
            };
            let any = WaitMode::Any;
            // The step has to wait for all molecules of the drain, whereas `any-children` would let
            // it start after the first one.
            if step
                .waits_for
                .as_ref()
                .is_some_and(|waits| waits.mode == any)
            {
                let message = format!(
                    "step `{}` waits for all children of `{}`",
                    cut(&step.id),
                    cut(&drained[0])
                );
                let spot = unit.spot;
                let diagnostic = Diagnostic::error("unsupported", message);
                self.report(
                    spot,
                    diagnostic.help("remove `waits_for = \"any-children\"`"),
                );
                continue;
            }
            let mode = WaitMode::All;
            let of = Vec::new();
            let waits = step.waits_for.get_or_insert(WaitsFor { mode, of });
            waits.of.extend(drained);
            waits.of.sort();
            waits.of.dedup();
        }
    }

    fn each(&mut self, units: &[UnitId], mut with: impl FnMut(&mut CookedStep)) {
        for unit in units {
            if let Some(step) = self.draft.units[*unit].step.as_deref_mut() {
                with(step);
            }
        }
    }

    fn inside(&self, unit: UnitId) -> Vec<UnitId> {
        let mut inside = self.draft.in_order(unit);
        inside.retain(|step| self.reduced.survives(*step));
        inside
    }

    /// The IDs of the last remaining steps of all units called `name`. They are the ones whose
    /// results count.
    fn ids_of(&self, name: &str, scope: ScopeId) -> Vec<String> {
        let units = self.draft.find(scope, name, self.all);
        let lasts = units
            .iter()
            .flat_map(|unit| self.reduced.lasts(self.draft, *unit));
        lasts
            .map(|unit| self.draft.units[unit].id.clone())
            .collect()
    }

    fn bond_points(&mut self, formula: &Merged, scope: ScopeId) -> Vec<CookedBondPoint> {
        let mut points = Vec::new();
        for part in &formula.compose.bond_points {
            let doc = &part.item;
            let mut point = CookedBondPoint {
                id: doc.id.value.clone(),
                description: doc.description.clone().unwrap_or_default(),
                after: Vec::new(),
                before: Vec::new(),
                parallel: doc.parallel == Some(true),
            };
            let (step, before) = match doc.step() {
                Ok(step) => step,
                Err(wrong) => {
                    self.report(spot(part.source, doc.as_ref()), wrong);
                    continue;
                }
            };
            let units = self.draft.find(scope, step, self.all);
            if units.is_empty() {
                let unknown = self.draft.unknown_step(scope, "the bond point is at", step);
                self.report(spot(part.source, step), unknown);
                continue;
            }
            // A unit such as a loop with parallel steps can start or end with several steps, so a
            // bond point may refer to more than one.
            let mut ids = Vec::new();
            for unit in units {
                let ends = match before {
                    true => self.reduced.firsts(self.draft, unit),
                    false => self.reduced.lasts(self.draft, unit),
                };
                ids.extend(ends.iter().map(|end| self.draft.units[*end].id.clone()));
            }
            *(if before {
                &mut point.before
            } else {
                &mut point.after
            }) = ids;
            points.push(point);
        }
        points
    }

    fn left_out(&self, order: &[UnitId]) -> Vec<LeftOut> {
        let gone = order.iter().filter(|unit| !self.reduced.survives(**unit));
        let entries = gone.filter_map(|unit| {
            let step = self.draft.units[*unit].step.as_deref()?;
            Some(LeftOut {
                id: step.id.clone(),
                condition: self.draft.removal_reason(*unit)?.to_owned(),
                origin: step.origin.clone(),
            })
        });
        entries.collect()
    }
}

fn steps(draft: &mut Draft, reduced: &Reduced, order: &[UnitId]) -> Vec<CookedStep> {
    let left: Vec<UnitId> = order
        .iter()
        .copied()
        .filter(|unit| reduced.survives(*unit))
        .collect();
    let mut position = vec![usize::MAX; draft.units.len()];
    for (at, unit) in left.iter().enumerate() {
        position[*unit] = at;
    }
    let mut children: BTreeMap<UnitId, Vec<String>> = BTreeMap::new();
    for unit in &left {
        let this = &draft.units[*unit];
        if let Some(container) = this.container {
            children.entry(container).or_default().push(this.id.clone());
        }
    }
    let all_needs: Vec<Vec<Need>> = left
        .iter()
        .map(|unit| {
            let mut needs = reduced.needs[*unit].clone();
            // `reduce` has sorted the needs by the creation of their units, which is different from
            // the order of the steps in the result.
            needs.sort_unstable_by_key(|(needed, _)| position[*needed]);
            let named = |(needed, kind): (UnitId, NeedKind)| Need {
                step: draft.units[needed].id.clone(),
                kind,
            };
            needs.into_iter().map(named).collect()
        })
        .collect();
    let mut steps = Vec::with_capacity(left.len());
    for (unit, needs) in left.into_iter().zip(all_needs) {
        let container = draft.units[unit].container;
        let parent = container.map(|container| draft.units[container].id.clone());
        let Some(mut step) = draft.units[unit].step.take() else {
            continue;
        };
        step.needs = needs;
        step.parent = parent;
        step.children = children.remove(&unit).unwrap_or_default();
        steps.push(*step);
    }
    steps
}
