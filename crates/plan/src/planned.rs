//! The parts of a plan: steps, sections, edges.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::{Ident, Place};

use crate::{Condition, Selector, SortKey, StepIndex};

/// What becomes of the steps that need this one when it fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// They are held back.
    #[default]
    Stop,
    /// They start, and the whole is `partial`.
    Continue,
}

/// Whether and how a failed attempt is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// The most attempts, the first included: 1 to 20.
    pub max_attempts: u32,
    /// The wait before the second attempt; it doubles each time. Zero if there is none.
    pub backoff: Duration,
    /// The longest wait.
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
    /// The longest wait where none is named.
    pub const MAX_BACKOFF: Duration = Duration::from_secs(60);

    /// The wait between failed attempt `attempt` (from 1) and the next.
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

/// One step of a plan, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedStep {
    /// Its name, unique in the plan.
    pub id: Ident,
    /// The step kind.
    pub uses: String,
    /// The arguments, references still in them.
    pub with: Value,
    /// The steps that must have ended before it starts: sorted, each once.
    pub needs: Vec<StepIndex>,
    /// When it is false, the step is skipped.
    pub condition: Option<Condition>,
    /// A list, or a reference to one: the step runs once for each item, its output is the list of outputs.
    pub for_each: Option<Value>,
    /// How long one attempt may take.
    pub timeout: Option<Duration>,
    /// How long all attempts may take together, waiting included.
    pub max_duration: Option<Duration>,
    /// Whether and how a failed attempt is made again.
    pub retry: Retry,
    /// What becomes of its dependents when it fails.
    pub on_failure: OnFailure,
    /// Whether it runs after all others have ended, whatever became of them.
    pub finally: bool,
    /// Where it stands in its document.
    pub place: Option<Place>,
}

impl PlannedStep {
    /// A step without arguments, needs or conditions.
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

/// One section to show.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedOutput {
    /// Its name, unique among the outputs.
    pub id: Ident,
    /// Its heading.
    pub title: String,
    /// The step whose output it shows.
    pub from: StepIndex,
    /// What it shows of the output; all of it if there is none.
    pub select: Option<Selector>,
    /// What its items are sorted by, where the document says so.
    pub sort: Option<SortKey>,
    /// The most items to show.
    pub limit: Option<u32>,
    /// Where it stands in its document.
    pub place: Option<Place>,
}

/// Why a step needs another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EdgeReason {
    /// `needs` says so.
    Needs {
        /// Where.
        place: Option<Place>,
    },
    /// A `$ref` takes its output or status.
    Ref {
        /// Which.
        taken: Box<TakenBy>,
        /// Where.
        place: Option<Place>,
    },
    /// The condition mentions it.
    Condition {
        /// Where.
        place: Option<Place>,
    },
}

/// A `$ref` that makes one step need another. There may be many edges and few of these, hence the box around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenBy {
    /// The JSON pointer, within the step, of the object that holds the `$ref`: `/with/files`.
    pub at: String,
    /// The reference: `#/steps/routes/output/files`.
    pub reference: String,
}

impl EdgeReason {
    /// Where the document says so.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Needs { place } | Self::Ref { place, .. } | Self::Condition { place } => {
                place.as_ref()
            }
        }
    }
}

/// One step needs another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The step that needs.
    pub step: StepIndex,
    /// The step it needs.
    pub needs: StepIndex,
    /// Why.
    pub reason: EdgeReason,
}
