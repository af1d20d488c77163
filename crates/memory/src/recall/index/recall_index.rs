use std::borrow::Cow;

use super::segment::Segment;
use super::statistics::Statistics;
use crate::recall::question::{Query, Speller};
use crate::recall::rank::{Ranking, Search, Tuning};

/// An index that is ready for searching. Entries and postings are only decoded when they are
/// needed.
#[derive(Debug)]
pub struct RecallIndex {
    pub(crate) segment: Segment,
    pub(crate) statistics: Statistics,
    /// Number of entries in other sources that are searched for the same question.
    pub(crate) beside: usize,
}

impl RecallIndex {
    /// Opens an encoded index. Returns `None` if the bytes are damaged, or are those of another
    /// version.
    #[must_use]
    pub fn open(bytes: Vec<u8>) -> Option<Self> {
        let segment = Segment::open(bytes)?;
        let statistics = Statistics::of(&segment);
        Some(Self {
            segment,
            statistics,
            beside: 0,
        })
    }

    /// Returns the parts of the memory that could not be read and are not searched, each with the
    /// reason.
    #[must_use]
    pub fn unreadable(&self) -> &[(String, String)] {
        &self.segment.facts.unreadable
    }

    /// Returns what we have learned from feedback.
    #[must_use]
    pub fn tuning(&self) -> &Tuning {
        &self.segment.facts.tuning
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.statistics.entries
    }

    /// Returns true if there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets the number of entries in other sources.
    ///
    /// The confidence depends on the number of entries. If the indexes of several sources disagreed
    /// about it, their hits could not be compared.
    #[must_use]
    pub fn beside(mut self, entries: usize) -> Self {
        self.beside = entries;
        self
    }

    /// Corrects the spelling of words that no entry contains.
    #[must_use]
    pub fn corrected<'q>(&self, query: &'q Query) -> Cow<'q, Query> {
        Speller::of(&self.segment).corrected(query)
    }

    /// Ranks the entries for a question, and returns at most `limit` of them. The query does not
    /// have to be corrected before.
    #[must_use]
    pub fn recall(&self, query: &Query, limit: usize) -> Ranking {
        Search::of(self, &self.corrected(query)).ranking(limit)
    }
}
