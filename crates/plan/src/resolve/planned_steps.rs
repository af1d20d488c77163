use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use windlass_base::Diagnostic;

use super::Resolution;
use super::key_lookups::Lookups;
use super::plugin_permissions::PluginPermissions;
use super::step_conditions::Conditions;
use super::step_references::References;
use super::step_timing::Timing;
use crate::quote::{cut, listed, near_hint};
use crate::schema::{MAX_MISMATCHES, Schema};
use crate::{Edge, EdgeReason, KindSpec, PlannedStep, Problem, StepDoc, StepIndex};

/// Maximum effort of step kinds for checking literal values (see [`WrittenInput`]).
///
/// It is enough for 1,000 patterns. We leave further ones to the steps themselves, which report an
/// invalid pattern when they start.
///
/// [`WrittenInput`]: crate::WrittenInput
const MAX_EFFORT: usize = 20_000;

pub(super) struct Steps<'r, 'a> {
    resolution: &'r mut Resolution<'a>,
    schemas: BTreeMap<&'a str, Schema<'a>>,
    /// The remaining effort for checking literal values, which all steps share.
    effort_left: usize,
}

impl<'r, 'a> Steps<'r, 'a> {
    pub(super) fn new(resolution: &'r mut Resolution<'a>) -> Self {
        Self {
            resolution,
            schemas: BTreeMap::new(),
            effort_left: MAX_EFFORT,
        }
    }

    pub(super) fn plan(mut self) -> Vec<PlannedStep> {
        let steps = self.resolution.steps.clone();
        let finally_from = self.resolution.runbook.steps.len();
        let mut planned = Vec::with_capacity(steps.len());
        for (at, (step, kind)) in steps.into_iter().enumerate() {
            let id = self.resolution.ident(
                &step.id,
                "step",
                self.resolution.places.step(at, &["id"]),
                at,
            );
            let mut plan = PlannedStep::new(id, step.uses.clone());
            plan.finally = at >= finally_from;
            plan.place = self.resolution.places.step(at, &["id"]);
            self.kind(at, step, kind);
            plan.with = step.with.clone().map_or(plan.with, Value::Object);
            if let Some(kind) = kind {
                PluginPermissions(self.resolution).check(at, kind);
                self.check_with(at, step, kind, &plan.with);
            }
            References(self.resolution).check(at, step, kind);
            plan.for_each = step.for_each.clone();
            plan.condition = Conditions(self.resolution).condition(at, step);
            self.needs(at, step);
            Timing {
                resolution: self.resolution,
                at,
            }
            .plan(step, &mut plan);
            plan.on_failure = step.on_failure.unwrap_or_default();
            planned.push(plan);
        }
        planned
    }

    fn kind(&mut self, at: usize, step: &StepDoc, kind: Option<&KindSpec>) {
        if kind.is_some() || (step.uses.is_empty() && !self.resolution.whole) {
            return;
        }
        if let Some(problem) = self.resolution.catalog.why_not(&step.uses) {
            let mut wrong = Diagnostic::error("unusable-step-kind", problem.message.clone());
            wrong.help.clone_from(&problem.help);
            return self
                .resolution
                .report(self.resolution.places.step(at, &["uses"]), wrong);
        }
        let names = || {
            self.resolution
                .catalog
                .names()
                .take(self.resolution.candidates())
        };
        let help = near_hint(&step.uses, names())
            .unwrap_or_else(|| format!("the step kinds are {}", listed(names())));
        let message = format!("there is no step kind `{}`", cut(&step.uses));
        let wrong = Diagnostic::error("unknown-step-kind", message).help(help);
        self.resolution
            .report(self.resolution.places.step(at, &["uses"]), wrong);
    }

    fn check_with(&mut self, at: usize, step: &StepDoc, kind: &'a KindSpec, with: &Value) {
        let schema = self.schemas.entry(kind.name.as_str());
        let schema = schema.or_insert_with(|| Schema::new(&kind.input_schema));
        let mismatches = schema.check(with, true, self.resolution.found.room());
        if mismatches.len() >= MAX_MISMATCHES {
            self.resolution.found.stopped_early();
        }
        let mut wrong_fields: BTreeSet<_> = mismatches
            .iter()
            .map(|wrong| wrong.path.first().cloned().unwrap_or_default())
            .collect();
        // A field that violates the schema often violates the kind's own check too. One error is
        // enough.
        let mut problems = kind.check(with, &mut self.effort_left);
        problems.retain(|problem| !wrong_fields.contains(problem.field()));
        wrong_fields.extend(problems.iter().map(|problem| problem.field().to_owned()));
        for problem in problems {
            self.problem(at, step, problem);
        }
        Lookups(self.resolution).check(at, kind, with, &wrong_fields);
        let node = self.resolution.places.step_node(at);
        for mut mismatch in mismatches {
            if self.resolution.found.is_full() {
                self.resolution.found.count_error();
                continue;
            }
            if mismatch.path.is_empty() && mismatch.rule == "missing-field" {
                mismatch.message = format!("`{}`: {}", step.uses, mismatch.message);
            }
            // There's no `with` to point to if it's missing as a whole, so report its missing
            // fields at `uses`.
            let field = if step.with.is_some() { "with" } else { "uses" };
            mismatch.path.insert(0, field.to_owned());
            self.resolution.found.push(match node {
                Some(node) => mismatch.into_finding(node),
                None => {
                    let mut wrong = Diagnostic::error(
                        mismatch.rule,
                        format!("step `{}`: {}", cut(&step.id), mismatch.message),
                    );
                    wrong.help = mismatch.help;
                    wrong
                }
            });
        }
    }

    /// Reports a problem.
    ///
    /// In a generated runbook, the message names the step instead of pointing to it.
    fn problem(&mut self, at: usize, step: &StepDoc, problem: Problem) {
        let place = self
            .resolution
            .places
            .in_step(at, &format!("/with{}", problem.at));
        let message = match place {
            Some(_) => problem.message,
            None => format!("step `{}`: {}", cut(&step.id), problem.message),
        };
        let mut wrong = Diagnostic::error("bad-input", message);
        wrong.help = problem.help;
        self.resolution.report(place, wrong);
    }

    fn needs(&mut self, at: usize, step: &StepDoc) {
        let mut places = self.resolution.places.items_of_step(at, "needs");
        for id in step.needs.iter().flatten() {
            let place = places.next();
            match self.resolution.by_id.get(id.as_str()) {
                Some(needs) => self.resolution.edges.push(Edge {
                    step: StepIndex::new(at),
                    needs: *needs,
                    reason: EdgeReason::Needs { place },
                }),
                None => {
                    let wrong = self.resolution.no_such_step(id);
                    self.resolution.report(place, wrong);
                }
            }
        }
    }
}
