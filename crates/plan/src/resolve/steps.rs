use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;
use windlass_base::Diagnostic;

use super::Resolver;
use crate::quote::{cut, listed, near};
use crate::schema::{MAX_MISMATCHES, Schema};
use crate::{
    DurationText, Edge, EdgeReason, KindSpec, PlannedStep, Problem, Retry, RetryDoc, StepDoc,
    StepIndex,
};

/// The most attempts a step may make.
const MAX_ATTEMPTS: u32 = 20;

impl<'a> Resolver<'a> {
    pub(super) fn plan_steps(&mut self) -> Vec<PlannedStep> {
        let steps = self.steps.clone();
        let finally_from = self.runbook.steps.len();
        let mut planned = Vec::with_capacity(steps.len());
        for (at, (step, kind)) in steps.into_iter().enumerate() {
            let id = self.ident(&step.id, "step", self.places.step(at, &["id"]), at);
            let mut plan = PlannedStep::new(id, step.uses.clone());
            plan.finally = at >= finally_from;
            plan.place = self.places.step(at, &["id"]);
            self.kind(at, step, kind);
            plan.with = step.with.clone().map_or(plan.with, Value::Object);
            if let Some(kind) = kind {
                self.may_use(at, kind);
                self.check_with(at, step, kind, &plan.with);
            }
            self.references(at, step, kind);
            plan.for_each = step.for_each.clone();
            plan.condition = self.condition(at, step);
            self.needs(at, step);
            self.timing(at, step, &mut plan);
            plan.on_failure = step.on_failure.unwrap_or_default();
            planned.push(plan);
        }
        planned
    }

    /// Reports a kind there is not.
    fn kind(&mut self, at: usize, step: &StepDoc, kind: Option<&KindSpec>) {
        if kind.is_some() || (step.uses.is_empty() && !self.whole) {
            return;
        }
        if let Some(problem) = self.catalog.why_not(&step.uses) {
            let mut wrong = Diagnostic::error("unusable-step-kind", problem.message.clone());
            wrong.help.clone_from(&problem.help);
            return self.found.push_at(self.places.step(at, &["uses"]), wrong);
        }
        let names = || self.catalog.names().take(self.candidates());
        let help = match near(&step.uses, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the step kinds are {}", listed(names())),
        };
        let message = format!("there is no step kind `{}`", cut(&step.uses));
        let wrong = Diagnostic::error("unknown-step-kind", message).help(help);
        self.found.push_at(self.places.step(at, &["uses"]), wrong);
    }

    /// Checks every reference in `with` and in `for_each`.
    fn references(&mut self, at: usize, step: &'a StepDoc, kind: Option<&'a KindSpec>) {
        if let Some(with) = &step.with {
            for (name, value) in with {
                self.references_in(at, step, kind, &["with", name], value);
            }
        }
        if let Some(items) = &step.for_each {
            self.references_in(at, step, kind, &["for_each"], items);
        }
    }

