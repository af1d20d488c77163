//! Renews an index without parsing or encoding unchanged documents again.

use std::borrow::Cow;

use super::build::whole_index;
use super::changes::NewChanges;
use super::document::Document;
use super::documents::Documents;
use super::encode::{IndexedDocument, TermCounts, encode};
use super::layers::Layers;
use super::recall_index::RecallIndex;
use crate::recall::rank::Tuning;
use crate::records::record::Record;
use crate::state::memory::Memory;

/// Number of changes that always fit into a layer, even if the index is small.
const MIN_LIMIT: usize = 64;
/// Divisor for a large index, which stores at most an eighth of its entries as changes. Replaced
/// entries stay in the base, so every search pays for both versions.
const LIMIT_SHARE: usize = 8;

/// The outcome of renewing an index.
#[derive(Debug, PartialEq, Eq)]
pub enum Renewed {
    /// A complete new index, equal to the result of [`build_index`](super::build_index).
    Whole(Vec<u8>),
    /// Changes since the earlier index's base was built.
    Changes(Vec<u8>),
}

/// Renews the index `before` for the current `memory`. The result answers exactly like a new index
/// from [`build_index`](super::build_index). `before` must have been built with the same `shown`.
#[must_use]
pub fn renew_index(
    before: &RecallIndex,
    memory: &Memory,
    shown: &(dyn Fn(&Record) -> String + Sync),
    threads: usize,
) -> Renewed {
    let limit = MIN_LIMIT.max(before.layers.base.len() / LIMIT_SHARE);
    renew_within(limit, before, memory, shown, threads)
}

/// Renews an index like [`renew_index`], with at most `limit` changes in a layer.
pub(crate) fn renew_within(
    limit: usize,
    before: &RecallIndex,
    memory: &Memory,
    shown: &(dyn Fn(&Record) -> String + Sync),
    threads: usize,
) -> Renewed {
    let documents = Documents::of(memory, threads);
    let before = &before.layers;
    let known = KnownEntries::of(before, &documents);
    let base = before.offset();
    let is_in_base = |number: &Option<u32>| number.is_some_and(|number| number < base);
    let kept = known.0.iter().filter(|number| is_in_base(number)).count();
    let (changed, removed) = (documents.all.len() - kept, before.base.len() - kept);
    if changed.max(removed) > limit {
        let indexed = known.indexed(before, &documents, &|_| true, shown, threads);
        return Renewed::Whole(whole_index(&documents, indexed));
    }
    let is_new = |at: usize| !is_in_base(&known.0[at]);
    let indexed = known.indexed(before, &documents, &is_new, shown, threads);
    let tuning = Tuning::learn(&documents.feedback());
    let changes = NewChanges {
        removed: known.removed(base),
        successors: known.successors(base, &documents),
        segment: encode(&indexed, &tuning, &memory.unreadable()),
    };
    Renewed::Changes(changes.encode(&before.base_digest()))
}

/// Each document's entry number in an earlier index, or `None` if the document is new or has
/// changed.
struct KnownEntries(Vec<Option<u32>>);

impl KnownEntries {
    fn of(before: &Layers, documents: &Documents<'_>) -> Self {
        let mut numbers: Vec<(&str, u32)> = before
            .numbers()
            .filter_map(|number| Some((before.entry(number)?.path, number)))
            .collect();
        numbers.sort_unstable();
        let mut numbers = numbers.into_iter().peekable();
        let known = documents.all.iter().map(|document| {
            while numbers.next_if(|(path, _)| *path < document.path).is_some() {}
            let (_, number) = numbers.next_if(|(path, _)| *path == document.path)?;
            (before.stamp(number) == Some(&document.stamp)).then_some(number)
        });
        Self(known.collect())
    }

    /// Returns the documents whose index satisfies `wanted`, with their terms.
    fn indexed<'a>(
        &self,
        before: &'a Layers,
        documents: &Documents<'_>,
        wanted: &dyn Fn(usize) -> bool,
        shown: &(dyn Fn(&Record) -> String + Sync),
        threads: usize,
    ) -> Vec<IndexedDocument<'a>> {
        let wanted: Vec<usize> = (0..documents.all.len()).filter(|at| wanted(*at)).collect();
        let terms = self.known_terms(before, &wanted);
        let jobs: Vec<(&Document<'_>, Option<u32>, Vec<_>)> = wanted
            .iter()
            .zip(terms)
            .map(|(at, terms)| (&documents.all[*at], self.0[*at], terms))
            .collect();
        let pieces = windlass_base::in_parallel(&jobs, threads, 32, |jobs| {
            let indexed = jobs.iter().map(|(document, number, terms)| {
                match number.and_then(|number| before.entry(number)) {
                    Some(entry) => document.reused(entry, terms.clone()),
                    None => document.indexed(shown),
                }
            });
            indexed.collect::<Vec<_>>()
        });
        pieces.into_iter().flatten().collect()
    }

    /// Returns the known terms of each `wanted` document. The list is empty if the document is new
    /// or has changed.
    fn known_terms<'a>(&self, before: &'a Layers, wanted: &[usize]) -> Vec<Vec<TermCounts<'a>>> {
        let mut terms: Vec<Vec<TermCounts<'a>>> = vec![Vec::new(); wanted.len()];
        let mut by_number = vec![None; before.number_limit()];
        let mut lowest = None;
        for (at, document) in wanted.iter().enumerate() {
            if let Some(number) = self.0[*document]
                && let Some(slot) = by_number.get_mut(number as usize)
            {
                *slot = Some(at);
                lowest = Some(lowest.map_or(number, |lowest: u32| lowest.min(number)));
            }
        }
        if let Some(lowest) = lowest {
            before.each_posting(lowest, &mut |term, posting| {
                if let Some(at) = by_number.get(posting.entry as usize).copied().flatten() {
                    let by_passage = posting.by_passage.clone();
                    terms[at].push((Cow::Borrowed(term), posting.counts, by_passage));
                }
            });
        }
        terms
    }

    /// Returns the numbers below `base` whose entries no longer match a document.
    fn removed(&self, base: u32) -> Vec<u32> {
        let mut is_known = vec![false; base as usize];
        for number in self.0.iter().flatten() {
            if let Some(is_known) = is_known.get_mut(*number as usize) {
                *is_known = true;
            }
        }
        (0..base)
            .filter(|number| !is_known[*number as usize])
            .collect()
    }

    /// Returns the superseded documents and their successors, by the numbers their entries will
    /// have in the new layers.
    fn successors(&self, base: u32, documents: &Documents<'_>) -> Vec<(u32, u32)> {
        let mut next = base;
        let numbers = self.0.iter().map(|number| match number {
            Some(number) if *number < base => *number,
            _ => {
                next += 1;
                next - 1
            }
        });
        let numbers: Vec<u32> = numbers.collect();
        let successors = documents.successors().into_iter();
        successors
            .map(|(old, newer)| (numbers[old], numbers[newer]))
            .collect()
    }
}
