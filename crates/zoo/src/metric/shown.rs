//! Measures of what is shown within a budget of tokens: lines of files, against the lines that are wanted.
//!
//! A line weighs its own tokens and one for its end. Lines that say nothing (blank, or punctuation alone) weigh what they weigh,
//! and are never wanted nor noise: nobody is helped or misled by a brace.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::LineSpan;

/// Lines of files.
pub type Lines = BTreeMap<String, BTreeSet<u32>>;

/// A place that is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownSpan {
    /// The file, relative to the root.
    pub file: String,
    /// The lines.
    pub span: LineSpan,
}

/// What was shown of the wanted lines, in the order it was shown.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Shown {
    /// Lines that are wanted and say something.
    pub wanted: u64,
    /// Those of them that were shown.
    pub found: u64,
    /// Tokens of all lines that were shown.
    pub tokens: u64,
    /// Tokens of those shown that say something and are not wanted.
    pub noise: u64,
    /// Tokens that were shown until the last wanted line was.
    pub until_last: u64,
    /// Tokens of wanted lines that were shown.
    pub useful: u64,
}

/// The lines that are read of what is shown, in the order they are. Many things are measured of one answer: what each of its lines
/// weighs is looked at once.
pub struct Seen<'a> {
    lines: Vec<SeenLine<'a>>,
    /// How many of the places the budget reaches.
    places: usize,
}

struct SeenLine<'a> {
    file: &'a str,
    line: u32,
    weight: u64,
    says: bool,
}

impl<'a> Seen<'a> {
    /// Goes through `spans` in their order until `budget` tokens are spent; a line that does not fit ends it, and a line that was shown
    /// before costs nothing. `text` gives the lines of a file, from its first.
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

    /// How many of the places that it was made of the budget reaches, the first that does not fit it included: what comes behind them
    /// counts for nothing.
    #[must_use]
    pub fn places(&self) -> usize {
        self.places
    }

    /// The same, where lines (of a file, by number) that are neither wanted nor wrong are no noise.
    #[must_use]
    pub(crate) fn with_neutral(mut self, is_neutral: impl Fn(&str, u32) -> bool) -> Self {
        for line in &mut self.lines {
            line.says &= !is_neutral(line.file, line.line);
        }
        self
    }

    /// Whether all lines of `file`, which has `count`, are among them.
    #[must_use]
    pub(crate) fn has_all_of(&self, file: &str, count: u32) -> bool {
        let own = self.lines.iter().filter(|line| line.file == file);
        count > 0 && own.count() as u64 == u64::from(count)
    }

    /// What was shown of the `wanted` lines until `budget` tokens were spent, of no more than those that it was made with.
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

/// What is seen of `spans` until `budget` tokens are spent, measured against all that is `wanted`.
pub fn shown<'t>(
    spans: &[ShownSpan],
    wanted: &Lines,
    budget: u64,
    text: impl Fn(&str) -> Option<&'t [String]>,
) -> Shown {
    Seen::of(spans, budget, &text).measured(wanted, budget, text)
}

impl Shown {
    /// The share of the wanted lines that was shown, 0 to 1; undefined where none is wanted.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        ratio(self.found, self.wanted)
    }

    /// The share of the tokens shown in lines that say something which is not wanted, 0 to 1; undefined where none of them says anything.
    #[must_use]
    pub(crate) fn noise_ratio(&self) -> Option<f64> {
        ratio(self.noise, self.noise + self.useful)
    }

    /// The tokens of wanted lines divided by those that had to be read until the last of them, 0 to 1; 0 where nothing
    /// wanted was shown; undefined where nothing is wanted.
    #[must_use]
    pub(crate) fn efficiency(&self) -> Option<f64> {
        match (self.wanted, self.found) {
            (0, _) => None,
            (_, 0) => Some(0.0),
            _ => ratio(self.useful, self.until_last),
        }
    }
}

/// `part` divided by `whole`; undefined where that is 0.
pub(crate) fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The tokens of a line, with its end.
#[must_use]
pub fn weight(line: &str) -> u64 {
    windlass_tokens::count(line) as u64 + 1
}

fn line_at(lines: &[String], line: u32) -> Option<&str> {
    let at = (line as usize).checked_sub(1)?;
    lines.get(at).map(String::as_str)
}

/// Whether a line has a letter or digit: what has none is neither wanted nor noise.
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

    /// Each line is one token, and one for its end.
    const TEXT: &str = "a\nb\n}\nc\nd";

    fn measure(spans: &[ShownSpan], gold: &[u32], budget: u64) -> Shown {
        let text = lines(TEXT);
        shown(spans, &wanted(gold), budget, |file| {
            (file == "f").then_some(text.as_slice())
        })
    }

    #[test]
    fn what_is_wanted_and_what_is_noise_is_counted_within_the_budget() {
        let all = measure(&[span(1, 5)], &[2, 3, 4], 100);
        assert_eq!(
            (all.wanted, all.found, all.tokens, all.noise),
            (2, 2, 10, 4)
        );
        assert_eq!(all.recall(), Some(1.0));
        assert_eq!(all.noise_ratio(), Some(0.5), "a brace counts for nothing");
        // b and c, of a, b, } and c.
        assert_eq!(all.efficiency(), Some(0.5));
        let half = measure(&[span(1, 5)], &[2, 3, 4], 5);
        assert_eq!((half.found, half.tokens), (1, 4));
        assert_eq!(half.recall(), Some(0.5));
    }

    #[test]
    fn nothing_is_undefined_or_zero_and_never_good() {
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
    fn lines_that_say_nothing_are_no_merit() {
        let brace = measure(&[span(3, 3)], &[2], 100);
        assert_eq!((brace.tokens, brace.noise_ratio()), (2, None));
    }

    #[test]
    fn the_same_lines_again_and_lines_that_are_not_there_cost_nothing() {
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
