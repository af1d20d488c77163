//! The values available to a step's condition and references.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use windlass_plan::{Condition, RefError, Scope, Status, StepView, resolve_references};

use crate::{ErrorKind, StepError};

pub(crate) trait Steps {
    fn look_up(&self, id: &str) -> Option<(Status, Option<&Arc<Value>>)>;
}

#[derive(Clone, Copy)]
pub(crate) struct Instance<'a> {
    pub(crate) item: &'a Value,
    pub(crate) index: u32,
}

/// The view of one step: the inputs of the run, other steps, and the item of its instance.
pub(crate) struct StepScope<'a> {
    pub(crate) inputs: &'a BTreeMap<String, Value>,
    pub(crate) steps: &'a dyn Steps,
    pub(crate) instance: Option<Instance<'a>>,
}

impl Scope for StepScope<'_> {
    fn input(&self, name: &str) -> Option<&Value> {
        self.inputs.get(name)
    }

    fn step(&self, id: &str) -> Option<StepView<'_>> {
        let (status, output) = self.steps.look_up(id)?;
        // A failed fan-out has an output for users, which other steps mustn't see.
        let output = output
            .filter(|_| status == Status::Completed)
            .map(|value| &**value);
        Some(StepView {
            status: status.as_str(),
            output,
        })
    }

    fn item(&self) -> Option<&Value> {
        self.instance.map(|instance| instance.item)
    }

    fn index(&self) -> Option<usize> {
        self.instance.map(|instance| instance.index as usize)
    }
}

impl StepScope<'_> {
    pub(crate) fn holds(&self, condition: &Condition) -> Result<bool, StepError> {
        condition.holds(self).map_err(|error| {
            let message = format!("its condition cannot be evaluated: {error}");
            StepError {
                help: error.help,
                ..StepError::invalid(message)
            }
        })
    }

    pub(crate) fn resolve(&self, template: &Value, max_bytes: usize) -> Result<Value, StepError> {
        resolve_references(template, self, max_bytes).map_err(|error| {
            let message = error.to_string();
            match error {
                RefError::TooLarge { .. } => StepError::new(ErrorKind::TooLarge, message)
                    .help("refer to the needed part, or shorten it with a `select` step first"),
                _ => StepError::invalid(message),
            }
        })
    }

    pub(crate) fn list(&self, template: &Value, max_bytes: usize) -> Result<Vec<Value>, StepError> {
        match self.resolve(template, max_bytes)? {
            Value::Array(list) => Ok(list),
            other => {
                let message = format!("`for_each` needs a list, found {}", kind_of(&other));
                Err(StepError::invalid(message))
            }
        }
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
