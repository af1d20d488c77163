//! What a tool is.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::Value;

use crate::answer::Answered;
use crate::tool_call::Call;

/// A tool: what is said of it, and what it does.
pub(crate) struct Tool {
    /// What it is called by.
    pub(crate) name: &'static str,
    /// What a person reads.
    pub(crate) title: &'static str,
    /// What it is for, and when something else serves better.
    pub(crate) about: &'static str,
    /// What it does to the world.
    pub(crate) effect: Effect,
    /// The schema of its arguments; of those that only read, if asked for.
    pub(crate) arguments: fn(only_reading: bool) -> Value,
    /// The schema of what it gives.
    pub(crate) gives: fn() -> Value,
    /// Does what is asked for.
    pub(crate) call: fn(&Call<'_>) -> Answered,
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It changes nothing.
    Reads,
    /// Some of its actions change something.
    Writes {
        /// Whether something may be gone from sight afterwards; otherwise it only adds, or moves what it points at.
        removes: bool,
        /// Whether some of its actions change nothing.
        also_reads: bool,
        /// Whether a second call with the same arguments changes nothing more.
        repeatable: bool,
    },
}

impl Tool {
    /// Whether it is of use where nothing may be changed.
    pub(crate) fn reads(&self) -> bool {
        match self.effect {
            Effect::Reads => true,
            Effect::Writes { also_reads, .. } => also_reads,
        }
    }

    /// As clients are told of it.
    pub(crate) fn listed(&self, only_reading: bool) -> Listed {
        let arguments = object((self.arguments)(only_reading));
        Listed::new(self.name, self.about, arguments)
            .with_title(self.title)
            .with_raw_output_schema(object((self.gives)()))
            .with_annotations(self.annotations(only_reading))
    }

    /// All of them are said, since what is left out is taken for the worst. Nothing here talks to a network.
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
