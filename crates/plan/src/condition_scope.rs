use std::collections::BTreeMap;

use serde_json::Value;

/// The values visible to a step's references and condition.
pub trait Scope {
    /// Returns the value of an input, or `None` if there is neither a value nor a default.
    fn input(&self, name: &str) -> Option<&Value>;

    /// Returns the state of a step, or `None` for an unknown step.
    fn step(&self, id: &str) -> Option<StepView<'_>>;

    /// The current item of a step with `for_each`.
    fn item(&self) -> Option<&Value> {
        None
    }

    /// The index of the current item, from 0.
    fn index(&self) -> Option<usize> {
        None
    }
}

/// The state of a step, as visible to references and conditions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepView<'a> {
    /// The name of the status, e.g. `completed`, `failed` or `skipped`.
    pub status: &'a str,
    /// The output of a completed step. It is `None` for any other status.
    pub output: Option<&'a Value>,
}

/// Inputs without any steps.
///
/// We use this to bind the policy, and for documents that only have inputs.
impl Scope for BTreeMap<String, Value> {
    fn input(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }

    fn step(&self, _: &str) -> Option<StepView<'_>> {
        None
    }
}
