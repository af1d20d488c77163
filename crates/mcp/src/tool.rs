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
            .with_annotations(self.annotations(only_reading))
    }

    /// Returns the annotations that differ from the defaults of the protocol: a tool writes, may remove, and each call has
    /// a further effect. No tool uses the network.
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
            // The others have a meaning only for tools that write.
            _ => (Some(true), None, None),
        };
        ToolAnnotations::from_raw(None, reads, removes, repeatable, Some(false))
    }
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(fields) => Arc::new(fields),
        // Each schema is written as an object.
        _ => Arc::default(),
    }
}
