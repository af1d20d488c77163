//! The two layers of an index: the base, and the changes since it was built.

use windlass_base::Digest;

use super::changes::Changes;
use super::entry::{Entry, EntryStats};
use super::posting::Posting;
use super::segment::Segment;
use super::stamp::Stamp;

/// An index in two layers. Lookups return the same results as in an index built in one step.
#[derive(Debug)]
pub(crate) struct Layers {
    pub(super) base: Segment,
    pub(super) changes: Option<Changes>,
}

impl Layers {
    /// Returns the layer with the current tuning and the current list of unreadable files.
    pub(super) fn newest(&self) -> &Segment {
        let changes = self.changes.as_ref();
        changes.map_or(&self.base, |changes| &changes.segment)
    }

    /// Returns the base's digest, which the changes repeat to show that they belong to it.
    pub(super) fn base_digest(&self) -> Digest {
        let recorded = self.changes.as_ref().map(|changes| changes.base);
        recorded.unwrap_or_else(|| self.base.digest())
    }

    /// Returns the number of entries in the base, which is also the number of the first changed
    /// entry.
    pub(super) fn offset(&self) -> u32 {
        u32::try_from(self.base.len()).unwrap_or(u32::MAX)
    }

    /// Returns the highest entry number plus one.
    pub(crate) fn number_limit(&self) -> usize {
        let changes = self.changes.as_ref();
        self.base.len() + changes.map_or(0, |changes| changes.segment.len())
    }

    /// Returns the numbers of all entries that haven't been removed.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        let all = u32::try_from(self.number_limit()).unwrap_or(u32::MAX);
        (0..all).filter(|number| {
            let changes = self.changes.as_ref();
            changes.is_none_or(|changes| !changes.removed.contains(number))
        })
    }

    /// Returns the layer with entry `number`, and the entry's number within that layer.
    fn layer_of(&self, number: u32) -> (&Segment, u32) {
        match (number.checked_sub(self.offset()), &self.changes) {
            (Some(own), Some(changes)) => (&changes.segment, own),
            _ => (&self.base, number),
        }
    }

    /// Returns entry `number`, or `None` if it doesn't exist or is damaged.
    pub(crate) fn entry(&self, number: u32) -> Option<Entry<'_>> {
        let (segment, own) = self.layer_of(number);
        let mut entry = segment.entry(own)?;
        entry.stats = self.with_successor(number, entry.stats);
        Some(entry)
    }

    /// Returns the properties of entry `number` that affect its score.
    pub(crate) fn stats(&self, number: u32) -> Option<EntryStats> {
        let (segment, own) = self.layer_of(number);
        Some(self.with_successor(number, segment.stats(own)?))
    }

    fn with_successor(&self, number: u32, mut stats: EntryStats) -> EntryStats {
        if let Some(changes) = &self.changes {
            stats.successor = changes.successors.get(&number).copied();
        }
        stats
    }

    /// Returns the stamp of entry `number`, which changes with its document.
    pub(super) fn stamp(&self, number: u32) -> Option<&Stamp> {
        let (segment, own) = self.layer_of(number);
        segment.stamp(own)
    }

    /// Calls `visit` for each posting in the layers that have entries from number `from` on. Within
    /// a layer, postings are sorted by term and entry.
    pub(super) fn each_posting<'a>(&'a self, from: u32, visit: &mut dyn FnMut(&'a str, &Posting)) {
        let offset = self.offset();
        if from < offset {
            self.base.each_posting(visit);
        }
        if let Some(changes) = &self.changes {
            changes.segment.each_posting(&mut |term, posting| {
                visit(term, &posting.shifted(offset));
            });
        }
    }

    /// Calls `visit` with each term starting with `first`. A term may be repeated, or occur only in
    /// removed entries.
    pub(crate) fn each_term_of<'a>(&'a self, first: u8, visit: &mut dyn FnMut(&'a str)) {
        self.base.each_term_of(first, visit);
        if let Some(changes) = &self.changes {
            changes.segment.each_term_of(first, visit);
        }
    }

    /// Returns the postings of `term`, sorted by entry.
    pub(crate) fn postings(&self, term: &str) -> Vec<Posting> {
        let mut postings = self.base.postings(term);
        if let Some(changes) = &self.changes {
            postings.retain(|posting| !changes.removed.contains(&posting.entry));
            let own = changes.segment.postings(term);
            postings.extend(own.iter().map(|posting| posting.shifted(self.offset())));
        }
        postings
    }

    /// Returns the number of entries containing `term`.
    pub(crate) fn document_frequency(&self, term: &str) -> u32 {
        match &self.changes {
            Some(changes) if !changes.removed.is_empty() => {
                u32::try_from(self.postings(term).len()).unwrap_or(u32::MAX)
            }
            Some(changes) => {
                self.base.document_frequency(term) + changes.segment.document_frequency(term)
            }
            None => self.base.document_frequency(term),
        }
    }
}
