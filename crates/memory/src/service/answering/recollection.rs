//! Recalls as data, in the form for programs.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_base::{NextAction, Pointer};

use crate::{Level, TermShare, listed_words};

/// Result of a recall.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Recollection {
    /// Version of this format.
    pub schema_version: u32,
    /// The query, with secret values replaced.
    pub query: String,
    /// Level of confidence that a match answers the query.
    pub level: Level,
    /// Confidence in thousandths.
    pub confidence: u32,
    /// Reason for the level.
    pub reason: String,
    /// Matches, best first. At level `none`, these are the nearest entries, which don't answer the
    /// query.
    pub matches: Vec<Recalled>,
    /// Number of matches, including those that aren't shown.
    pub total: usize,
    /// Loaded texts.
    pub loaded: Vec<Loaded>,
    /// The answer's size and its limits.
    pub budget: RecallBudget,
    /// Files and sources that could not be searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<String>,
    /// Suggested next calls.
    pub next_actions: Vec<NextAction>,
}

/// A match of a recall.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Recalled {
    /// Id accepted by `memory feedback` and `memory supersede`.
    pub id: String,
    /// Kind of record, anchor or playbook entry.
    pub kind: String,
    /// Title.
    pub title: String,
    /// Confidence in thousandths.
    pub confidence: u32,
    /// Score, which is comparable only within one answer and source.
    pub score: u32,
    /// Words of the query found in the entry.
    pub matched: Vec<String>,
    /// Words of the query found nowhere, each with the similar word it was taken for, such as
    /// `postgress (taken for postgres)`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
    /// Sources that have this entry: `memory`, `notebook`, `playbook`.
    pub sources: Vec<&'static str>,
    /// The superseded entry that matched in place of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<String>,
    /// State of the evidence, for anchors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Locations of the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Pointer>,
    /// Explanation of the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explained>,
}

impl Recalled {
    pub(super) fn has(&self) -> String {
        listed_words(&self.matched, &self.near)
    }

    /// True for an anchor that isn't verified, unless another source has the same thing.
    pub(super) fn is_lost(&self) -> bool {
        let state = self.state.as_deref();
        self.sources == ["notebook"] && !matches!(state, None | Some("fresh" | "moved"))
    }
}

/// Explanation of a match's score.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Explained {
    /// Contribution of each word.
    pub words: Vec<TermShare>,
    /// Adjustment learned from feedback on similar queries, in thousandths. Negative values lower
    /// the score.
    pub learned: i32,
}

/// A text that was loaded.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Loaded {
    /// Location of the text.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// Heading above the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Reason for loading the text.
    pub why: String,
    /// State of the anchor: `fresh`, or `moved` if the text was captured elsewhere. Text in any
    /// other state is never loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Fields of the record requested by the query. For decisions, date and owner are always
    /// included if there's room.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<LoadedField>,
    /// The lines of text, with secret values replaced.
    pub text: String,
    /// True if related text precedes this text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub begins_within: bool,
    /// True if related text follows this text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A field of a record.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LoadedField {
    /// Location of the field.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// The field's name and value, with secret values replaced.
    pub text: String,
}

/// An answer's size and its limits.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RecallBudget {
    /// Maximum number of characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_chars: Option<usize>,
    /// Maximum number of tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// Size of the output, in the unit of the limit.
    pub used: usize,
    /// True if anything was omitted to meet the limit.
    pub truncated: bool,
    /// Number of entries searched.
    pub scanned: usize,
    /// Number of summaries whose text was loaded: 0 or 1.
    pub summaries_loaded: usize,
    /// Number of records whose text was loaded.
    pub records_loaded: usize,
}
