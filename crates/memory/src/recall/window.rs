//! Which lines of a long text are worth showing where there is no room for all of it.

use std::collections::BTreeSet;
use std::ops::Range;

use windlass_search::each_indexed;
use windlass_search::{Query, QueryWord};

/// So many lines before the first that has something of what was asked are shown with it.
const LEAD: usize = 1;

/// How many of the words of the question stand in each of `lines`.
pub fn matched_by_line<'a>(lines: impl Iterator<Item = &'a str>, query: &Query) -> Vec<usize> {
    let words = query.words.iter().filter(|word| word.is_asked());
    let wanted: BTreeSet<&str> = words.map(|word: &QueryWord| word.stem.as_str()).collect();
    let matched = lines.map(|line| {
        let mut there: BTreeSet<&str> = BTreeSet::new();
        each_indexed(line, |term| {
            there.extend(wanted.get(&*term.stem()));
        });
        there.len()
    });
    matched.collect()
}

/// The `most` lines in which most of the question stands, given how many of its words stand in each line: from the beginning
/// where that has as much of it as any other place, else from shortly before the first line that has some.
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
        // What is shown instead of lines that have nothing comes behind.
        start = first.saturating_sub(LEAD).clamp(best, matched.len() - most);
    }
    start..start + most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_begins_where_most_of_the_question_stands() {
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
