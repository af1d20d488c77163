//! Parts of a plan: steps, sections and edges.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::{Ident, Place};

use crate::{Condition, Selector, SortKey, StepIndex};

/// Possible effects of a failed step on its dependents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// Dependents are held back.
    #[default]
    Stop,
    /// Dependents start, and the run as a whole is `partial`.
    Continue,
}

/// Limits for a step's attempts, and the delays in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Maximum number of attempts, including the first. Ranges from 1 to 20.
    pub max_attempts: u32,
    /// Delay before the second attempt, doubled for each further attempt. Zero means no delay.
    pub backoff: Duration,
    /// Maximum delay between two attempts, if limited.
    pub max_backoff: Option<Duration>,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            max_attempts: 1,
            backoff: Duration::ZERO,
            max_backoff: None,
        }
    }
}

impl Retry {
    /// Default maximum delay between two attempts.
    pub const MAX_BACKOFF: Duration = Duration::from_secs(60);

    /// Returns the delay after the failed attempt number `attempt`, counted from 1.
    #[must_use]
    pub fn delay_after(&self, attempt: u32) -> Duration {
        let factor = 1_u32
            .checked_shl(attempt.saturating_sub(1))
            .unwrap_or(u32::MAX);
        self.backoff
            .saturating_mul(factor)
            .min(self.max_backoff.unwrap_or(Self::MAX_BACKOFF))
    }
}

/// A step in a checked plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedStep {
    /// The step's name, unique in the plan.
    pub id: Ident,
    /// The step kind's name, as in `uses`.
    pub uses: String,
    /// Arguments, with unresolved references.
    pub with: Value,
    /// Steps that must end before this one starts, sorted and without duplicates.
    pub needs: Vec<StepIndex>,
    /// Condition, if any. If it's false, we skip the step.
    pub condition: Option<Condition>,
    /// A list, or a reference to one. The step runs once per item, and its output is the list of
    /// their outputs.
    pub for_each: Option<Value>,
    /// Time limit for each attempt.
    pub timeout: Option<Duration>,
    /// Time limit for all attempts together, including the delays between them.
    pub max_duration: Option<Duration>,
    /// Retry policy. There's only one attempt by default.
    pub retry: Retry,
    /// Effect of a failure on the steps that need this one.
    pub on_failure: OnFailure,
    /// True if the step runs after all others have ended, successfully or not.
    pub finally: bool,
    /// Position in the document.
    pub place: Option<Place>,
}

impl PlannedStep {
    /// Creates a step without arguments, needs or conditions.
    #[must_use]
    pub fn new(id: Ident, uses: impl Into<String>) -> Self {
        Self {
            id,
            uses: uses.into(),
            with: Value::Object(serde_json::Map::new()),
            needs: Vec::new(),
            condition: None,
            for_each: None,
            timeout: None,
            max_duration: None,
            retry: Retry::default(),
            on_failure: OnFailure::default(),
            finally: false,
            place: None,
        }
    }
}

/// A section to show.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedOutput {
    /// The section's name, unique among the outputs.
    pub id: Ident,
    /// The heading, as seen by readers.
    pub title: String,
    /// The step whose output the section shows.
    pub from: StepIndex,
    /// The part of the output to show, or `None` to show all of it.
    pub select: Option<Selector>,
    /// The sort key, if specified by the document.
    pub sort: Option<SortKey>,
    /// Maximum number of items.
    pub limit: Option<u32>,
    /// Position in the document.
    pub place: Option<Place>,
}

/// Reasons why one step needs another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EdgeReason {
    /// The step is listed in `needs`.
    Needs {
        /// The list entry's position in the document.
        place: Option<Place>,
    },
    /// A `$ref` uses the step's output or status.
    Ref {
        /// The reference and its location in the step.
        taken: Box<TakenBy>,
        /// The reference's position in the document.
        place: Option<Place>,
    },
    /// A condition mentions the step.
    Condition {
        /// The condition's position in the document.
        place: Option<Place>,
    },
}

/// A reference that makes one step need another. We box it because plans have many edges, but few
/// of them come from references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenBy {
    /// JSON pointer to the object with the `$ref`, relative to the step: `/with/files`.
    pub at: String,
    /// The reference as written: `#/steps/routes/output/files`.
    pub reference: String,
}

impl EdgeReason {
    /// Returns the reason's position.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Needs { place } | Self::Ref { place, .. } | Self::Condition { place } => {
                place.as_ref()
            }
        }
    }
}

/// A dependency between two steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The waiting step.
    pub step: StepIndex,
    /// The step it waits for.
    pub needs: StepIndex,
    /// The reason for waiting.
    pub reason: EdgeReason,
}
