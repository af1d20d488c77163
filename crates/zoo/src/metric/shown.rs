//! Measures the lines that an answer shows within a budget, compared to the lines that are wanted.
//!
//! The weight of a line is the number of its tokens, plus one for the line break. A line without
//! letters or digits (such as a lone brace) neither helps nor misleads anybody. It has a weight,
//! but it is neither wanted nor noise.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::LineSpan;

/// Line numbers by file.
pub type Lines = BTreeMap<String, BTreeSet<u32>>;

/// Lines that an answer or a printed pack shows.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownSpan {
    /// Path from the root.
    pub file: String,
    /// The lines that are shown.
    pub span: LineSpan,
}

/// Counts of lines and tokens, which the metrics are computed from.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Shown {
    /// The number of wanted lines that have a letter or digit.
    pub wanted: u64,
    /// The number of these lines that the answer shows.
    pub found: u64,
    /// The tokens in all lines that are shown.
    pub tokens: u64,
    /// The tokens in lines that have a letter or digit, but are not wanted.
    pub noise: u64,
    /// The tokens in all lines up to (and including) the last wanted one.
    pub until_last: u64,
    /// The tokens in wanted lines.
    pub useful: u64,
}

/// The lines of an answer in the order in which somebody would read them, with their weights.
/// Several metrics need this, so we only compute it once.
pub struct Seen<'a> {
    lines: Vec<SeenLine<'a>>,
    /// The number of locations that were read within the budget.
    places: usize,
}

struct SeenLine<'a> {
    file: &'a str,
    line: u32,
    weight: u64,
    says: bool,
}

impl<'a> Seen<'a> {
    /// Reads `spans` in order, up to the first line that does not fit into `budget`. A line that
    /// has been read before costs nothing.
    pub fn of<'t>(
        spans: &'a [ShownSpan],
        budget: u64,
        text: impl Fn(&str) -> Option<&'t [String]>,
    ) -> Self {
        let (mut seen, mut lines, mut tokens) = (BTreeSet::new(), Vec::new(), 0);
        for (at, place) in spans.iter().enumerate() {
            let places = at + 1;
            let there = text(&place.file).unwrap_or_default();
            let last = place.span.end().min(there.len() as u32);
            for line in place.span.start()..=last {
                let Some(said) = line_at(there, line).filter(|_| seen.insert((&place.file, line)))
                else {
                    continue;
                };
                let weight = weight(said);
                tokens += weight;
                if tokens > budget {
                    return Self { lines, places };
                }
                lines.push(SeenLine {
                    file: &place.file,
                    line,
                    weight,
                    says: says(said),
                });
            }
        }
        Self {
            lines,
            places: spans.len(),
        }
    }

    /// Returns the number of locations that were read. The last one may have been cut.
    #[must_use]
    pub fn places(&self) -> usize {
        self.places
    }

    /// Marks lines as neutral, so that they do not count as noise. `is_neutral` is called with a
    /// file and a line.
    #[must_use]
    pub(crate) fn with_neutral(mut self, is_neutral: impl Fn(&str, u32) -> bool) -> Self {
        for line in &mut self.lines {
            line.says &= !is_neutral(line.file, line.line);
        }
        self
    }

    /// True if the answer shows all `count` lines of a file.
    #[must_use]
    pub(crate) fn has_all_of(&self, file: &str, count: u32) -> bool {
        let own = self.lines.iter().filter(|line| line.file == file);
        count > 0 && own.count() as u64 == u64::from(count)
    }

    /// Compares the lines with those that are wanted, within a budget. The budget must not be
    /// larger than the one for [`of`](Self::of).
    pub fn measured<'t>(
        &self,
        wanted: &Lines,
        budget: u64,
        text: impl Fn(&str) -> Option<&'t [String]>,
    ) -> Shown {
        let mut measured = Shown::default();
        for (file, lines) in wanted {
            let there = text(file).unwrap_or_default();
            let counts = lines
                .iter()
                .filter(|line| line_at(there, **line).is_some_and(says));
            measured.wanted += counts.count() as u64;
        }
        for seen in &self.lines {
            if measured.tokens + seen.weight > budget {
                return measured;
            }
            measured.tokens += seen.weight;
            let lines = wanted.get(seen.file);
            match (
                seen.says,
                lines.is_some_and(|lines| lines.contains(&seen.line)),
            ) {
                (true, true) => {
                    measured.found += 1;
                    measured.useful += seen.weight;
                    measured.until_last = measured.tokens;
                }
                (true, false) => measured.noise += seen.weight,
                (false, _) => {}
            }
        }
        measured
    }
}

