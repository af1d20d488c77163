//! Definition of a tool.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::Value;

use crate::answer::Answered;
use crate::tool_call::Call;

/// Tool: its description and its function.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// Title for people.
    pub(crate) title: &'static str,
    /// Purpose, and when another tool is better.
    pub(crate) about: &'static str,
    pub(crate) effect: Effect,
    /// Schema of its arguments; without writing ones if asked for.
    pub(crate) arguments: fn(only_reading: bool) -> Value,
    /// Schema of its result.
    pub(crate) gives: fn() -> Value,
    pub(crate) call: fn(&Call<'_>) -> Answered,
}

/// Side effects of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Changes neither files nor stored data.
    Reads,
    /// Some actions change something.
    Writes {
        /// True if it may remove something; otherwise it only adds or moves pointers.
        removes: bool,
        /// True if some of its actions change nothing.
        also_reads: bool,
        /// True if a second call with the same arguments changes nothing more.
        repeatable: bool,
    },
}

impl Tool {
    /// True if the tool is useful on a read-only server.
    pub(crate) fn reads(&self) -> bool {
        match self.effect {
            Effect::Reads => true,
            Effect::Writes { also_reads, .. } => also_reads,
        }
    }

    /// Returns the tool as listed to clients.
    pub(crate) fn listed(&self, only_reading: bool) -> Listed {
        let arguments = object((self.arguments)(only_reading));
        Listed::new(self.name, self.about, arguments)
            .with_title(self.title)
            .with_raw_output_schema(object((self.gives)()))
            .with_annotations(self.annotations(only_reading))
    }

    /// Returns all annotations, because clients assume the worst of omitted ones. No tool uses the network.
    fn annotations(&self, only_reading: bool) -> ToolAnnotations {
        let (reads, removes, repeatable) = match self.effect {
            Effect::Reads => (true, false, true),
            Effect::Writes { .. } if only_reading => (true, false, true),
            Effect::Writes {
                removes,
                repeatable,
                ..
            } => (false, removes, repeatable),
        };
        let said = [reads, removes, repeatable, false].map(Some);
        ToolAnnotations::from_raw(None, said[0], said[1], said[2], said[3])
    }
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(fields) => Arc::new(fields),
        // Each schema is written as an object.
        _ => Arc::default(),
    }
}
