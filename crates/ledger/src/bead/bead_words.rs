//! The vocabulary of beads: statuses, types and kinds of dependencies.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::event::Outcome;
use windlass_base::word_enum;

word_enum! {
    /// Statuses of beads.
    BeadStatus, "status" {
        /// Ready or waiting to be worked on.
        Open = "open",
        /// Being worked on.
        InProgress = "in_progress",
        /// On an agent's hook.
        Hooked = "hooked",
        /// Completed or abandoned.
        Closed = "closed",
    }
}

word_enum! {
    /// Types of work.
    IssueType, "type" {
        /// General work.
        Task = "task",
        /// A defect to fix.
        Bug = "bug",
        /// A new feature.
        Feature = "feature",
        /// A large piece of work with children.
        Epic = "epic",
        /// A change to review.
        MergeRequest = "merge-request",
    }
}

/// Kinds of dependencies between two beads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum DependencyKind {
    /// Waits until the other bead is closed.
    Blocks,
    /// Is part of the other bead and waits for everything that bead waits for.
    ParentChild,
    /// Can only begin if the other bead fails.
    ConditionalBlocks,
    /// Waits for the children of the other bead.
    WaitsFor,
    /// Waits for nothing. Examples are `related`, `discovered-from` and `duplicates`.
    Other(String),
}

impl DependencyKind {
    /// The form in which the log and `issues.jsonl` have it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Blocks => "blocks",
            Self::ParentChild => "parent-child",
            Self::ConditionalBlocks => "conditional-blocks",
            Self::WaitsFor => "waits-for",
            Self::Other(word) => word,
        }
    }

    /// The phrase that connects a bead to its dependency in messages, e.g. "needs".
    #[must_use]
    pub fn in_words(&self) -> &str {
        match self {
            Self::Blocks => "needs",
            Self::ParentChild => "part of",
            Self::ConditionalBlocks => "needs the failure of",
            Self::WaitsFor => "needs the children of",
            Self::Other(word) => word,
        }
    }

    /// Parses a kind, treating `_` as `-`. An unknown word becomes [`Self::Other`], spelled as it
    /// was.
    #[must_use]
    pub fn of(word: &str) -> Self {
        match word.replace('_', "-").as_str() {
            "blocks" => Self::Blocks,
            "parent-child" => Self::ParentChild,
            "conditional-blocks" => Self::ConditionalBlocks,
            "waits-for" => Self::WaitsFor,
            _ => Self::Other(word.to_owned()),
        }
    }
}

impl Serialize for DependencyKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for DependencyKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|word| Self::of(&word))
    }
}

impl JsonSchema for DependencyKind {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "DependencyKind".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "`blocks`, `parent-child`, `conditional-blocks` and `waits-for` block; every other word only relates the two beads."
        })
    }
}

/// First words of close reasons that mark a bead as failed. Other tools have no field for the
/// outcome, so the reason is all we have.
const FAILURE_WORDS: [&str; 10] = [
    "failed",
    "failure",
    "rejected",
    "wontfix",
    "won't fix",
    "cancelled",
    "canceled",
    "abandoned",
    "timed out",
    "aborted",
];

/// Derives a closed bead's outcome from its close reason: a reason that begins with one of the
/// [`FAILURE_WORDS`] means that the bead failed.
///
/// This is a guess, and it's sometimes wrong. For example, a success described as "failed tests are
/// gone" counts as a failure.
pub(crate) fn outcome_of(reason: &str) -> Outcome {
    let reason = reason.trim().to_lowercase();
    match FAILURE_WORDS.iter().any(|word| reason.starts_with(word)) {
        true => Outcome::Failed,
        false => Outcome::Done,
    }
}
