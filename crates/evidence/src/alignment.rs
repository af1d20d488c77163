//! Alignment of two texts: the lines of one are paired with lines of the other in order. It shows which share of a text
//! the other contains.

use crate::text::Part;
use crate::vestige::is_extended;

/// Minimum similarity of two lines that are paired, in permille of their byte pairs.
const ALIKE: u32 = 600;

/// Minimum similarity of two lines that are paired to find remainders of a text that may be reported as deleted.
const A_LITTLE_ALIKE: u32 = 400;

/// Maximum number of line pairs to compare by similarity. If there are more, only equal lines are paired.
const MAX_ALIKE_PAIRS: usize = 40_000;

/// Maximum number of line pairs to align. If there are more, no lines are paired.
const MAX_PAIRS: usize = 4_000_000;

/// Number of bytes of a line to compare.
pub(crate) const MAX_LINE: usize = 300;

/// Pairs of lines from two texts, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Alignment {
    /// Pairs of lines, and the similarity of each pair in permille.
    pub(crate) pairs: Vec<(usize, usize, u32)>,
}

impl Alignment {
    /// Pairs lines of `one` with those lines of `other` for which `open` is true. The total weight of the pairs is as
    /// large as possible.
    pub(crate) fn of(one: Part<'_>, other: Part<'_>, open: impl Fn(usize) -> bool) -> Self {
        Self::by(one, other, open, |ours, theirs| ours.alike(theirs, ALIKE))
    }

    /// Pairs lines like [`Self::of`], but also lines with a low similarity and lines of which one is the other with
    /// insertions. Such pairs prove no location, but a text that has them must not be reported as deleted.
    pub(crate) fn with_vestiges(
        one: Part<'_>,
        other: Part<'_>,
        open: impl Fn(usize) -> bool,
    ) -> Self {
        Self::by(one, other, open, |ours, theirs| {
            match ours.alike(theirs, A_LITTLE_ALIKE) {
                0 if is_extended(&ours.bytes, &theirs.bytes) => ALIKE,
                alike => alike,
            }
        })
    }

    fn by(
        one: Part<'_>,
        other: Part<'_>,
        open: impl Fn(usize) -> bool,
        alike: impl Fn(&Letters, &Letters) -> u32,
    ) -> Self {
        let (rows, columns) = (one.lines.len(), other.lines.len());
        let pairs = rows.saturating_mul(columns);
        if pairs == 0 || pairs > MAX_PAIRS {
            return Self::default();
        }
        let letters =
            (pairs <= MAX_ALIKE_PAIRS).then(|| (letters(one, |_| true), letters(other, &open)));
        let alike = |row: usize, column: usize| -> u32 {
            let (a, b) = (one.lines.start + row, other.lines.start + column);
            if !open(b) {
                return 0;
            }
            if one.text.keys()[a] == other.text.keys()[b] {
                return 1000;
            }
            match &letters {
                Some((ours, theirs)) => alike(&ours[row], &theirs[column]),
                None => 0,
            }
        };
        Self::best(rows, columns, alike, |row| {
            one.text.weight(one.lines.start + row)
        })
        .shifted(one.lines.start, other.lines.start)
    }

    fn best(
        rows: usize,
        columns: usize,
        alike: impl Fn(usize, usize) -> u32,
        weight: impl Fn(usize) -> u32,
    ) -> Self {
        let width = columns + 1;
        let mut scores = vec![0u64; (rows + 1) * width];
        let mut same = vec![0u16; rows * columns];
        for row in (0..rows).rev() {
            // Trivial lines also have a small weight, so that they decide between alignments that are otherwise equal.
            let weight = u64::from(weight(row)) * 16 + 1;
            for column in (0..columns).rev() {
                let alike = alike(row, column);
                same[row * columns + column] = alike as u16;
                let skipped =
                    scores[(row + 1) * width + column].max(scores[row * width + column + 1]);
                let paired = scores[(row + 1) * width + column + 1] + weight * u64::from(alike);
                scores[row * width + column] = if alike > 0 {
                    paired.max(skipped)
                } else {
                    skipped
                };
            }
        }
        let (mut row, mut column, mut pairs) = (0, 0, Vec::new());
        while row < rows && column < columns {
            let alike = u32::from(same[row * columns + column]);
            let here = scores[row * width + column];
            let weight = u64::from(weight(row)) * 16 + 1;
            if alike > 0
                && here == scores[(row + 1) * width + column + 1] + weight * u64::from(alike)
            {
                pairs.push((row, column, alike));
                (row, column) = (row + 1, column + 1);
            } else if here == scores[row * width + column + 1] {
                column += 1;
            } else {
                row += 1;
            }
        }
        Self { pairs }
    }

