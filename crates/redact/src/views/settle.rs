//! Finds secrets that are exposed by replacing all findings.
//!
//! They belong to the same redaction, or redacting the result again would find more. The reason is
//! the different length of a mark and its secret: a literal, an expression or a line that is read
//! up to a limit may then end elsewhere and be judged differently.

use crate::hidden::HIDDEN;
use crate::mark::mark;
use crate::rules::Found;
use crate::scanned_text::is_line_end;
use crate::views::pieces::Pieces;

/// The text after redaction, with filler instead of marks.
pub(crate) struct Shown {
    pub(crate) pieces: Pieces,
    /// Positions of the marks in `pieces`.
    pub(crate) marks: Vec<Found>,
}

impl Shown {
    /// Replaces every finding in `bytes`, with one mark for each line of a secret.
    pub(crate) fn of(bytes: &[u8], found: &[Found]) -> Self {
        let mut pieces = Pieces::default();
        let mut marks = Vec::with_capacity(found.len());
        let mut from = 0;
        for Found { range, rule } in found {
            let hidden = vec![HIDDEN; mark(*rule).len()];
            let mut at = range.start;
            for line in bytes[range.clone()].split(|b| is_line_end(*b)) {
                if !line.is_empty() {
                    pieces.take(bytes, from..at);
                    let start = pieces.bytes.len();
                    pieces.put(at, &hidden);
                    let range = start..pieces.bytes.len();
                    marks.push(Found { range, rule: *rule });
                    from = at + line.len();
                }
                at += line.len() + 1;
            }
        }
        pieces.take(bytes, from..bytes.len());
        Self { pieces, marks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleId;

    #[test]
    fn finding_after_a_mark_maps_to_the_text() {
        let rule = RuleId::ASSIGNED;
        let of = |range: std::ops::Range<usize>| Found { range, rule };
        let text = b"a = xyz, b = v\nw; c";
        let shown = Shown::of(text, &[of(4..7), of(13..16)]);
        let hidden = "\u{1}".repeat(mark(rule).len());
        let want = format!("a = {hidden}, b = {hidden}\n{hidden}; c");
        assert_eq!(shown.pieces.bytes, want.as_bytes());
        assert_eq!(shown.marks.len(), 3);
        let at = want.find(", b").unwrap();
        for (here, there) in [
            (at..at + 3, 7..10),
            (want.len() - 1..want.len(), 18..19),
            (0..2, 0..2),
        ] {
            assert_eq!(shown.pieces.in_original(&of(here)).range, there);
        }
    }
}
