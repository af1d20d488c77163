//! Alignment of two texts: their lines are paired in order, and the weight of the pairs shows how
//! much of one text the other contains.

use crate::params;
use crate::text::{Part, is_letter};

/// Pairs of lines from two texts, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Alignment {
    /// Line of the first text, line of the second text, and their similarity in permille (1000 if
    /// they are equal).
    pub(crate) pairs: Vec<(usize, usize, u32)>,
}

impl Alignment {
    /// Pairs lines of `one` with lines of `other` so that the total weight of the pairs is as large
    /// as possible. Lines of `other` for which `open` is false are left out.
    pub(crate) fn of(one: Part<'_>, other: Part<'_>, open: impl Fn(usize) -> bool) -> Self {
        Self::by(one, other, open, |ours, theirs| {
            ours.alike(theirs, params::MIN_LINE_ALIKE)
        })
    }

    /// The same as [`Self::of`], except that only equal lines are paired.
    pub(crate) fn exact(one: Part<'_>, other: Part<'_>, open: impl Fn(usize) -> bool) -> Self {
        Self::by(one, other, open, |_, _| 0)
    }

    /// Pairs lines like [`Self::of`], and also lines that are only slightly similar or one of which
    /// is the other with an insertion. Such pairs prove no location, but a text that has them must
    /// not be reported as deleted.
    pub(crate) fn with_vestiges(
        one: Part<'_>,
        other: Part<'_>,
        open: impl Fn(usize) -> bool,
    ) -> Self {
        Self::by(one, other, open, |ours, theirs| {
            match ours.alike(theirs, params::MIN_LINE_VESTIGE) {
                0 if is_extended(&ours.bytes, &theirs.bytes) => params::MIN_LINE_ALIKE,
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
        // Without pairs, texts that are too large to align count as having nothing in common.
        if pairs == 0 || pairs > params::MAX_PAIRS {
            return Self::default();
        }
        // Finding similar lines is much slower than finding equal ones.
        let letters = (pairs <= params::MAX_ALIKE_PAIRS)
            .then(|| (letters(one, |_| true), letters(other, &open)));
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
        // This is the usual dynamic program for alignments, from the last lines to the first. Each
        // entry of `scores` is the largest total that the lines from this row and column on can
        // reach.
        let mut scores = vec![0u64; (rows + 1) * width];
        let mut same = vec![0u16; rows * columns];
        for row in (0..rows).rev() {
            // Trivial lines get a small weight as well, so that they decide between alignments that
            // are otherwise equal.
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
        // Now go from the first lines to the last, and pick the pairs that lead to the best total.
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

    /// Returns how much of `one` is paired, in percent of its weight. A pair of similar lines
    /// counts in part.
    pub(crate) fn share_of_one(&self, one: Part<'_>) -> u32 {
        let pairs = self.pairs.iter();
        share(pairs.map(|(a, _, alike)| (*a, *alike)), one)
    }

    /// The same as [`Self::share_of_one`], for the second text.
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

/// Line without its blanks, prepared for comparison by similarity. Trivial lines are empty, so they
/// match nothing.
#[derive(Debug, Default)]
struct Letters {
    bytes: Vec<u8>,
    /// Pairs of adjacent bytes, sorted.
    grams: Vec<u16>,
}

/// Prepares each line of `part`. Lines for which `wanted` is false are empty.
fn letters(part: Part<'_>, wanted: impl Fn(usize) -> bool) -> Vec<Letters> {
    let of_line = |at: usize| {
        if part.text.is_trivial(at) || !wanted(at) {
            return Letters::default();
        }
        let mut bytes = part.text.bytes(at);
        bytes.retain(|b| !b.is_ascii_whitespace());
        bytes.truncate(params::MAX_LINE_BYTES);
        let pairs = bytes.windows(2);
        let mut grams: Vec<u16> = pairs
            .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
            .collect();
        grams.sort_unstable();
        Letters { bytes, grams }
    };
    part.lines.iter().map(of_line).collect()
}

impl Letters {
    /// Returns the similarity of two lines that are not equal: the share of byte pairs that they
    /// have in common, in permille, or 0 if it is below `least`.
    fn alike(&self, other: &Self, least: u32) -> u32 {
        let (one, other) = (&self.grams, &other.grams);
        let total = one.len() + other.len();
        let fewer = one.len().min(other.len());
        // The shorter line bounds the share, so lines of very different lengths need not be
        // compared.
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
        // 1000 is reserved for equal lines.
        if alike >= least { alike.min(999) } else { 0 }
    }
}

/// Returns true if the longer of two lines is the shorter one with an insertion. Both lines must be
/// without blanks.
fn is_extended(one: &[u8], other: &[u8]) -> bool {
    let (shorter, longer) = match one.len() <= other.len() {
        true => (one, other),
        false => (other, one),
    };
    let said = shorter.iter().filter(|byte| is_letter(byte)).count();
    // Many unrelated lines contain such a short one.
    if said < params::MIN_LINE_INFORMATION as usize {
        return false;
    }
    let same = |(a, b): &(&u8, &u8)| a == b;
    // If something was inserted in the middle, the longer line has the shorter one at its two ends.
    let starts = shorter.iter().zip(longer).take_while(same).count();
    let backwards = shorter.iter().rev().zip(longer.iter().rev());
    let ends = backwards.take_while(same).count();
    let is_framed =
        (starts + ends).min(shorter.len()) * 100 >= shorter.len() * params::NEARLY_ALL as usize;
    is_framed || longer.windows(shorter.len()).any(|part| part == shorter)
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
        let lines = Range::new(0, text.len());
        Part::new(text, lines)
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

    #[test]
    fn a_line_with_words_put_in_is_the_same_line() {
        assert!(is_extended(
            b"requests",
            b"requests==2.31.0;python_version>=3.8"
        ));
        assert!(is_extended(
            b"-Runthetestsandthelinterbeforeyousendit",
            b"-Runthetests"
        ));
        assert!(is_extended(
            b"let(a,total)=count(x);",
            b"let(a,total)=count(map(x,y,z,other,stuff));"
        ));
        assert!(is_extended(
            b"parse(input)?",
            b"ifyes{returnparse(input)?;}"
        ));
        assert!(!is_extended(b"x=1", b"maximum_x=1"));
        assert!(!is_extended(
            b"let total=count(items)",
            b"lettuce grows in spring"
        ));
    }
}
