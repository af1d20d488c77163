//! Splits texts into passages, to be ranked and shown separately. [`stretches`] is for unknown
//! text, [`IndentCuts`] for code, [`EvenPassages`] for prose, and [`sections`] splits by headings.

use std::ops::Range;

/// Splits `text` into parts of `lines` lines each. The last part may be shorter.
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

/// Returns the range from each element of `starts` to the next. The last range ends at `end`. `starts` must be
/// sorted.
pub fn sections<T: Copy>(starts: &[T], end: T) -> impl Iterator<Item = Range<T>> {
    let ends = starts.iter().skip(1).copied().chain([end]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| start..end)
}

/// Splits code into passages at the blank line whose next line has the least indentation. This
/// separates the steps of a long function. A call with a body stays whole, which is how tests are
/// written in many languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndentCuts {
    /// Minimum number of lines in a passage, except for the last one.
    pub shortest: usize,
    /// Maximum number of lines in a passage.
    pub longest: usize,
}

impl IndentCuts {
    /// Returns the passages in the lines `within`, without blank lines around them.
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

/// Returns `within` without blank lines at its start and end, or `None` if all lines are blank.
#[must_use]
pub fn without_blanks(lines: &[&str], within: Range<usize>) -> Option<Range<usize>> {
    let end = within.end;
    let start = next_text(lines, within);
    let last = (start..end).rfind(|line| !is_blank(lines, *line))?;
    Some(start..last + 1)
}

/// Returns the first line `within` that isn't blank, or the end of `within` if all are blank.
fn next_text(lines: &[&str], mut within: Range<usize>) -> usize {
    let end = within.end;
    within.find(|line| !is_blank(lines, *line)).unwrap_or(end)
}

fn is_blank(lines: &[&str], line: usize) -> bool {
    lines.get(line).is_none_or(|line| line.trim().is_empty())
}

/// Returns the indentation of the next line with text after `line`.
fn indent_after(lines: &[&str], line: usize) -> usize {
    let mut rest = lines.iter().skip(line + 1);
    let next = rest.find(|line| !line.trim().is_empty());
    next.map_or(0, |line| indent(line))
}

/// Returns the number of bytes of white space at a line's start.
#[must_use]
pub fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Splits prose into passages of similar length. Passages end with a paragraph, or with a line if
/// the paragraph is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvenPassages {
    /// Approximate maximum length of a passage in bytes. A text up to this length is a single
    /// passage.
    pub bytes: usize,
}

impl EvenPassages {
    /// Splits the concatenated `texts` into passages. Each passage is a list of slices, since it
    /// may span several texts.
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
                // End the passage where its length is nearest to the wanted length.
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

    /// Splits `text` into passages, returning their byte ranges.
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

    /// Returns the paragraphs of a text, each with its headings and the blank lines after it. A
    /// long paragraph is split into lines.
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
