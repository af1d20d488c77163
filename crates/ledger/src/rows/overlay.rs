//! Rows of a checkpoint, together with the changes that are not part of it yet.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::{Row, Runs};

/// The rows of the runs, with the changes since. The changes are still in memory, and hide the
/// stored rows with the same keys.
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

    /// Sets the value of `key`, or removes the row if it is `None`. We have to remember the
    /// removal, since a run may have the row.
    pub(crate) fn set(&mut self, key: Vec<u8>, value: Option<Vec<u8>>) {
        self.changed.insert(key, value);
    }

    /// Iterates over the rows whose keys begin with `prefix`, in order.
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

    /// Moves the changes out, sorted by key, so that they can become a run.
    pub(crate) fn take_changes(&mut self) -> impl Iterator<Item = Row> + use<> {
        std::mem::take(&mut self.changed).into_iter()
    }

    pub(crate) fn set_runs(&mut self, runs: &Runs) {
        self.runs = runs.clone();
    }
}

/// Merges two sorted sequences. An item of `changed` replaces the item of `stored` with the same
/// key; without a value, it removes that item.
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
