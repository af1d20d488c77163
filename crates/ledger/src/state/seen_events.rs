use std::collections::BTreeSet;

use super::Part;

/// Set of applied events, stored as hashes of their ids. The hashes from a checkpoint are sorted; newer ones are in a
/// separate set.
///
/// Two ids with the same hash count as one event. With a million events, this happens in one of thirty million logs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    kept: Part,
    new: BTreeSet<u64>,
}

fn hash(id: &str) -> u64 {
    let digest = windlass_base::Digest::of_bytes(id.as_bytes());
    let (first, _) = digest.as_bytes().split_at(8);
    first.try_into().map_or(0, u64::from_le_bytes)
}

impl Seen {
    /// Restores the set from a checkpoint part. Returns `None` if the part's length is not a multiple of the hash size.
    pub(crate) fn of(kept: Part) -> Option<Self> {
        let new = BTreeSet::new();
        kept.len().is_multiple_of(8).then_some(Self { kept, new })
    }

    pub(crate) fn contains(&self, id: &str) -> bool {
        self.has(hash(id))
    }

    /// Adds an event. Returns true if it was not in the set.
    pub(crate) fn insert(&mut self, id: &str) -> bool {
        let hash = hash(id);
        !self.has(hash) && self.new.insert(hash)
    }

    fn has(&self, hash: u64) -> bool {
        self.new.contains(&hash) || self.is_kept(hash)
    }

    fn is_kept(&self, hash: u64) -> bool {
        let (hashes, _) = self.kept.whole().as_chunks::<8>();
        let found = hashes.binary_search_by_key(&hash, |eight| u64::from_le_bytes(*eight));
        found.is_ok()
    }

    /// Serialises the set for a checkpoint.
    pub(crate) fn write(&self) -> Vec<u8> {
        let hashes = self.kept.whole();
        let mut out = Vec::with_capacity(hashes.len() + self.new.len() * 8);
        let mut new = self.new.iter().peekable();
        for eight in hashes.as_chunks::<8>().0 {
            let kept = u64::from_le_bytes(*eight);
            while let Some(hash) = new.next_if(|hash| **hash < kept) {
                out.extend(hash.to_le_bytes());
            }
            out.extend(kept.to_le_bytes());
        }
        for hash in new {
            out.extend(hash.to_le_bytes());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seen_written_ids_still_seen() {
        let mut seen = Seen::default();
        for round in 0..3 {
            for number in 0..100 {
                let id = format!("evt-{}", number * 3 + round);
                assert!(!seen.contains(&id));
                assert!(seen.insert(&id) && !seen.insert(&id));
            }
            let bytes = seen.write();
            assert_eq!(bytes.len(), (round + 1) * 800);
            seen = Seen::of(Part::in_memory(bytes)).unwrap();
            assert!(seen.contains("evt-0") && seen.contains(&format!("evt-{}", 297 + round)));
        }
        assert!(!seen.insert("evt-7") && seen.insert("evt-1000"));
    }
}
