use std::collections::BTreeMap;

use serde_json::Value;

/// Values available to a step's references and condition.
pub trait Scope {
    /// Returns an input's value, or `None` if it wasn't given and has no default.
    fn input(&self, name: &str) -> Option<&Value>;

    /// Returns a step's state, or `None` if there's no such step.
    fn step(&self, id: &str) -> Option<StepView<'_>>;

    /// Returns a `for_each` step's current item.
    fn item(&self) -> Option<&Value> {
        None
    }

    /// Returns the current item's index, from 0.
    fn index(&self) -> Option<usize> {
        None
    }
}

/// A step's state, as seen by references and conditions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepView<'a> {
    /// Status, such as `completed`, `failed` or `skipped`.
    pub status: &'a str,
    /// Output, if the step has completed.
    pub output: Option<&'a Value>,
}

/// A scope with nothing but inputs, for the policy and for conditions in documents without steps.
impl Scope for BTreeMap<String, Value> {
    fn input(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }

    fn step(&self, _: &str) -> Option<StepView<'_>> {
        None
    }
}
