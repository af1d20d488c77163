//! Ranges of lines that weren't executed.

use std::collections::BTreeMap;

/// Lines from `first` to `last`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    pub(crate) first: u32,
    pub(crate) last: u32,
}

impl Span {
    /// Returns the part within `window`, reduced to lines of the report at both ends.
    pub(crate) fn within(self, window: Self, lines: &BTreeMap<u32, u64>) -> Option<Self> {
        let (first, last) = (self.first.max(window.first), self.last.min(window.last));
        if first > last {
            return None;
        }
        let mut known = lines.range(first..=last).map(|(line, _)| *line);
        let first = known.next()?;
        let last = known.next_back().unwrap_or(first);
        Some(Self { first, last })
    }
}

/// Returns the ranges of lines that weren't executed. A range ends at an executed line, but
/// continues across lines missing in the report.
pub(crate) fn uncovered(lines: &BTreeMap<u32, u64>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut goes_on = false;
    for (line, hits) in lines {
        match (spans.last_mut(), *hits) {
            (_, 1..) => goes_on = false,
            (Some(span), 0) if goes_on => span.last = *line,
            (_, 0) => {
                spans.push(Span {
                    first: *line,
                    last: *line,
                });
                goes_on = true;
            }
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(first: u32, last: u32) -> Span {
        Span { first, last }
    }

    #[test]
    fn executed_line_ends_span() {
        let lines = BTreeMap::from([(1, 0), (2, 3), (4, 0), (7, 0), (9, 1), (12, 0)]);
        assert_eq!(uncovered(&lines), [span(1, 1), span(4, 7), span(12, 12)]);
        assert_eq!(uncovered(&BTreeMap::from([(5, 1)])), []);
    }

    #[test]
    fn window_ends_at_reported_lines() {
        let lines = BTreeMap::from([(4, 0), (7, 0), (9, 0)]);
        let whole = span(4, 9);
        assert_eq!(whole.within(span(5, 20), &lines), Some(span(7, 9)));
        assert_eq!(whole.within(span(1, 6), &lines), Some(span(4, 4)));
        assert_eq!(whole.within(span(5, 6), &lines), None);
        assert_eq!(whole.within(span(10, 20), &lines), None);
    }
}
