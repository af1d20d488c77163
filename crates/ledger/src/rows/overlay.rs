//! Rows changed after the newest run, on top of the runs.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::{Row, Runs};

/// The rows of the runs, with changes in memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Overlay {
    runs: Runs,
    changed: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
}

impl Overlay {
    pub(crate) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        match self.changed.get(key) {
            Some(value) => value.as_deref(),
            None => self.runs.get(key),
        }
    }

    /// Sets the value of `key`, or removes the row.
    pub(crate) fn set(&mut self, key: Vec<u8>, value: Option<Vec<u8>>) {
        self.changed.insert(key, value);
    }

    /// Iterates over the rows whose keys begin with `prefix`.
    pub(crate) fn starting_with<'a>(
        &'a self,
        prefix: &[u8],
    ) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let start = prefix.to_vec();
        let changed = self
            .changed
            .range::<[u8], _>((Bound::Included(prefix), Bound::Unbounded))
            .take_while(move |(key, _)| key.starts_with(&start))
            .map(|(key, value)| (key.as_slice(), value.as_deref()));
        overlaid(self.runs.from(prefix, prefix), changed)
    }

    /// Takes the changes, in the order of their keys.
    pub(crate) fn take_changes(&mut self) -> impl Iterator<Item = Row> + use<> {
        std::mem::take(&mut self.changed).into_iter()
    }

    pub(crate) fn set_runs(&mut self, runs: &Runs) {
        self.runs = runs.clone();
    }
}

/// Merges two sorted sequences. An item of `changed` replaces the item of `stored` with the same
/// key, or removes it if it has no value.
pub(crate) fn overlaid<K: Ord + Copy, V>(
    stored: impl Iterator<Item = (K, V)>,
    changed: impl Iterator<Item = (K, Option<V>)>,
) -> impl Iterator<Item = (K, V)> {
    let (mut stored, mut changed) = (stored.peekable(), changed.peekable());
    std::iter::from_fn(move || {
        loop {
            let next = changed.peek().map(|(key, _)| *key);
            let Some(next) = next else {
                return stored.next();
            };
            if let Some(before) = stored.next_if(|(key, _)| *key < next) {
                return Some(before);
            }
            stored.next_if(|(key, _)| *key == next);
            if let Some((key, Some(value))) = changed.next() {
                return Some((key, value));
            }
        }
    })
}
