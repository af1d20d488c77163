//! Hits: the entries of a ranking as seen by callers.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::records::kind::{RecordKind, Status};

/// An entry found for a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Id of one of the record's impressions, or else of the record. If neither has one, the path.
    pub id: String,
    /// Title of the record.
    pub title: String,
    /// Kind of record.
    pub kind: RecordKind,
    /// Status of the record.
    pub status: Status,
    /// The file's path, or the name of a document from another source.
    pub path: String,
    /// Day or time of the last update.
    pub updated: String,
    /// Score in thousandths. Scores for different questions aren't comparable.
    pub score: u32,
    /// Confidence that the entry answers the question, in thousandths.
    pub confidence: u32,
    /// Words of the question found in the entry.
    pub matched: Vec<String>,
    /// Words that match only after a spelling correction, each with its correction.
    pub near: Vec<String>,
    /// Id of the superseded entry that matched in place of this one.
    pub instead_of: Option<String>,
    /// Contribution of each word to the score.
    pub explained: Vec<TermShare>,
    /// Effect of feedback in thousandths. Negative if feedback lowered the score, and 0 without
    /// feedback.
    pub learned: i32,
    /// Share of the question's information covered by the entry, in thousandths.
    pub share: u32,
    /// Information of the matched words, in thousandths of a nat.
    pub information: u32,
    /// Number of matched distinctive words.
    pub distinctive: u32,
    /// Lead over the next entry, in thousandths of the best possible score. Only the entry with the
    /// best score has one, all others have 0.
    pub lead: u32,
}

impl Hit {
    /// Returns the matched words as a comma-separated list for use in a sentence.
    #[must_use]
    pub fn has(&self) -> String {
        listed_words(&self.matched, &self.near)
    }

    /// Returns the reason for a hit that was found through a superseded record, the one with the
    /// words. Returns `None` for any other hit.
    pub(super) fn succession(&self) -> Option<String> {
        let old = self.instead_of.as_ref()?;
        Some(format!(
            "`{}` replaced `{old}`, which has: {}",
            self.id,
            self.has()
        ))
    }
}

/// Returns the matched and corrected words as a comma-separated list for use in a sentence.
#[must_use]
pub(crate) fn listed_words(matched: &[String], near: &[String]) -> String {
    [matched, near].concat().join(", ")
}

/// Share of a word of the question in a score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TermShare {
    /// The word.
    pub word: String,
    /// Stem that was looked up.
    pub stem: String,
    /// True for the stem of another spelling: the word itself occurs nowhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_spelt_otherwise: bool,
    /// Number of entries in which it occurs.
    pub entries: u32,
    /// Information in thousandths of a nat.
    pub tells: u32,
    /// Number of occurrences by field.
    pub places: BTreeMap<&'static str, u32>,
    /// Share in the score, in thousandths.
    pub score: u32,
}
