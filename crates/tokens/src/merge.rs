//! Byte-pair encoding: adjacent parts are merged, in the order of the rank of their token.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary;

/// Token counter for pieces, which reuses its memory.
#[derive(Default)]
pub(crate) struct Merger {
    /// For the byte at which a part starts, the starts of the next and the previous part. Other bytes have
    /// [`INSIDE`] as their next.
    parts: Vec<Part>,
    /// Pairs that form a token, the lowest rank first, the leftmost first among equals.
    pairs: BinaryHeap<Reverse<Pair>>,
}

#[derive(Clone, Copy)]
struct Part {
    next: usize,
    before: usize,
}

/// Pair of parts that forms a token, valid while both parts are unchanged.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    rank: u32,
    start: usize,
    end: usize,
}

/// Marks a byte at which no part starts any more.
const INSIDE: usize = usize::MAX;

impl Merger {
    /// Returns the number of tokens of `piece`.
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

    /// True if two parts cover `start` to `end`.
    fn is_pair(&self, start: usize, end: usize) -> bool {
        let middle = self.parts[start].next;
        middle < end && self.parts[middle].next == end
    }

    /// Adds the part at `start` and the existing one after it as a pair, if they form a token.
    fn offer(&mut self, piece: &[u8], start: usize) {
        let end = self.parts[self.parts[start].next].next;
        if let Some(rank) = vocabulary::rank(&piece[start..end]) {
            self.pairs.push(Reverse(Pair { rank, start, end }));
        }
    }
}
