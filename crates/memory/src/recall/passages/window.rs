//! Picks the lines to show if a text is too long to show all of it.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::recall::question::{Query, QueryWord, each_term};

/// The number of lines to show before the first match.
const CONTEXT: usize = 1;

/// Counts the words of the question in each line. A repeated word counts once.
pub fn matched_by_line<'a>(lines: impl Iterator<Item = &'a str>, query: &Query) -> Vec<usize> {
    let wanted: BTreeSet<&str> = query.required().map(QueryWord::lookup_stem).collect();
    let matched = lines.map(|line| {
        let mut there: BTreeSet<&str> = BTreeSet::new();
        each_term(line, |term| {
            there.extend(wanted.get(&*term.stem()));
        });
        there.len()
    });
    matched.collect()
}

/// Finds the `most` consecutive lines with the largest sum of `matched`, or the first such window
/// if there are several.
///
/// Unless the window starts at line 0, we move it down until it begins just before its first match.
#[must_use]
pub fn best_window(matched: &[usize], most: usize) -> Range<usize> {
    let most = most.min(matched.len());
    let (mut sum, mut best, mut start) = (matched[..most].iter().sum::<usize>(), 0, 0);
    let mut best_sum = sum;
    for at in 1..=matched.len() - most {
        sum = sum + matched[at + most - 1] - matched[at - 1];
        if sum > best_sum {
            (best, best_sum) = (at, sum);
        }
    }
    if best > 0 {
        let first = matched[best..].iter().position(|words| *words > 0);
        let first = best + first.unwrap_or(0);
        // Lines after the match tell more than unmatched ones before it.
        start = first
            .saturating_sub(CONTEXT)
            .clamp(best, matched.len() - most);
    }
    start..start + most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_covers_most_matches() {
        let query = Query::of("which port does the metrics server use?");
        let lines = ["nothing", "The port", "", "metrics server: port 9090", "x"];
        let matched = matched_by_line(lines.into_iter(), &query);
        assert_eq!(matched, [0, 1, 0, 3, 0]);
        assert_eq!(best_window(&matched, 2), 2..4);
        assert_eq!(best_window(&matched, 3), 1..4);
        assert_eq!(best_window(&matched, 9), 0..5);
        assert_eq!(best_window(&matched, 0), 0..0);
        assert_eq!(best_window(&[], 3), 0..0);
        assert_eq!(best_window(&[0, 0, 0, 0], 2), 0..2, "nowhere");
        assert_eq!(best_window(&[1, 0, 0, 1], 2), 0..2, "the first of equals");
        assert_eq!(best_window(&[0, 0, 0, 0, 0, 2, 0, 0, 0], 4), 4..8);
        assert_eq!(best_window(&[0, 0, 0, 0, 0, 2], 4), 2..6, "up to the end");
    }
}
