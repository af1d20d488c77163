use std::collections::BTreeMap;

use serde_json::Value;

/// What a step may see while its references and its condition are evaluated.
pub trait Scope {
    /// The value of an input; `None` if it was not given and has no default.
    fn input(&self, name: &str) -> Option<&Value>;

    /// What is known of a step; `None` if there is no such step.
    fn step(&self, id: &str) -> Option<StepView<'_>>;

    /// The item a `for_each` step runs for.
    fn item(&self) -> Option<&Value> {
        None
    }

    /// The number of that item, from 0.
    fn index(&self) -> Option<usize> {
        None
    }
}

/// What is known of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepView<'a> {
    /// Its status: `completed`, `failed`, `skipped` …
    pub status: &'a str,
    /// Its output, if it completed.
    pub output: Option<&'a Value>,
}

/// A scope that holds inputs only: for the policy, and for conditions of documents without steps.
impl Scope for BTreeMap<String, Value> {
    fn input(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }

    fn step(&self, _: &str) -> Option<StepView<'_>> {
        None
    }
}
