//! Record of how a text was searched for, step by step.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_base::Judgement;

/// A step of looking for a text that is no longer where it was captured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Step {
    /// Stage: `place`, `same_file`, `old_text`, `noted`, `history`, `comparison`, `other_files`,
    /// `symbol`, `verdict`.
    pub stage: &'static str,
    /// Finding of the stage.
    pub found: String,
}

/// Steps of a search so far. Nothing is recorded unless an explanation was requested.
#[derive(Debug, Default)]
pub(crate) struct Trace(Option<Vec<Step>>);

impl Trace {
    pub(crate) fn kept() -> Self {
        Self(Some(Vec::new()))
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn note<S: Into<String>>(&mut self, stage: &'static str, found: impl FnOnce() -> S) {
        if let Some(steps) = &mut self.0 {
            let found = found().into();
            steps.push(Step { stage, found });
        }
    }

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
