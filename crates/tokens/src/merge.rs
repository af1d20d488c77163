//! Byte-pair encoding: neighbours are merged, those first that make the token of the lowest rank.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary;

/// Counts the tokens of pieces; what it needs for one serves the next.
#[derive(Default)]
pub(crate) struct Merger {
    /// For the byte at which a part begins, where the next part begins and where the one before it did. Other bytes
    /// have [`INSIDE`] as their next.
    parts: Vec<Part>,
    /// Neighbours that make a token, the lowest rank first, and of the same the leftmost.
    pairs: BinaryHeap<Reverse<Pair>>,
}

#[derive(Clone, Copy)]
struct Part {
    next: usize,
    before: usize,
}

/// Two parts that make a token, as long as both are what they were.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    rank: u32,
    start: usize,
    end: usize,
}

/// What follows a byte at which no part begins any more.
const INSIDE: usize = usize::MAX;

impl Merger {
    /// How many tokens `piece` has.
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

    /// Whether two parts reach from `start` to `end`.
    fn is_pair(&self, start: usize, end: usize) -> bool {
        let middle = self.parts[start].next;
        middle < end && self.parts[middle].next == end
    }

    /// Notes the part at `start` and the one behind it, which is there, if they make a token.
    fn offer(&mut self, piece: &[u8], start: usize) {
        let end = self.parts[self.parts[start].next].next;
        if let Some(rank) = vocabulary::rank(&piece[start..end]) {
            self.pairs.push(Reverse(Pair { rank, start, end }));
        }
    }
}
