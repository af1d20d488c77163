use std::collections::BTreeMap;

use serde::Serialize;

use windlass_search::{Features, Tier as Level};

use crate::records::kind::{RecordKind, Status};

/// What was found, the best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// How sure it is that something of it is meant.
    pub level: Level,
    /// The same, in thousandths.
    pub confidence: u32,
    /// Why it is that level.
    pub reason: String,
    /// What was found.
    pub hits: Vec<Hit>,
    /// How many entries have a word of the question.
    pub total: usize,
    /// How many were looked through.
    pub searched: usize,
    /// The most records that are to be loaded.
    pub most_records: usize,
    /// From so many thousandths on it is weak, and strong.
    pub(super) bounds: (i64, i64),
}

impl Ranking {
    /// How sure something is that was found elsewhere, by the bounds that hold here.
    #[must_use]
    pub fn level_of(&self, confidence: u32) -> Level {
        Level::within(self.bounds, confidence)
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its name.
    pub id: String,
    /// What a person calls it.
    pub title: String,
    /// What it is.
    pub kind: RecordKind,
    /// Whether it is to be relied on.
    pub status: Status,
    /// Where it lies.
    pub path: String,
    /// When it was last written.
    pub updated: String,
    /// How well it fits, in thousandths of a point; only comparable within one question.
    pub score: u32,
    /// How sure it is that it is meant, in thousandths.
    pub confidence: u32,
    /// The words of the question that stand in it.
    pub matched: Vec<String>,
    /// Those that stand in it a letter or two otherwise, each with the word that it is taken for.
    pub near: Vec<String>,
    /// What it replaced, where that is what was found.
    pub instead_of: Option<String>,
    /// What each word gave.
    pub explained: Vec<TermShare>,
    /// What was learned of it from feedback, in thousandths; 0 for nothing.
    pub learned: i32,
    /// Features of which its confidence is made.
    pub features: Features,
}

impl Hit {
    /// The words of the question that stand in it, for a sentence.
    #[must_use]
    pub fn has(&self) -> String {
        words_told(&self.matched, &self.near)
    }
}

/// These words that stand somewhere, and those that stand there `near`ly so, for a sentence.
#[must_use]
pub(crate) fn words_told(matched: &[String], near: &[String]) -> String {
    [matched, near].concat().join(", ")
}

/// What a word of the question gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TermShare {
    /// The word.
    pub word: String,
    /// What it was looked for as.
    pub stem: String,
    /// Whether that is another word, a letter or two otherwise: the word itself stands nowhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_spelt_otherwise: bool,
    /// In how many entries it stands.
    pub entries: u32,
    /// How much it tells, in thousandths of a nat.
    pub tells: u32,
    /// Where it stands, and how often.
    pub places: BTreeMap<&'static str, u32>,
    /// What it gave, in thousandths of a point.
    pub score: u32,
}