/// Like [`Seen::measured`], if there is only one comparison to make.
pub fn shown<'t>(
    spans: &[ShownSpan],
    wanted: &Lines,
    budget: u64,
    text: impl Fn(&str) -> Option<&'t [String]>,
) -> Shown {
    Seen::of(spans, budget, &text).measured(wanted, budget, text)
}

impl Shown {
    /// Returns the share of wanted lines that are shown, from 0 to 1, or `None` if no line is
    /// wanted.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        ratio(self.found, self.wanted)
    }

    /// The share of noise in the tokens of lines that are either noise or wanted, from 0 to 1.
    /// `None` if there are no such lines.
    #[must_use]
    pub(crate) fn noise_ratio(&self) -> Option<f64> {
        ratio(self.noise, self.noise + self.useful)
    }

    /// The share of wanted lines in all tokens up to the last wanted line, from 0 to 1. This is 0
    /// if no wanted line is shown, and `None` if no line is wanted.
    #[must_use]
    pub(crate) fn efficiency(&self) -> Option<f64> {
        match (self.wanted, self.found) {
            (0, _) => None,
            (_, 0) => Some(0.0),
            _ => ratio(self.useful, self.until_last),
        }
    }
}

pub(crate) fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Returns the tokens of a line, plus one for the line break.
#[must_use]
pub fn weight(line: &str) -> u64 {
    windlass_tokens::count(line) as u64 + 1
}

fn line_at(lines: &[String], line: u32) -> Option<&str> {
    let at = (line as usize).checked_sub(1)?;
    lines.get(at).map(String::as_str)
}

pub(crate) fn says(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    fn span(start: u32, end: u32) -> ShownSpan {
        let span = LineSpan::new(start, end).unwrap();
        ShownSpan {
            file: "f".to_owned(),
            span,
        }
    }

    fn wanted(numbers: &[u32]) -> Lines {
        BTreeMap::from([("f".to_owned(), numbers.iter().copied().collect())])
    }

    /// The weight of each line is 2, because of the line break.
    const TEXT: &str = "a\nb\n}\nc\nd";

    fn measure(spans: &[ShownSpan], gold: &[u32], budget: u64) -> Shown {
        let text = lines(TEXT);
        shown(spans, &wanted(gold), budget, |file| {
            (file == "f").then_some(text.as_slice())
        })
    }

    #[test]
    fn wanted_and_noise_count_within_budget() {
        let all = measure(&[span(1, 5)], &[2, 3, 4], 100);
        assert_eq!(
            (all.wanted, all.found, all.tokens, all.noise),
            (2, 2, 10, 4)
        );
        assert_eq!(all.recall(), Some(1.0));
        assert_eq!(all.noise_ratio(), Some(0.5), "a brace counts for nothing");
        // We've read the lines a, b, } and c, but only b and c are wanted.
        assert_eq!(all.efficiency(), Some(0.5));
        let half = measure(&[span(1, 5)], &[2, 3, 4], 5);
        assert_eq!((half.found, half.tokens), (1, 4));
        assert_eq!(half.recall(), Some(0.5));
    }

    #[test]
    fn empty_answer_is_never_good() {
        let nothing = measure(&[], &[2], 100);
        assert_eq!(nothing.recall(), Some(0.0));
        assert_eq!(nothing.noise_ratio(), None);
        assert_eq!(nothing.efficiency(), Some(0.0), "to say nothing is no gain");
        assert_eq!(measure(&[], &[], 100).efficiency(), None);
        let wrong = measure(&[span(4, 5)], &[2], 100);
        assert_eq!(
            (wrong.noise_ratio(), wrong.efficiency()),
            (Some(1.0), Some(0.0))
        );
        assert_eq!(measure(&[span(1, 1)], &[], 100).recall(), None);
    }

    #[test]
    fn lines_without_words_are_neutral() {
        let brace = measure(&[span(3, 3)], &[2], 100);
        assert_eq!((brace.tokens, brace.noise_ratio()), (2, None));
    }

    #[test]
    fn repeated_and_missing_lines_cost_nothing() {
        let twice = measure(&[span(2, 2), span(1, 2), span(5, 900)], &[2], 100);
        assert_eq!((twice.tokens, twice.found), (6, 1));
        let text = lines(TEXT);
        let has_all = |budget| {
            let spans = [span(3, 5), span(1, 3)];
            let seen = Seen::of(&spans, budget, |_| Some(text.as_slice()));
            seen.has_all_of("f", 5) && !seen.has_all_of("g", 5)
        };
        assert!(has_all(100) && !has_all(9));
    }
}
