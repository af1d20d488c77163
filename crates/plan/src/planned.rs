//! The parts of a plan: steps, sections and edges.

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

/// The number of attempts of a step and the delays between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// The number of attempts, including the first. Runbooks allow up to 20, formulas up to 100.
    pub max_attempts: u32,
    /// The delay before the second attempt.
    ///
    /// It doubles before each further one, and zero means no delay.
    pub backoff: Duration,
    /// The maximum delay, which is [`MAX_BACKOFF`](Self::MAX_BACKOFF) by default.
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
    /// The default maximum delay between two attempts.
    pub const MAX_BACKOFF: Duration = Duration::from_secs(60);

    /// The delay after attempt number `attempt`, counted from 1, has failed.
    #[must_use]
    pub fn delay_after(&self, attempt: u32) -> Duration {
        // After 32 attempts, the factor would overflow. The maximum delay applies long before that.
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
    /// The name, unique in the plan.
    pub id: Ident,
    /// The step kind, as in the `uses` field of the document.
    pub uses: String,
    /// The arguments. We resolve their references when the step starts.
    pub with: Value,
    /// The steps that must end before this one starts, sorted and without duplicates.
    pub needs: Vec<StepIndex>,
    /// The step is skipped if its condition is false.
    pub condition: Option<Condition>,
    /// A list, or a reference to one. The step runs once per item, and its output is the list of
    /// the items' outputs.
    pub for_each: Option<Value>,
    /// The time limit for each attempt.
    pub timeout: Option<Duration>,
    /// The time limit for all attempts together, including the delays between them.
    pub max_duration: Option<Duration>,
    /// The retry policy. By default, there's just a single attempt.
    pub retry: Retry,
    /// The effect of a failure on dependent steps.
    pub on_failure: OnFailure,
    /// If true, the step runs after all others have ended, even if some of them failed.
    pub finally: bool,
    /// The position of the step. Generated plans have none.
    pub place: Option<Place>,
}

impl PlannedStep {
    /// Creates a step without arguments, needs or conditions, and with a single attempt.
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

/// A section of the output.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedOutput {
    /// The name, which is unique among the outputs.
    pub id: Ident,
    /// The heading for readers.
    pub title: String,
    /// The step whose output to show.
    pub from: StepIndex,
    /// Picks a part of the output. Without it, we show the kind's main list, or the whole output if
    /// there's no such list.
    pub select: Option<Selector>,
    /// The key to sort by. Without it, the step kind decides about the order.
    pub sort: Option<SortKey>,
    /// The maximum number of items to show.
    pub limit: Option<u32>,
    /// The position of the section. Generated plans have none.
    pub place: Option<Place>,
}

/// Reasons for one step to need another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EdgeReason {
    /// The other step is listed in `needs`.
    Needs {
        /// The position of the list entry.
        place: Option<Place>,
    },
    /// A `$ref` uses the other step's output or status.
    Ref {
        /// The reference and its location in the step.
        taken: Box<TakenBy>,
        /// The position of the reference.
        place: Option<Place>,
    },
    /// The condition mentions the other step.
    Condition {
        /// The position of the condition.
        place: Option<Place>,
    },
}

/// A reference that causes a need.
///
/// It's boxed in [`EdgeReason`], since a plan may have many edges, and most of them don't come from
/// references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenBy {
    /// JSON pointer to the object with the `$ref`, relative to the step, e.g. `/with/files`.
    pub at: String,
    /// The reference as written, e.g. `#/steps/routes/output/files`.
    pub reference: String,
}

impl EdgeReason {
    /// The position to show in messages.
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
    /// The dependent step.
    pub step: StepIndex,
    /// The needed step.
    pub needs: StepIndex,
    /// The reason. If there are several, each of them is an edge of its own.
    pub reason: EdgeReason,
}
