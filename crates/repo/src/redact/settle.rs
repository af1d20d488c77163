//! What would be found in a text once all that was found in it is replaced, so that nobody finds it by redacting twice.
//!
//! A mark is longer or shorter than the secret it stands for. What is read up to a bound (a literal, an expression, a line) may
//! reach further then, or less far, and show as another thing.

use std::ops::Range;

use super::Found;
use super::mark::{HIDDEN, mark};
use super::text::is_line_end;

/// A text as it is shown, with all marks hidden.
pub(super) struct Shown {
    pub(super) bytes: Vec<u8>,
    /// The marks in it.
    pub(super) marks: Vec<Found>,
    /// Where each piece begins, a mark or what stands between two, in this text and in the other.
    pieces: Vec<(usize, usize)>,
}

impl Shown {
    /// `bytes` with what was `found` replaced, each line of it by a mark of its own.
    pub(super) fn of(bytes: &[u8], found: &[Found]) -> Self {
        let mut shown = Self {
            bytes: Vec::with_capacity(bytes.len()),
            marks: Vec::with_capacity(found.len()),
            pieces: Vec::new(),
        };
        let mut from = 0;
        for Found { range, rule } in found {
            let length = mark(*rule).len();
            let mut at = range.start;
            for line in bytes[range.clone()].split(|b| is_line_end(*b)) {
                if !line.is_empty() {
                    shown.take(bytes, from..at);
                    shown.pieces.push((shown.bytes.len(), at));
                    let start = shown.bytes.len();
                    shown.bytes.resize(start + length, HIDDEN);
                    shown.marks.push(Found {
                        range: start..start + length,
                        rule: *rule,
                    });
                    from = at + line.len();
                }
                at += line.len() + 1;
            }
        }
        shown.take(bytes, from..bytes.len());
        shown
    }

    fn take(&mut self, bytes: &[u8], piece: Range<usize>) {
        self.pieces.push((self.bytes.len(), piece.start));
        self.bytes.extend_from_slice(&bytes[piece]);
    }

    /// Where what was found here is in the other text: of a mark in it, all that the mark stands for.
    pub(super) fn found_there(&self, found: &Found) -> Found {
        let after = |at: usize| self.pieces.partition_point(|(here, _)| *here <= at);
        let there = |at: usize| {
            let (here, there) = after(at)
                .checked_sub(1)
                .map_or((0, 0), |at| self.pieces[at]);
            let next = self
                .pieces
                .get(after(at))
                .map_or(usize::MAX, |next| next.1.max(1));
            (there + (at - here)).min(next - 1)
        };
        let Range { start, end } = found.range.clone();
        Found {
            range: there(start)..there(end.saturating_sub(1)) + 1,
            rule: found.rule,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::engine::RuleId;
    use super::*;

    #[test]
    fn what_is_found_behind_marks_is_told_in_the_text_itself() {
        let rule = RuleId::ASSIGNED;
        let of = |range| Found { range, rule };
        let text = b"a = xyz, b = v\nw; c";
        let shown = Shown::of(text, &[of(4..7), of(13..16)]);
        let hidden = "\u{1}".repeat(mark(rule).len());
        let want = format!("a = {hidden}, b = {hidden}\n{hidden}; c");
        assert_eq!(shown.bytes, want.as_bytes());
        assert_eq!(shown.marks.len(), 3);
        let at = want.find(", b").unwrap();
        for (here, there) in [
            (at..at + 3, 7..10),
            (want.len() - 1..want.len(), 18..19),
            (0..2, 0..2),
        ] {
            assert_eq!(shown.found_there(&of(here)).range, there);
        }
    }
}
