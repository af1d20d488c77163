//! Postings, encoded as variable-length numbers.
//!
//! A posting consists of the distance from the previous entry's number, a mask of the fields with
//! the term, and a count for each of these fields. A field without the term costs nothing but a bit
//! of the mask. If the body has several passages, pairs of passage number and count follow.

use windlass_base::{put_leb128, take_leb128};

use super::counts::{FieldCounts, PassageCounts};
use super::entry::EntryStats;
use crate::recall::{BODY, FIELDS};

/// Bit of the mask above those of the fields. If set, counts by passage follow.
const BY_PASSAGE: u32 = 1 << FIELDS;

/// The occurrences of one term in one entry.
pub(crate) struct Posting {
    pub(crate) entry: u32,
    pub(crate) counts: [u32; FIELDS],
    /// Number of occurrences by passage. Empty if the body is a single passage.
    pub(super) by_passage: PassageCounts,
}

impl Posting {
    /// Appends a posting to `list`. `gap` is the distance from the previous posting's entry number.
    pub(super) fn encode(
        list: &mut Vec<u8>,
        gap: u32,
        counts: &FieldCounts,
        by_passage: &PassageCounts,
    ) {
        let fields = (0..FIELDS).filter(|field| counts[*field] > 0);
        let mask = fields.fold(0, |mask, field| mask | 1 << field);
        let passages = by_passage
            .iter()
            .flat_map(|(passage, count)| [*passage, *count]);
        put_leb128(list, gap);
        match by_passage.len() {
            0 => put_leb128(list, mask),
            _ => put_leb128(list, mask | BY_PASSAGE),
        }
        let counts = counts.iter().copied().filter(|count| *count > 0);
        counts.for_each(|count| put_leb128(list, count));
        if !by_passage.is_empty() {
            put_leb128(list, u32::try_from(by_passage.len()).unwrap_or(u32::MAX));
            passages.for_each(|number| put_leb128(list, number));
        }
    }

    /// Takes the first posting off `list`. `before` is the previous posting's entry number. Returns
    /// `None` if the bytes are damaged.
    pub(super) fn decode(list: &mut &[u8], before: u32) -> Option<Self> {
        let entry = before.checked_add(take_leb128(list)?)?;
        let mask = take_leb128(list)?;
        let mut counts = [0; FIELDS];
        for (field, count) in counts.iter_mut().enumerate() {
            if mask & (1 << field) != 0 {
                *count = take_leb128(list)?;
            }
        }
        let passages = match mask & BY_PASSAGE {
            0 => 0,
            _ => take_leb128(list)?,
        };
        let by_passage = (0..passages).map(|_| Some((take_leb128(list)?, take_leb128(list)?)));
        Some(Self {
            entry,
            counts,
            by_passage: by_passage.collect::<Option<_>>()?,
        })
    }

    /// Counts to use when scoring `passage`, as if it were the whole body.
    pub(crate) fn counts_within(&self, stats: &EntryStats, passage: usize) -> [u32; FIELDS] {
        let own = self
            .by_passage
            .binary_search_by_key(&passage, |(at, _)| *at as usize);
        // The title and the keywords also describe each passage, unless passages are independent.
        // In that case, `shared_fields` returns zeros.
        let mut counts = stats.shared_fields(self.counts);
        counts[BODY] = own.map_or(0, |own| self.by_passage[own].1);
        counts
    }

    /// The passages whose score the term affects. A word in the title or another field counts for
    /// all passages, unless they are independent, like the events of a month.
    pub(crate) fn passages(&self, stats: &EntryStats) -> Vec<usize> {
        let all = 0..stats.passages.len();
        let own = self.by_passage.iter().map(|(at, _)| *at as usize);
        match stats.has_independent_passages {
            // `decode` doesn't know the number of passages, so the numbers may be out of range.
            true => own.filter(|at| all.contains(at)).collect(),
            false => all.collect(),
        }
    }

    /// Merges another term's postings into `all`, which must be sorted by entry. We need this if a
    /// word is looked up in two forms, e.g. as its stem and as written.
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
}
