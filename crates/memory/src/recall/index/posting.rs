//! Postings: the occurrences of a term in an entry.

use super::encode::PassageCounts;
use super::entry::EntryStats;
use crate::recall::{BODY, FIELDS};

/// The occurrences of one term in one entry.
pub(crate) struct Posting {
    /// The entry's number.
    pub(crate) entry: u32,
    /// Number of occurrences in each field.
    pub(crate) counts: [u32; FIELDS],
    /// Number of occurrences in each passage of the body. Empty if the body is a single passage.
    pub(super) by_passage: PassageCounts,
}

impl Posting {
    /// Returns the number of occurrences in each field of an entry with these `stats`, with the
    /// body reduced to `passage`.
    pub(crate) fn counts_within(&self, stats: &EntryStats, passage: usize) -> [u32; FIELDS] {
        let own = self
            .by_passage
            .binary_search_by_key(&passage, |(at, _)| *at as usize);
        let mut counts = stats.shared_fields(self.counts);
        counts[BODY] = own.map_or(0, |own| self.by_passage[own].1);
        counts
    }

    /// Returns the passages to whose score the term contributes. A term in another field
    /// contributes to all of them, unless passages are independent.
    pub(crate) fn passages(&self, stats: &EntryStats) -> Vec<usize> {
        let all = 0..stats.passages.len();
        let own = self.by_passage.iter().map(|(at, _)| *at as usize);
        match stats.has_independent_passages {
            true => own.filter(|at| all.contains(at)).collect(),
            false => all.collect(),
        }
    }

    /// Adds the postings of another term to `all`. Both lists must be sorted by entry.
    pub(crate) fn merge(all: &mut Vec<Self>, others: Vec<Self>) {
        for other in others {
            match all.binary_search_by_key(&other.entry, |one| one.entry) {
                Ok(at) => all[at].add(&other),
                Err(at) => all.insert(at, other),
            }
        }
    }

    fn add(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count = count.saturating_add(more);
        }
        let own = &mut self.by_passage;
        for (passage, more) in &other.by_passage {
            match own.binary_search_by_key(passage, |(at, _)| *at) {
                Ok(at) => own[at].1 = own[at].1.saturating_add(*more),
                Err(at) => own.insert(at, (*passage, *more)),
            }
        }
    }

    /// Returns the posting for an index in which all entry numbers are higher by `offset`.
    pub(super) fn shifted(&self, offset: u32) -> Self {
        Self {
            entry: self.entry.saturating_add(offset),
            counts: self.counts,
            by_passage: self.by_passage.clone(),
        }
    }
}
