//! Trace of a search for a text, step by step.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_base::Judgement;

/// A step of looking for a text that is no longer where it was captured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Step {
    /// Stage: `place`, `same_file`, `old_text`, `noted`, `history`, `comparison`, `other_files`, `words`, `symbol`, `verdict`.
    pub stage: &'static str,
    /// Finding of the stage.
    pub found: String,
}

/// Trace of a search. It records nothing unless an explanation was requested.
#[derive(Debug, Default)]
pub(crate) struct Trace(Option<Vec<Step>>);

impl Trace {
    pub(crate) fn kept() -> Self {
        Self(Some(Vec::new()))
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn note(&mut self, stage: &'static str, found: impl FnOnce() -> String) {
        if let Some(steps) = &mut self.0 {
            steps.push(Step {
                stage,
                found: found(),
            });
        }
    }

    /// Records the result of the comparison with the lines at the captured location.
    pub(crate) fn place(&mut self, there: &Judgement) {
        self.note("place", || match (&there.reason, there.status) {
            (Some(reason), status) => format!("{}: {reason}", status.as_str()),
            (None, status) => status.as_str().to_owned(),
        });
    }

    pub(crate) fn into_steps(self) -> Vec<Step> {
        self.0.unwrap_or_default()
    }
}
