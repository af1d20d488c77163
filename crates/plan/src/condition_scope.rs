use std::collections::BTreeMap;

use serde_json::Value;

/// Values that are visible to the references and the condition of a step.
pub trait Scope {
    /// Returns the value of an input; `None` if it was not given and has no default.
    fn input(&self, name: &str) -> Option<&Value>;

    /// Returns the state of a step; `None` if there is no such step.
    fn step(&self, id: &str) -> Option<StepView<'_>>;

    /// Returns the current item of a `for_each` step.
    fn item(&self) -> Option<&Value> {
        None
    }

    /// Returns the index of that item, from 0.
    fn index(&self) -> Option<usize> {
        None
    }
}

/// State of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepView<'a> {
    /// Status: `completed`, `failed`, `skipped` …
    pub status: &'a str,
    /// Output of a completed step.
    pub output: Option<&'a Value>,
}

/// Scope of inputs only: for the policy, and for conditions of documents without steps.
impl Scope for BTreeMap<String, Value> {
    fn input(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }

    fn step(&self, _: &str) -> Option<StepView<'_>> {
        None
    }
}
