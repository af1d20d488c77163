//! The events that we have applied, so that we apply none of them twice.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::rows::{Row, Runs, key};

/// The set of applied events, as hashes of their ids.
///
/// If two ids have the same hash, we ignore the second event. That is a risk that we accept for a
/// smaller set: with a million events, it happens in one of thirty million logs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    runs: Runs,
    new: BTreeSet<u64>,
    /// All hashes in `runs` and `new`, for a long fold. Most of its events are new, and looking for
    /// each of them in the runs would take half of the time.
    filter: Option<Arc<Filter>>,
}

/// A Bloom filter with four bits per hash. With a million hashes, it sends 1 in 500 others to the
/// runs, each of which then has to load a block.
#[derive(Debug, Clone)]
struct Filter(Vec<u64>);

/// Number of bits in a filter (2 MiB). It has to fit into a processor's cache.
const FILTER_BITS: u64 = 1 << 24;

impl Filter {
    fn with(hashes: &BTreeSet<u64>) -> Self {
        let mut filter = Self(vec![0; (FILTER_BITS / 64) as usize]);
        hashes.iter().for_each(|hash| filter.insert(*hash));
        filter
    }

    /// Returns the bits of a hash, each as an index and a mask. The hash is random, so two of its
    /// parts give all of them.
    fn bits(hash: u64) -> impl Iterator<Item = (usize, u64)> {
        let (first, step) = (hash % FILTER_BITS, (hash / FILTER_BITS) | 1);
        (0..4).map(move |number| {
            let bit = (first + number * step) % FILTER_BITS;
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }

    fn insert(&mut self, hash: u64) {
        for (at, mask) in Self::bits(hash) {
            self.0[at] |= mask;
        }
    }

    fn may_have(&self, hash: u64) -> bool {
        Self::bits(hash).all(|(at, mask)| self.0[at] & mask != 0)
    }
}

fn hash(id: &str) -> u64 {
    let digest = windlass_base::Digest::of_bytes(id.as_bytes());
    let (first, _) = digest.as_bytes().split_at(8);
    first.try_into().map_or(0, u64::from_be_bytes)
}

fn row(hash: u64) -> Vec<u8> {
    key::of(key::SEEN, &hash.to_be_bytes())
}

impl Seen {
    pub(crate) fn contains(&self, id: &str) -> bool {
        self.has(hash(id))
    }

    pub(crate) fn insert(&mut self, id: &str) -> bool {
        let hash = hash(id);
        let is_new = !self.has(hash) && self.new.insert(hash);
        if let Some(filter) = self.filter.as_mut().filter(|_| is_new) {
            Arc::make_mut(filter).insert(hash);
        }
        is_new
    }

    fn has(&self, hash: u64) -> bool {
        self.filter.as_ref().is_none_or(|it| it.may_have(hash))
            && (self.new.contains(&hash) || self.runs.get(&row(hash)).is_some())
    }

    /// Prepares for many events by reading all hashes once.
    pub(crate) fn expect_many(&mut self) {
        let mut filter = Filter::with(&self.new);
        self.runs.each_row(&[key::SEEN], |key, _| {
            let hash = key.get(1..).and_then(|hash| hash.try_into().ok());
            filter.insert(hash.map_or(0, u64::from_be_bytes));
        });
        self.filter = Some(filter.into());
    }

    pub(crate) fn take_changes(&mut self) -> impl Iterator<Item = Row> + use<> {
        let new = std::mem::take(&mut self.new);
        if self.runs.is_empty() {
            self.filter = Some(Filter::with(&new).into());
        }
        new.into_iter().map(|hash| (row(hash), Some(Vec::new())))
    }

    pub(crate) fn set_runs(&mut self, runs: &Runs) {
        self.runs = runs.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{Damage, Run};

    #[test]
    fn seen_written_ids_still_seen() {
        let (mut seen, mut runs) = (Seen::default(), Vec::new());
        for round in 0..3 {
            for number in 0..100 {
                let id = format!("evt-{}", number * 3 + round);
                assert!(!seen.contains(&id));
                assert!(seen.insert(&id) && !seen.insert(&id));
            }
            runs.push(Arc::new(Run::in_memory(seen.take_changes())));
            seen.set_runs(&Runs::new(runs.clone(), &Damage::default()));
            assert!(seen.contains("evt-0") && seen.contains(&format!("evt-{}", 297 + round)));
        }
        assert!(!seen.insert("evt-7") && seen.insert("evt-1000"));
        // Another process has to look into the runs, also after it has written one itself.
        let mut later = Seen::default();
        later.set_runs(&Runs::new(runs.clone(), &Damage::default()));
        assert!(!later.insert("evt-0") && later.insert("evt-2000"));
        runs.push(Arc::new(Run::in_memory(later.take_changes())));
        later.set_runs(&Runs::new(runs, &Damage::default()));
        assert!(later.contains("evt-0") && later.contains("evt-2000"));
        later.expect_many();
        assert!(later.contains("evt-0") && later.contains("evt-2000"));
        assert!(!later.insert("evt-7") && later.insert("evt-3000"));
    }
}
