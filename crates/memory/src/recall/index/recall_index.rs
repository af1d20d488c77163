//! An index opened for searching.

use std::borrow::Cow;

use super::changes::Changes;
use super::layers::Layers;
use super::segment::Segment;
use super::statistics::Statistics;
use crate::recall::question::{Query, Speller};
use crate::recall::rank::{Ranking, Search, Tuning};

/// An index that answers questions. Entries and postings are decoded from the bytes on demand.
#[derive(Debug)]
pub struct RecallIndex {
    pub(crate) layers: Layers,
    pub(crate) statistics: Statistics,
    /// Number of entries in other sources searched for the same question.
    pub(crate) beside: usize,
}

impl RecallIndex {
    /// Opens an index, or returns `None` if the bytes are damaged or have another version.
    #[must_use]
    pub fn open(bytes: Vec<u8>) -> Option<Self> {
        Some(Self::of(Segment::open(bytes)?, None))
    }

    /// Opens an index with the changes since it was built, or returns `None` if either is damaged
    /// or has another version. The caller must ensure that `changes` belong to `base`.
    #[must_use]
    pub fn open_changed(base: Vec<u8>, changes: &[u8]) -> Option<Self> {
        let (base, changes) = (Segment::open(base)?, Changes::open(changes)?);
        let fits = changes.as_ref().is_none_or(|it| it.fits(base.len()));
        fits.then(|| Self::of(base, changes))
    }

    fn of(base: Segment, changes: Option<Changes>) -> Self {
        let layers = Layers { base, changes };
        let statistics = Statistics::of(&layers);
        Self {
            layers,
            statistics,
            beside: 0,
        }
    }

    /// Returns the bytes of the base, without the changes.
    #[must_use]
    pub fn into_base(self) -> Vec<u8> {
        self.layers.base.into_bytes()
    }

    /// Returns the parts of the memory that couldn't be read, with reasons. They aren't searched.
    #[must_use]
    pub fn unreadable(&self) -> &[(String, String)] {
        &self.layers.newest().unreadable
    }

    /// Returns the adjustments learned from feedback.
    #[must_use]
    pub fn tuning(&self) -> &Tuning {
        &self.layers.newest().tuning
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

    /// Prepares the index for a search that also covers `entries` entries in other sources. Without
    /// it, the confidences of the two wouldn't be comparable.
    #[must_use]
    pub fn beside(mut self, entries: usize) -> Self {
        self.beside = entries;
        self
    }

    /// Returns `query` with spelling corrections for words missing from the index.
    #[must_use]
    pub fn corrected<'q>(&self, query: &'q Query) -> Cow<'q, Query> {
        Speller::of(&self.layers).corrected(query)
    }

    /// Ranks the entries for `query` and returns at most `limit` of them.
    #[must_use]
    pub fn recall(&self, query: &Query, limit: usize) -> Ranking {
        Search::of(self, &self.corrected(query)).ranking(limit)
    }
}
