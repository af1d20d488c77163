//! Definition of a tool.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::Value;

use crate::actions::{Action, names, offers};
use crate::answer::Answered;
use crate::tool_call::Call;
use crate::tool_schema::{Fields, arguments, one_of};

pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// The name that clients show to their users.
    pub(crate) title: &'static str,
    /// The tool's purpose, and when to use another one instead. Each word costs tokens in every
    /// session, so keep this short.
    pub(crate) about: &'static str,
    pub(crate) effect: Effect,
    /// The values of `action`, or none if the tool has no such argument.
    pub(crate) actions: &'static [Action],
    /// Schemas of its own arguments, apart from `action`.
    pub(crate) fields: fn() -> Fields,
    /// Arguments that every call needs.
    pub(crate) required: &'static [&'static str],
    pub(crate) call: fn(&Call<'_>) -> Answered,
}

/// The effects of a tool beyond its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Reads,
    /// Some or all actions change something.
    Writes {
        /// True if it may remove something. Otherwise it only adds or moves pointers.
        removes: bool,
        also_reads: bool,
        /// True if the same call has no further effect the second time.
        repeatable: bool,
    },
}

impl Tool {
    pub(crate) fn reads(&self) -> bool {
        match self.effect {
            Effect::Reads => true,
            Effect::Writes { also_reads, .. } => also_reads,
        }
    }

    /// Returns the schema of the arguments. With `only_reading`, it lacks the actions and arguments
    /// that only serve for writing.
    pub(crate) fn schema(&self, only_reading: bool) -> Value {
        let mut fields = (self.fields)();
        fields.retain(|(name, _)| offers(self.actions, name, only_reading));
        if !self.actions.is_empty() {
            let actions = one_of(&names(self.actions, only_reading));
            fields.insert(0, ("action", actions));
        }
        arguments(fields, self.required)
    }

    pub(crate) fn listed(&self, only_reading: bool) -> Listed {
        let arguments = object(self.schema(only_reading));
        Listed::new(self.name, self.about, arguments)
            .with_title(self.title)
            .with_annotations(self.annotations(only_reading))
    }

    /// Returns the annotations that differ from the protocol's defaults.
    ///
    /// By default, a tool writes, may remove something, has a further effect with each call, and
    /// uses the network. None of our tools uses the network, so we always send that one.
    fn annotations(&self, only_reading: bool) -> ToolAnnotations {
        let (reads, removes, repeatable) = match self.effect {
            Effect::Writes {
                removes,
                repeatable,
                ..
            } if !only_reading => (
                None,
                (!removes).then_some(false),
                repeatable.then_some(true),
            ),
            // If a tool doesn't write, the other annotations mean nothing.
            _ => (Some(true), None, None),
        };
        ToolAnnotations::from_raw(None, reads, removes, repeatable, Some(false))
    }
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(fields) => Arc::new(fields),
        // All schemas are objects.
        _ => Arc::default(),
    }
}
