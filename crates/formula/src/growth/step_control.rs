//! Applies the control metadata of steps (see [`control_keys`](crate::document::control_keys)).
//!
//! A step's target is the only agent that may claim the step. A step's scope is a group of steps
//! that succeed or fail together.

use serde_json::{Map, Value};
use windlass_plan::quote::cut;

use super::{Growth, Here};
use crate::Scope;
use crate::document::control_keys::{KIND, ON_FAIL, ROLE, SCOPE, TARGET};
use crate::draft::{Spot, UnitId, What};

pub(super) struct StepControl<'g, 'l, 'b> {
    growth: &'g mut Growth<'l, 'b>,
    here: &'g Here<'g>,
    at: Spot,
}

impl<'g, 'l, 'b> StepControl<'g, 'l, 'b> {
    pub(super) fn new(growth: &'g mut Growth<'l, 'b>, here: &'g Here<'g>, at: Spot) -> Self {
        Self { growth, here, at }
    }

    pub(super) fn apply(&mut self, unit: UnitId) {
        let Some(step) = self.growth.draft.units[unit].step.as_deref() else {
            return;
        };
        let metadata = step.metadata.clone();
        let word = |key| word(&metadata, key);
        let (kind, role) = (word(KIND), word(ROLE));
        if !self.are_known(&metadata) {
            return;
        }
        let is_body = kind == "scope" || role == "body";
        let target = Some(word(TARGET)).filter(|target| !target.is_empty());
        if let Some(step) = self.growth.draft.units[unit].step.as_deref_mut() {
            match target {
                // A machine isn't an agent, so the target of a machine step is a label that the
                // machine must have. An explicit `runs_on` takes precedence.
                Some(target) if step.uses.is_some() => {
                    if step.runs_on.is_empty() {
                        step.runs_on.push(target.to_owned());
                    }
                }
                _ => step.target = target.map(str::to_owned),
            }
            step.scope = is_body.then_some(Scope::Body);
        }
        let cleans_up = kind == "cleanup" || role == "teardown";
        let aborts = !word(ON_FAIL).is_empty();
        match word(SCOPE) {
            "" if cleans_up || aborts || matches!(role, "member" | "setup") => self.refuse(
                "the step belongs to no scope".to_owned(),
                format!("add `\"{SCOPE}\" = \"STEP\"`, where STEP has `\"{KIND}\" = \"scope\"`"),
            ),
            "" => {}
            of if is_body => self.refuse(
                format!("the scope is inside the scope `{}`", cut(of)),
                format!("remove `{SCOPE}`: scopes cannot be nested"),
            ),
            of => {
                let what = What::Scope {
                    of: of.to_owned(),
                    aborts,
                    cleans_up,
                };
                self.growth
                    .attach(unit, what, self.at, self.here.scope, None);
            }
        }
    }

    fn are_known(&mut self, metadata: &Map<String, Value>) -> bool {
        let known = [
            (KIND, ["scope", "cleanup"].as_slice()),
            (ROLE, &["body", "setup", "member", "teardown"]),
            (ON_FAIL, &["abort_scope"]),
        ];
        let mut all = true;
        for (key, words) in known {
            let value = word(metadata, key);
            if value.is_empty() || words.contains(&value) {
                continue;
            }
            all = false;
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            self.refuse(
                format!("`{}` is not a value of `{key}` for authors", cut(value)),
                format!("use {}, or remove `{key}`", words.join(" or ")),
            );
        }
        all
    }

    fn refuse(&mut self, message: String, help: String) {
        self.growth.refuse(self.at, message, help);
    }
}

fn word<'m>(metadata: &'m Map<String, Value>, key: &str) -> &'m str {
    metadata
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .trim()
}