    fn shifted(mut self, rows: usize, columns: usize) -> Self {
        for (row, column, _) in &mut self.pairs {
            *row += rows;
            *column += columns;
        }
        self
    }

    /// Returns the share of `one` that is paired, in percent of its weight.
    pub(crate) fn share_of_one(&self, one: Part<'_>) -> u32 {
        let pairs = self.pairs.iter();
        share(pairs.map(|(a, _, alike)| (*a, *alike)), one)
    }

    /// Returns the share of `other` that is paired, in percent of its weight.
    pub(crate) fn share_of_other(&self, other: Part<'_>) -> u32 {
        let pairs = self.pairs.iter();
        share(pairs.map(|(_, b, alike)| (*b, *alike)), other)
    }
}

fn share(pairs: impl Iterator<Item = (usize, u32)>, part: Part<'_>) -> u32 {
    let all = u64::from(part.text.weight_of(part.lines)) * 1000;
    let paired: u64 = pairs
        .map(|(at, alike)| u64::from(part.text.weight(at)) * u64::from(alike))
        .sum();
    u32::try_from((paired * 100).checked_div(all).unwrap_or(0)).unwrap_or(100)
}

/// Bytes of a line without blanks. A trivial line has none.
#[derive(Debug, Default)]
struct Letters {
    bytes: Vec<u8>,
    /// Pairs of adjacent bytes, sorted.
    grams: Vec<u16>,
}

/// Returns the letters of each line in `part`. They are empty for lines for which `wanted` is false.
fn letters(part: Part<'_>, wanted: impl Fn(usize) -> bool) -> Vec<Letters> {
    let of_line = |at: usize| {
        if part.text.is_trivial(at) || !wanted(at) {
            return Letters::default();
        }
        let mut bytes = part.text.bytes(at);
        bytes.retain(|b| !b.is_ascii_whitespace());
        bytes.truncate(MAX_LINE);
        let pairs = bytes.windows(2);
        let mut grams: Vec<u16> = pairs
            .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
            .collect();
        grams.sort_unstable();
        Letters { bytes, grams }
    };
    (part.lines.start..part.lines.end).map(of_line).collect()
}

impl Letters {
    /// Returns the similarity of two lines: the share of byte pairs that they have in common, in permille. Returns 0 if
    /// it is below `least`.
    fn alike(&self, other: &Self, least: u32) -> u32 {
        let (one, other) = (&self.grams, &other.grams);
        let total = one.len() + other.len();
        let fewer = one.len().min(other.len());
        // If the lengths differ too much, the limit cannot be reached, so the bytes need not be compared.
        if total == 0 || 2000 * fewer < least as usize * total {
            return 0;
        }
        let (mut a, mut b, mut shared) = (0, 0, 0);
        while a < one.len() && b < other.len() {
            match one[a].cmp(&other[b]) {
                std::cmp::Ordering::Less => a += 1,
                std::cmp::Ordering::Greater => b += 1,
                std::cmp::Ordering::Equal => (a, b, shared) = (a + 1, b + 1, shared + 1),
            }
        }
        let alike = (2000 * shared / total) as u32;
        if alike >= least { alike.min(999) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windlass_repo::SourceFile;

    use super::*;
    use crate::text::{Range, Text};

    fn text(lines: &str) -> Text {
        Text::new(Arc::new(SourceFile::from_bytes(lines.into()))).unwrap()
    }

    fn whole(text: &Text) -> Part<'_> {
        let lines = Range {
            start: 0,
            end: text.len(),
        };
        Part { text, lines }
    }

    #[test]
    fn equal_and_alike_lines_are_paired_in_order() {
        let one = text("let total = count(items);\nreturn total;\n");
        let other = text("fn sum() {\nlet total = count(all_items);\nlog(1);\nreturn total;\n}\n");
        let found = Alignment::of(whole(&one), whole(&other), |_| true);
        let places: Vec<_> = found.pairs.iter().map(|(a, b, _)| (*a, *b)).collect();
        assert_eq!(places, [(0, 1), (1, 3)]);
        assert!(found.share_of_one(whole(&one)) > 80);
        assert!(found.share_of_other(whole(&other)) < 80);
    }

    #[test]
    fn what_is_not_open_is_not_paired() {
        let one = text("alpha beta gamma\n");
        let found = Alignment::of(whole(&one), whole(&one), |_| false);
        assert!(found.pairs.is_empty());
        assert_eq!(found.share_of_one(whole(&one)), 0);
    }

    #[test]
    fn texts_that_are_too_large_are_not_aligned() {
        let many = text(&"some line\n".repeat(3_000));
        assert!(
            Alignment::of(whole(&many), whole(&many), |_| true)
                .pairs
                .is_empty()
        );
    }
}
