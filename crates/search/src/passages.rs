//! Splits texts into passages for ranking and for showing them.
//!
//! Use [`IndentCuts`] for code, [`EvenPassages`] for prose, [`stretches`] for text of an unknown
//! kind, and [`sections`] to split at headings.

use std::ops::Range;

/// Splits `text` into parts of `lines` lines each. The last one may be shorter.
pub fn stretches(text: &str, lines: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.match_indices('\n').nth(lines.saturating_sub(1));
        let (stretch, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at + 1));
        rest = after;
        Some(stretch)
    })
}

/// Splits at each of `starts`, which must be sorted. The last range ends at `end`, and anything
/// before the first start is not part of any range.
pub fn sections<T: Copy>(starts: &[T], end: T) -> impl Iterator<Item = Range<T>> {
    let ends = starts.iter().skip(1).copied().chain([end]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| start..end)
}

/// Splits code into passages at blank lines, preferably before the line with the least indentation.
///
/// This separates the steps of a long function, but keeps a call together with its body. In many
/// languages, that is what a test looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndentCuts {
    /// Minimum number of lines in a passage. The last one may be shorter.
    pub shortest: usize,
    /// Maximum number of lines in a passage.
    pub longest: usize,
}

impl IndentCuts {
    /// Splits the lines `within`. Blank lines between two passages do not belong to either.
    #[must_use]
    pub fn of(self, lines: &[&str], within: Range<usize>) -> Vec<Range<usize>> {
        let mut passages = Vec::new();
        let Range { start, end } = within;
        let mut start = next_text(lines, start..end);
        while start < end {
            let full = end.min(start + self.longest);
            let cut = if full == end && end - start <= self.shortest {
                end
            } else {
                let blank = (start + self.shortest).min(full - 1)..full;
                let blank = blank.filter(|line| is_blank(lines, *line));
                let blank = blank.min_by_key(|line| indent_after(lines, *line));
                blank.map_or(full, |line| line + 1)
            };
            passages.extend(without_blanks(lines, start..cut));
            start = next_text(lines, cut..end);
        }
        passages
    }
}

/// Leaves out blank lines at both ends of `within`. Returns `None` if there is nothing else.
#[must_use]
pub fn without_blanks(lines: &[&str], within: Range<usize>) -> Option<Range<usize>> {
    let end = within.end;
    let start = next_text(lines, within);
    let last = (start..end).rfind(|line| !is_blank(lines, *line))?;
    Some(start..last + 1)
}

fn next_text(lines: &[&str], mut within: Range<usize>) -> usize {
    let end = within.end;
    within.find(|line| !is_blank(lines, *line)).unwrap_or(end)
}

fn is_blank(lines: &[&str], line: usize) -> bool {
    lines.get(line).is_none_or(|line| line.trim().is_empty())
}

/// The indentation of the next line after `line` that is not blank.
fn indent_after(lines: &[&str], line: usize) -> usize {
    let mut rest = lines.iter().skip(line + 1);
    let next = rest.find(|line| !line.trim().is_empty());
    next.map_or(0, |line| indent(line))
}

/// Returns the width of the white space at the start of a line, in bytes.
#[must_use]
pub fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Splits prose into passages of about the same length, at the end of paragraphs if possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvenPassages {
    /// The length to aim for, in bytes. A passage ends with a paragraph or at least a line, so it
    /// may be somewhat longer.
    pub bytes: usize,
}