    /// Checks `with` against the kind.
    fn check_with(&mut self, at: usize, step: &StepDoc, kind: &'a KindSpec, with: &Value) {
        let schema = self.schemas.entry(kind.name.as_str());
        let schema = schema.or_insert_with(|| Schema::new(&kind.input_schema));
        let mismatches = schema.check(with, true, self.found.room());
        if mismatches.len() >= MAX_MISMATCHES {
            self.found.stopped_early();
        }
        let mut wrong_fields: BTreeSet<_> = mismatches
            .iter()
            .map(|wrong| wrong.path.first().cloned().unwrap_or_default())
            .collect();
        // Of a field that does not fit its schema, that is said.
        let mut problems = kind.check(with, &mut self.effort_left);
        problems.retain(|problem| !wrong_fields.contains(problem.field()));
        wrong_fields.extend(problems.iter().map(|problem| problem.field().to_owned()));
        for problem in problems {
            self.problem(at, step, problem);
        }
        self.lookups(at, kind, with, &wrong_fields);
        let node = self.places.step_node(at);
        for mut mismatch in mismatches {
            if self.found.is_full() {
                self.found.count_error();
                continue;
            }
            if mismatch.path.is_empty() && mismatch.rule == "missing-field" {
                mismatch.message = format!("`{}`: {}", step.uses, mismatch.message);
            }
            // Without `with`, what is missing in it is told at the kind that asks for it.
            let field = if step.with.is_some() { "with" } else { "uses" };
            mismatch.path.insert(0, field.to_owned());
            self.found.push(match node {
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

    /// Reports what a kind finds wrong with its input.
    fn problem(&mut self, at: usize, step: &StepDoc, problem: Problem) {
        let place = self.places.in_step(at, &format!("/with{}", problem.at));
        let message = match place {
            Some(_) => problem.message,
            None => format!("step `{}`: {}", cut(&step.id), problem.message),
        };
        let mut wrong = Diagnostic::error("bad-input", message);
        wrong.help = problem.help;
        self.found.push_at(place, wrong);
    }

    fn needs(&mut self, at: usize, step: &StepDoc) {
        let mut places = self.places.items_of_step(at, "needs");
        for id in step.needs.iter().flatten() {
            let place = places.next();
            match self.by_id.get(id.as_str()) {
                Some(needs) => self.edges.push(Edge {
                    step: StepIndex::new(at),
                    needs: *needs,
                    reason: EdgeReason::Needs { place },
                }),
                None => {
                    let wrong = self.no_such_step(id);
                    self.found.push_at(place, wrong);
                }
            }
        }
    }

    fn timing(&mut self, at: usize, step: &StepDoc, plan: &mut PlannedStep) {
        plan.timeout = self.duration(at, &["timeout"], step.timeout.as_ref());
        plan.max_duration = self.duration(at, &["max_duration"], step.max_duration.as_ref());
        if let (Some(timeout), Some(max)) = (plan.timeout, plan.max_duration)
            && timeout > max
        {
            let wrong = Diagnostic::error(
                "timeout-too-long",
                "one attempt may take longer (`timeout`) than all together (`max_duration`)",
            )
            .help("make `timeout` shorter or `max_duration` longer");
            self.found
                .push_at(self.places.step(at, &["timeout"]), wrong);
        }
        if let Some(retry) = &step.retry {
            plan.retry = self.retry(at, retry);
        }
    }

    fn retry(&mut self, at: usize, retry: &RetryDoc) -> Retry {
        if !(1..=MAX_ATTEMPTS).contains(&retry.max_attempts) {
            let message = format!(
                "expected 1 to {MAX_ATTEMPTS} attempts, found {}",
                retry.max_attempts
            );
            let wrong = Diagnostic::error("out-of-range", message);
            self.found
                .push_at(self.places.step(at, &["retry", "max_attempts"]), wrong);
        }
        let backoff = self.duration(at, &["retry", "backoff"], retry.backoff.as_ref());
        let max_backoff = self.duration(at, &["retry", "max_backoff"], retry.max_backoff.as_ref());
        if let (Some(first), Some(max)) = (backoff, max_backoff)
            && first > max
        {
            let wrong = Diagnostic::error(
                "timeout-too-long",
                "the first wait is longer than the longest",
            )
            .help("make `backoff` shorter or `max_backoff` longer");
            self.found
                .push_at(self.places.step(at, &["retry", "backoff"]), wrong);
        }
        Retry {
            max_attempts: retry.max_attempts,
            backoff: backoff.unwrap_or_default(),
            max_backoff,
        }
    }

    fn duration(
        &mut self,
        at: usize,
        path: &[&str],
        text: Option<&DurationText>,
    ) -> Option<Duration> {
        match text?.parse() {
            Ok(duration) => Some(duration),
            Err(error) => {
                let wrong = Diagnostic::error("bad-duration", error.to_string())
                    .help("write it like `250ms`, `5s`, `2m` or `1m30s`");
                self.found.push_at(self.places.step(at, path), wrong);
                None
            }
        }
    }
}
