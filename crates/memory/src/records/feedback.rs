use serde::{Deserialize, Serialize};

use crate::texts::json_lines::JsonLine;

/// What became of a recall.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// What was loaded made the work better.
    Helpful,
    /// It fitted the words, and did not help.
    Irrelevant,
    /// Something useful was there, and did not come up.
    Missed,
    /// Too much was loaded.
    Overloaded,
}

impl Outcome {
    /// All there are.
    pub const ALL: [Self; 4] = [
        Self::Helpful,
        Self::Irrelevant,
        Self::Missed,
        Self::Overloaded,
    ];

    /// The word, as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Helpful => "helpful",
            Self::Irrelevant => "irrelevant",
            Self::Missed => "missed",
            Self::Overloaded => "overloaded",
        }
    }

    /// The outcome that is written `text`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }
}

/// A line of `recall-feedback.jsonl`.
#[derive(Debug, Clone)]
pub struct Feedback {
    /// A cue, not what somebody typed.
    pub query: String,
    /// What became of it.
    pub outcome: Outcome,
    /// The impression it is about.
    pub matched_id: Option<String>,
    /// When it was given, a day or a time; empty where nothing is said.
    pub created: String,
    /// The line, from 1; 0 where it does not stand in the log yet.
    pub line: u32,
}

/// What stands for a recall that came up with nothing.
pub(crate) const UNMATCHED: &str = "unmatched";

/// The longest query that is a cue, in characters.
pub(crate) const MAX_QUERY: usize = 240;

/// The longest note, in characters.
pub(crate) const MAX_NOTE: usize = 240;

impl Feedback {
    /// What is on a line; none where it has no query or no known outcome.
    pub(crate) fn of(line: &JsonLine) -> Option<Self> {
        let query = line
            .text("query")
            .filter(|query| !query.trim().is_empty())?;
        let matched = line.text("matched_id");
        Some(Self {
            query: query.to_owned(),
            outcome: Outcome::parse(line.text("outcome")?)?,
            matched_id: matched.filter(|id| *id != UNMATCHED).map(str::to_owned),
            created: line.text("created").unwrap_or_default().to_owned(),
            line: line.number,
        })
    }
}
