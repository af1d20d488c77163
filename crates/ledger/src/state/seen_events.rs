//! The events that we have applied, so that we apply none of them twice.

use std::collections::BTreeSet;

use crate::rows::{Row, Runs, key};

/// The set of applied events, as hashes of their ids.
///
/// If two ids have the same hash, we ignore the second event. That is a risk that we accept for a
/// smaller set: with a million events, it happens in one of thirty million logs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    runs: Runs,
    new: BTreeSet<u64>,
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
        !self.has(hash) && self.new.insert(hash)
    }

    fn has(&self, hash: u64) -> bool {
        self.new.contains(&hash) || self.runs.get(&row(hash)).is_some()
    }

    pub(crate) fn take_changes(&mut self) -> impl Iterator<Item = Row> + use<> {
        let new = std::mem::take(&mut self.new);
        new.into_iter().map(|hash| (row(hash), Some(Vec::new())))
    }

    pub(crate) fn set_runs(&mut self, runs: &Runs) {
        self.runs = runs.clone();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

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
    }
}
