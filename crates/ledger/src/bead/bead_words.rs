//! The words that stand in beads: statuses, types, kinds of dependencies.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::event::Outcome;
use crate::word_enum::word_enum;

word_enum! {
    /// Where a bead stands.
    BeadStatus, "status" {
        /// To be worked on.
        Open = "open",
        /// Being worked on.
        InProgress = "in_progress",
        /// On an agent's hook.
        Hooked = "hooked",
        /// Done, or given up.
        Closed = "closed",
    }
}

word_enum! {
    /// What sort of work a bead is.
    IssueType, "type" {
        /// Work.
        Task = "task",
        /// Something to be mended.
        Bug = "bug",
        /// Something new.
        Feature = "feature",
        /// Something large, with children.
        Epic = "epic",
        /// A change to be reviewed.
        MergeRequest = "merge-request",
    }
}

/// In which way one bead depends on another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum DependencyKind {
    /// Waits until the other is closed.
    Blocks,
    /// Is a part of the other: waits for what the other waits for.
    ParentChild,
    /// Runs only if the other fails.
    ConditionalBlocks,
    /// Waits for the children of the other.
    WaitsFor,
    /// Waits for nothing: `related`, `discovered-from`, `duplicates` …
    Other(String),
}

impl DependencyKind {
    /// As it is written.
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

    /// As it reads between a bead and the one it depends on.
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

    /// The kind that is called `word`, also with `_` for `-`.
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
            "description": "`blocks`, `parent-child`, `conditional-blocks` and `waits-for` are waited for; every other word only says that the two have to do with each other."
        })
    }
}

/// Words with which other tools say that a closed bead failed; they have no field for it.
const FAILURES: [&str; 10] = [
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

/// How a bead ended that was closed for `reason`, where nothing else says it: it failed when the reason begins with a
/// word for that.
pub(crate) fn outcome_of(reason: &str) -> Outcome {
    let reason = reason.trim().to_lowercase();
    match FAILURES.iter().any(|word| reason.starts_with(word)) {
        true => Outcome::Failed,
        false => Outcome::Done,
    }
}
