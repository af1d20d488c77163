//! Byte-pair encoding: repeatedly merges adjacent parts that form a token, the lowest rank first.
//!
//! A piece starts as one part per byte. We keep all pairs that form a token in a heap, so that a
//! long piece takes less than quadratic time. A merge makes pairs of its two parts stale; they stay
//! in the heap until they come up, and are skipped then.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary;

/// Token counter for pieces. It reuses its buffers from one piece to the next.
#[derive(Default)]
pub(crate) struct Merger {
    /// For each byte at which a part starts, the starts of the next and the previous part. For all
    /// other bytes, `next` is [`INSIDE`].
    parts: Vec<Part>,
    /// Pairs that form a token: the lowest rank first and, for equal ranks, the leftmost pair
    /// first.
    pairs: BinaryHeap<Reverse<Pair>>,
}

#[derive(Clone, Copy)]
struct Part {
    next: usize,
    before: usize,
}

/// Adjacent parts that together form a token. The entry is stale once either part has been merged.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    rank: u32,
    start: usize,
    end: usize,
}

/// Marks a byte in the middle of a part.
const INSIDE: usize = usize::MAX;

impl Merger {
    /// Returns the number of tokens in `piece`.
    pub(crate) fn count(&mut self, piece: &[u8]) -> usize {
        let part = |at: usize| Part {
            next: at + 1,
            before: at.wrapping_sub(1),
        };
        self.parts.clear();
        self.parts.extend((0..piece.len()).map(part));
        self.pairs.clear();
        for start in 0..piece.len().saturating_sub(1) {
            self.offer(piece, start);
        }
        let mut count = piece.len();
        while let Some(Reverse(Pair { start, end, .. })) = self.pairs.pop() {
            if !self.is_pair(start, end) {
                continue;
            }
            let middle = self.parts[start].next;
            self.parts[middle].next = INSIDE;
            self.parts[start].next = end;
            if end < piece.len() {
                self.parts[end].before = start;
                self.offer(piece, start);
            }
            if start > 0 {
                let before = self.parts[start].before;
                self.offer(piece, before);
            }
            count -= 1;
        }
        count
    }

    /// Returns true if exactly two parts cover `start` to `end`. Otherwise the pair is stale.
    fn is_pair(&self, start: usize, end: usize) -> bool {
        let middle = self.parts[start].next;
        middle < end && self.parts[middle].next == end
    }

    /// Adds the pair of the part at `start` and its successor, if they form a token.
    fn offer(&mut self, piece: &[u8], start: usize) {
        let end = self.parts[self.parts[start].next].next;
        if let Some(rank) = vocabulary::rank(&piece[start..end]) {
            self.pairs.push(Reverse(Pair { rank, start, end }));
        }
    }
}
