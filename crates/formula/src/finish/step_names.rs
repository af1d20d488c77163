//! Replaces names in conditions and arguments with the IDs of cooked steps.

use std::collections::BTreeSet;

use serde_json::Value;
use windlass_base::{Diagnostic, counted};
use windlass_plan::is_reference;
use windlass_plan::quote::cut;

use super::Ends;
use crate::draft::{ScopeId, Spot, UnitId};
use crate::run_condition::SELF;
use crate::{GateKind, LookAt, RunCondition};

/// Maximum number of gates checked for cycles, since each check may search the whole graph.
///
/// We do not notice the cycles of further gates. That is acceptable: a formula with this many gates
/// on conditions should be rare, and the gate in question would merely stay closed.
const MAX_GATES: usize = 1_000;

impl Ends<'_, '_> {
    /// Replaces the names in a condition.
    ///
    /// Returns `None` if a name does not lead to any remaining step. If that is because a condition
    /// has removed the step, we only report it if it `matters`, i.e. if there is something left
    /// that the condition would apply to.
    pub(super) fn named(
        &mut self,
        condition: RunCondition,
        scope: ScopeId,
        itself: Option<UnitId>,
        spot: Spot,
        matters: bool,
    ) -> Option<RunCondition> {
        let mut ids = Vec::new();
        for name in condition.looks_at.names() {
            let units = match (name.as_str(), itself) {
                (SELF, Some(unit)) => vec![unit],
                _ => self.draft.find(scope, name, self.all),
            };
            if units.is_empty() {
                let unknown = match name == SELF {
                    true => Diagnostic::error("condition", "the condition refers to its own step, which has not started when it is evaluated").help("name another step"),
                    false => self.draft.unknown_step(scope, "the condition refers to", name),
                };
                self.report(spot, unknown);
                return None;
            }
            let before = ids.len();
            for unit in units {
                let lasts = self.reduced.lasts(self.draft, unit);
                ids.extend(lasts.iter().map(|last| self.draft.units[*last].id.clone()));
            }
            // A loop may still have some of its steps. Only complain if nothing at all is left of
            // this name.
            if ids.len() == before {
                if matters {
                    let message = format!(
                        "the condition refers to `{}`, which its own condition removes",
                        cut(name)
                    );
                    self.report(
                        spot,
                        Diagnostic::error("condition", message)
                            .help("remove the dependent step by the same condition"),
                    );
                }
                return None;
            }
        }
        let looks_at: LookAt = condition.looks_at.with_names(ids);
        Some(RunCondition {
            looks_at,
            ..condition
        })
    }

    pub(super) fn refer(&mut self, unit: UnitId, name: &str, scope: ScopeId, spot: Spot) {
        if !self.reduced.survives(unit) {
            return;
        }
        let ids = self.ids_of(name, scope);
        // There has to be exactly one step with the output. If there's no unit of that name at all,
        // `resolve` has reported that already.
        let [id] = ids.as_slice() else {
            if !self.draft.find(scope, name, self.all).is_empty() {
                let (message, help) = match ids.len() {
                    0 => (
                        format!(
                            "an argument uses the output of `{}`, which its condition removes",
                            cut(name)
                        ),
                        "remove this step by the same condition",
                    ),
                    count => (
                        format!(
                            "an argument uses the output of `{}`, which ends with {}",
                            cut(name),
                            counted(count, "step")
                        ),
                        "name the step whose output is meant",
                    ),
                };
                self.report(spot, Diagnostic::error("bad-reference", message).help(help));
            }
            return;
        };
        let id = id.clone();
        let step = self.draft.units[unit].step.as_deref_mut();
        let parts = step.map(|step| [&mut step.with, &mut step.pack]);
        for values in parts.into_iter().flatten().flatten() {
            values
                .values_mut()
                .for_each(|value| rename(value, name, &id));
        }
    }

    /// Reports gates that never open, because the step in their condition waits for the gated step.
    pub(super) fn report_gate_cycles(&mut self) {
        let mut cycles = Vec::new();
        let gated = (0..self.draft.units.len()).filter(|unit| self.reduced.survives(*unit));
        let gated = gated.filter_map(|unit| Some((unit, self.draft.units[unit].step.as_deref()?)));
        let mut looked = 0;
        for (unit, step) in gated {
            for gate in &step.gates {
                let GateKind::Condition { condition } = &gate.kind else {
                    continue;
                };
                looked += 1;
                for name in condition.looks_at.names() {
                    // The condition has the IDs of steps by now.
                    let others = self.all.get(self.draft, name);
                    // The limit is on gates instead of names, so that a condition is either checked
                    // in full or not at all.
                    if looked <= MAX_GATES && others.iter().any(|other| self.needs(*other, unit)) {
                        cycles.push((self.draft.units[unit].spot, step.id.clone(), name.clone()));
                    }
                }
            }
        }
        for (spot, step, other) in cycles {
            let message = format!(
                "the gate of `{}` can never open: it refers to `{}`, which waits for `{}`",
                cut(&step),
                cut(&other),
                cut(&step)
            );
            self.report(spot, Diagnostic::error("cycle", message));
        }
    }

    fn needs(&self, step: UnitId, other: UnitId) -> bool {
        let mut seen = BTreeSet::from([step]);
        let mut stack = vec![step];
        while let Some(at) = stack.pop() {
            if at == other {
                return true;
            }
            let needs = self.reduced.needs[at].iter().map(|(needed, _)| *needed);
            stack.extend(needs.filter(|needed| seen.insert(*needed)));
        }
        false
    }
}

fn rename(value: &mut Value, name: &str, id: &str) {
    if is_reference(value) {
        let prefix = format!("#/steps/{name}/");
        if let Some(Value::String(pointer)) = value.get_mut("$ref")
            && let Some(rest) = pointer.strip_prefix(&prefix)
        {
            *pointer = format!("#/steps/{id}/{rest}");
        }
        return;
    }
    match value {
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|value| rename(value, name, id)),
        Value::Array(items) => items.iter_mut().for_each(|value| rename(value, name, id)),
        _ => {}
    }
}
