//! The entries of a ranking, as returned to callers.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::records::kind::{RecordKind, Status};

/// An entry that may answer a question.
///
/// Next to the result itself, this has the figures that it's based on. They're for explanations and
/// for tuning; callers who want to know how far to trust a hit only need `confidence`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// ID of one of the record's impressions. A record without impressions has its own ID here, or
    /// else its path.
    pub id: String,
    /// Title of the record, or of a document from another source.
    pub title: String,
    /// Kind of record. [`RecordKind::Note`] for a document from another source.
    pub kind: RecordKind,
    /// The record's status.
    pub status: Status,
    /// The path of the file. A document from another source has a name instead.
    pub path: String,
    /// Day or time of the last update. Empty if unknown.
    pub updated: String,
    /// The score, in thousandths. It's meaningless outside of this ranking, so don't compare the
    /// scores of different questions.
    pub score: u32,
    /// Our confidence that the entry answers the question, in thousandths.
    pub confidence: u32,
    /// The question's words found in the entry.
    pub matched: Vec<String>,
    /// Words that only match after a spelling correction, each shown with the correction.
    pub near: Vec<String>,
    /// ID of the superseded entry that contains the words. We return the entry that replaced it.
    pub instead_of: Option<String>,
    /// Each word's part of the score.
    pub explained: Vec<TermShare>,
    /// How much feedback has raised or (if negative) lowered the score, in thousandths.
    pub learned: i32,
    /// The covered fraction of the question's information, in thousandths.
    pub share: u32,
    /// The matched words' information, in thousandths of a nat.
    pub information: u32,
    /// Number of matched distinctive words.
    pub distinctive: u32,
    /// The lead over the next entry, in thousandths of the best possible score. Only the best entry
    /// has one.
    pub lead: u32,
}

impl Hit {
    /// Joins the matched words for use in a sentence.
    #[must_use]
    pub fn has(&self) -> String {
        listed_words(&self.matched, &self.near)
    }

    /// If a superseded entry led to this one, explains which of the two contains the words. The
    /// reader would otherwise look for them in vain.
    pub(super) fn succession(&self) -> Option<String> {
        let old = self.instead_of.as_ref()?;
        Some(format!(
            "`{}` replaced `{old}`, which has: {}",
            self.id,
            self.has()
        ))
    }
}

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