impl EvenPassages {
    /// Splits the concatenation of `texts`. A passage is a list of slices, because it may consist
    /// of several texts.
    #[must_use]
    pub fn of<'a>(self, texts: &[&'a str]) -> Vec<Vec<&'a str>> {
        let all: usize = texts.iter().map(|text| text.len()).sum();
        if all <= self.bytes {
            return vec![texts.to_vec()];
        }
        let count = all.div_ceil(self.bytes);
        let wanted = all / count;
        let (mut passages, mut length) = (vec![Vec::new()], 0);
        for text in texts {
            for block in self.blocks(text) {
                // End the passage here if that brings it closer to the wanted length than adding
                // the block would.
                if length > 0 && length + block.len() / 2 > wanted && passages.len() < count {
                    passages.push(Vec::new());
                    length = 0;
                }
                length += block.len();
                if let Some(last) = passages.last_mut() {
                    last.push(&text[block]);
                }
            }
        }
        passages
    }

    /// Like [`of`](Self::of), but for a single text, and with byte ranges as the result.
    #[must_use]
    pub fn ranges(self, text: &str) -> Vec<Range<usize>> {
        let start = text.as_ptr() as usize;
        let passages = self.of(&[text]).into_iter();
        let ranges = passages.filter_map(|passage| {
            let (first, last) = (passage.first()?, passage.last()?);
            Some(first.as_ptr() as usize - start..last.as_ptr() as usize - start + last.len())
        });
        ranges.collect()
    }

    /// Finds the paragraphs. A heading belongs to the paragraph below it, and blank lines belong to
    /// the one above. If a paragraph is too long, we split it between lines.
    fn blocks(self, text: &str) -> Vec<Range<usize>> {
        let (mut blocks, mut start, mut at) = (Vec::new(), 0, 0);
        let (mut is_blank, mut has_text) = (false, false);
        for line in text.split_inclusive('\n') {
            let ends = is_blank && has_text && !line.trim().is_empty();
            let is_long = at - start + line.len() > self.bytes && at > start;
            if ends || is_long {
                blocks.push(start..at);
                (start, has_text) = (at, false);
            }
            is_blank = line.trim().is_empty();
            has_text |= !is_blank && !line.starts_with('#');
            at += line.len();
        }
        blocks.push(start..at);
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_all_of_a_text() {
        for lines in [0, 1, 29, 30, 31, 61] {
            let text = "a line\n".repeat(lines) + "the end";
            assert_eq!(stretches(&text, 30).collect::<String>(), text);
            assert_eq!(stretches(&text, 30).count(), lines / 30 + 1);
        }
    }

    #[test]
    fn sections_go_up_to_the_next() {
        assert_eq!(
            sections(&[0, 2, 5], 9).collect::<Vec<_>>(),
            [0..2, 2..5, 5..9]
        );
        assert_eq!(sections(&[], 9).count(), 0);
    }

    #[test]
    fn blank_lines_are_outside_passages() {
        let lines = ["", "a", " ", "b", "", ""];
        assert_eq!(without_blanks(&lines, 0..6), Some(1..4));
        assert_eq!(without_blanks(&lines, 4..6), None);
        let cuts = IndentCuts {
            shortest: 1,
            longest: 2,
        };
        assert_eq!(cuts.of(&lines, 0..6), [1..2, 3..4]);
        assert_eq!(cuts.of(&lines, 4..6), []);
    }

    #[test]
    fn passages_end_with_paragraphs() {
        let even = EvenPassages { bytes: 1_600 };
        assert_eq!(even.of(&["a\n\nb", "c"]), [["a\n\nb", "c"]]);
        let paragraph = "word ".repeat(60);
        let text = format!("# Head\n\n{paragraph}\n\n").repeat(12);
        let passages = even.of(&[&text, "the end"]);
        assert_eq!(passages.len(), 3);
        let joined: String = passages.concat().concat();
        assert_eq!(joined, format!("{text}the end"));
        for passage in &passages {
            let length: usize = passage.iter().map(|part| part.len()).sum();
            assert!((even.bytes / 2..=even.bytes).contains(&length), "{length}");
            assert!(passage[0].starts_with("# Head"));
        }
        let lines = "x\n".repeat(2_000);
        assert_eq!(even.of(&[&lines]).len(), 3);
        let ranges = even.ranges(&lines);
        assert_eq!((ranges[0].start, ranges[2].end), (0, lines.len()));
        assert_eq!(ranges[0].end, ranges[1].start);
        assert_eq!(even.of(&[&"x".repeat(9_000)]).len(), 1);
    }
}
