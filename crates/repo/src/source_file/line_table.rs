//! A table of a file's lines by contents.

use windlass_base::{Digest, LineHashes};

/// Finds equal lines in a file, by a short hash of each line.
#[derive(Debug)]
pub struct LineTable {
    hashes: Vec<u32>,
    /// All lines (0-based), sorted by hash and then by position.
    by_hash: Vec<u32>,
}

impl LineTable {
    pub(super) fn new(lines: impl Iterator<Item = impl AsRef<[u8]>>) -> Self {
        let hashes: Vec<u32> = lines.map(|line| short_hash(line.as_ref())).collect();
        let mut keys: Vec<u64> = hashes
            .iter()
            .zip(0u32..)
            .map(|(hash, at)| u64::from(*hash) << 32 | u64::from(at))
            .collect();
        keys.sort_unstable();
        Self {
            hashes,
            by_hash: keys.into_iter().map(|key| key as u32).collect(),
        }
    }

    /// Returns a short hash of each line, in order.
    ///
    /// Equal lines have equal hashes, and different lines nearly always have different ones. None
    /// of the hashes is [`LineHashes::LEFT_OUT`].
    #[must_use]
    pub fn hashes(&self) -> &[u32] {
        &self.hashes
    }

    /// Returns the lines with this hash (0-based), in order.
    #[must_use]
    pub fn lines_with(&self, hash: u32) -> &[u32] {
        let hash_at = |at: &u32| self.hashes[*at as usize];
        let first = self.by_hash.partition_point(|at| hash_at(at) < hash);
        let same = &self.by_hash[first..];
        &same[..same.partition_point(|at| hash_at(at) == hash)]
    }
}

/// Hashes a line. Notebooks store these hashes, so do not change the algorithm: all anchors
/// captured before would lose their context.
fn short_hash(line: &[u8]) -> u32 {
    let [a, b, c, d, ..] = *Digest::of_bytes(line).as_bytes();
    u32::from_le_bytes([a, b, c, d]).max(LineHashes::LEFT_OUT + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_hash_is_stable() {
        assert_eq!(short_hash(b""), 0xb949_13af);
        assert_eq!(short_hash(b"abc"), 0xacb3_3764);
    }

    #[test]
    fn lines_with_hash_are_in_order() {
        let lines = ["a", "b", "", "a", "a", "c", "b"].map(str::as_bytes);
        let table = LineTable::new(lines.into_iter());
        let like = |at: usize| table.lines_with(table.hashes()[at]);
        assert_eq!(like(0), [0, 3, 4]);
        assert_eq!(like(6), [1, 6]);
        assert_eq!(like(2), [2]);
        assert!(table.lines_with(LineHashes::LEFT_OUT).is_empty());
        assert!(table.lines_with(u32::MAX).is_empty());
    }
}
