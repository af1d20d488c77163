use std::collections::BTreeMap;

use serde_json::Value;

/// Values that the references and the condition of a step can read.
pub trait Scope {
    /// Returns the value of an input, or `None` if it was not given and has no default.
    fn input(&self, name: &str) -> Option<&Value>;

    /// Returns the state of a step, or `None` if there is no such step.
    fn step(&self, id: &str) -> Option<StepView<'_>>;

    /// Returns the current item of a `for_each` step.
    fn item(&self) -> Option<&Value> {
        None
    }

    /// Returns the index of the current item, from 0.
    fn index(&self) -> Option<usize> {
        None
    }
}

/// State of a step, as references and conditions see it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepView<'a> {
    /// Status, such as `completed`, `failed` or `skipped`.
    pub status: &'a str,
    /// Output, if the step is completed.
    pub output: Option<&'a Value>,
}

/// Scope that contains only inputs. Used for the policy, and for conditions of documents without steps.
impl Scope for BTreeMap<String, Value> {
    fn input(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }

    fn step(&self, _: &str) -> Option<StepView<'_>> {
        None
    }
}
