//! Definition of a tool.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::Value;

use crate::answer::Answered;
use crate::tool_call::Call;

/// A tool's description and function.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// Title shown to people.
    pub(crate) title: &'static str,
    /// Its purpose, and cases for another tool.
    pub(crate) about: &'static str,
    pub(crate) effect: Effect,
    /// Schema of the arguments. With `only_reading`, it has no arguments for writing.
    pub(crate) arguments: fn(only_reading: bool) -> Value,
    pub(crate) call: fn(&Call<'_>) -> Answered,
}

/// Side effects of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Changes neither files nor stored data.
    Reads,
    /// Changes something in at least some actions.
    Writes {
        /// True if it may remove something. Otherwise it only adds or moves pointers.
        removes: bool,
        /// True if some actions change nothing.
        also_reads: bool,
        /// True if repeating a call changes nothing more.
        repeatable: bool,
    },
}

impl Tool {
    /// Returns true if a read-only server can offer the tool.
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

    /// Returns the annotations that differ from the protocol's defaults. By default, a tool writes,
    /// may remove, and has a further effect with each call. Tools of Windlass never use the
    /// network.
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
            // The other annotations are only meaningful for tools that write.
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
