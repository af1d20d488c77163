//! Composes a text from pieces of another, and maps findings back to the original.

use std::ops::Range;

use crate::rules::Found;

#[derive(Default)]
pub(crate) struct Pieces {
    pub(crate) bytes: Vec<u8>,
    /// For each piece, its start in this text and in the original.
    starts: Vec<(usize, usize)>,
}

impl Pieces {
    pub(crate) fn take(&mut self, bytes: &[u8], piece: Range<usize>) {
        if !piece.is_empty() {
            self.starts.push((self.bytes.len(), piece.start));
            self.bytes.extend_from_slice(&bytes[piece]);
        }
    }

    /// Appends `instead` as a replacement for the original text at `at`.
    pub(crate) fn put(&mut self, at: usize, instead: &[u8]) {
        self.starts.push((self.bytes.len(), at));
        self.bytes.extend_from_slice(instead);
    }

    /// Maps a finding in this text to the original, from its first byte to its last.
    pub(crate) fn in_original(&self, found: &Found) -> Found {
        let there = |at: usize| {
            let next = self.starts.partition_point(|(here, _)| *here <= at);
            let piece = next.checked_sub(1).map(|piece| self.starts[piece]);
            let (here, there) = piece.unwrap_or_default();
            // A replacement may be longer than the original text, so don't exceed it.
            let end = self.starts.get(next).map_or(usize::MAX, |next| next.1);
            (there + (at - here)).min(end.saturating_sub(1))
        };
        let Range { start, end } = found.range.clone();
        Found {
            range: there(start)..there(end.saturating_sub(1)) + 1,
            rule: found.rule,
        }
    }
}
