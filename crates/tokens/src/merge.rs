//! Byte-pair encoding: as long as there are two adjacent parts that form a token, the pair with the
//! lowest rank is merged.
//!
//! At the start, each byte of the piece is a part. If we searched for the lowest rank each time, a
//! long piece would take quadratic time, so we keep the pairs that form tokens in a heap. Merging
//! two parts makes their other pairs invalid. We leave those in the heap, and skip them when they
//! come up.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary;

/// Counts the tokens in one piece after the other, using the same buffers.
#[derive(Default)]
pub(crate) struct Merger {
    /// For the first byte of each part, where the next and the previous part start. For any other
    /// byte, `next` is [`INSIDE`].
    parts: Vec<Part>,
    /// Pairs that form a token, by lowest rank and then from left to right.
    pairs: BinaryHeap<Reverse<Pair>>,
}

#[derive(Clone, Copy)]
struct Part {
    next: usize,
    before: usize,
}

/// Two adjacent parts that form a token. A pair becomes invalid as soon as either part is merged
/// with another one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    rank: u32,
    start: usize,
    end: usize,
}

const INSIDE: usize = usize::MAX;

impl Merger {
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

    /// True if the pair is still valid, i.e. if there are exactly two parts from `start` to `end`.
    fn is_pair(&self, start: usize, end: usize) -> bool {
        let middle = self.parts[start].next;
        middle < end && self.parts[middle].next == end
    }

    fn offer(&mut self, piece: &[u8], start: usize) {
        let end = self.parts[self.parts[start].next].next;
        if let Some(rank) = vocabulary::rank(&piece[start..end]) {
            self.pairs.push(Reverse(Pair { rank, start, end }));
        }
    }
}
