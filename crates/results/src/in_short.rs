//! Shortens a failure's message to a summary and a detail.
//!
//! Some messages contain everything the test has printed. The detail keeps their beginning and
//! their end. The summary is the first line that says something about the failure, so it skips
//! lines such as `Traceback (most recent call last):`.

/// Lines in a failure's detail. A longer one loses its middle.
const MOST_LINES: usize = 40;
/// Longest line of a detail, in characters.
const MOST_CHARS: usize = 400;
/// Longest summary, in characters.
const MOST_SUMMARY: usize = 200;
/// Stands for the omitted lines.
const GAP: &str = "…";

/// Returns the summary of the message `text` and, if there is more than one line, its detail. A
/// long message keeps its beginning and its end.
pub(crate) fn told(text: &str) -> (String, Option<String>) {
    let lines: Vec<&str> = text
        .trim_end()
        .lines()
        .map(str::trim_end)
        .skip_while(|line| line.is_empty())
        .collect();
    let short = |line: &&str| line.chars().take(MOST_CHARS).collect::<String>();
    let kept = match lines.len() > MOST_LINES {
        false => lines.iter().map(short).collect::<Vec<_>>(),
        true => {
            let (first, last) = (MOST_LINES / 2, lines.len() - (MOST_LINES / 2 - 1));
            let first = lines[..first].iter().map(short);
            let last = lines[last..].iter().map(short);
            first.chain([GAP.to_owned()]).chain(last).collect()
        }
    };
    let kept = kept.join("\n");
    let is_telling = |line: &&str| {
        let line = line.trim();
        let says_how = ["thread '", "Traceback"];
        !line.is_empty() && !says_how.iter().any(|how| line.starts_with(how))
    };
    let mut telling = kept.lines().filter(is_telling);
    let first = telling.find(|line| line.trim() != LEGEND);
    let first = first.or_else(|| kept.lines().next());
    let summary = with_what_follows(first.unwrap_or_default(), telling);
    let summary = in_short(&summary);
    let detail = (kept.lines().count() > 1).then_some(kept);
    (summary, detail)
}

/// Legend for the marks in a comparison by node. It says nothing about the difference.
const LEGEND: &str = "+ actual - expected";

/// Returns the summary for `line`.
///
/// A line that ends with a colon is completed by the first line of `rest`, or by the first
/// differing line if `rest` is a comparison.
pub(crate) fn with_what_follows<'l>(line: &str, rest: impl Iterator<Item = &'l str>) -> String {
    if !line.ends_with(':') {
        return line.to_owned();
    }
    let mut rest = rest.map(str::trim).filter(|line| !line.is_empty());
    let next = match rest.next() {
        Some(LEGEND) => rest.find(|line| line.starts_with(['+', '-'])),
        next => next,
    };
    match next {
        Some(next) => format!("{line} {next}"),
        None => line.to_owned(),
    }
}

/// Trims a line and cuts it to the length of a summary.
pub(crate) fn in_short(line: &str) -> String {
    line.trim().chars().take(MOST_SUMMARY).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_results;

    #[test]
    fn of_what_is_long_the_end_is_told_too() {
        let text: String = (0..100).map(|n| format!("line {n}\n")).collect();
        let detail = told(&text).1.unwrap();
        let lines: Vec<&str> = detail.lines().collect();
        assert_eq!(lines.len(), MOST_LINES);
        assert_eq!((lines[0], lines[20], lines[39]), ("line 0", GAP, "line 99"));
    }

    #[test]
    fn announcing_line_is_joined_with_next() {
        let said = "AssertionError: Expected values to be strictly equal:\n\n1 !== 2\n\n    at x\n";
        let expected = "AssertionError: Expected values to be strictly equal: 1 !== 2";
        assert_eq!(told(said).0, expected);
        assert_eq!(told("nothing follows:\n\n").0, "nothing follows:");
        let yaml = "TAP version 13\nnot ok 1 - adds\n  ---\n  error: |-\n    Expected values to be strictly equal:\n    \n    -1 !== 3\n    \n  code: 'ERR_ASSERTION'\n  ...\n1..1\n";
        let spec = "✖ adds (0.5ms)\n  Expected values to be strictly equal:\n  \n  -1 !== 3\n  \n      at x (/p/a.js:3:4)\nℹ tests 1\nℹ fail 1\n";
        for text in [yaml, spec] {
            let found = read_results(text).unwrap();
            let expected = "Expected values to be strictly equal: -1 !== 3";
            assert_eq!(found.failures[0].summary, expected, "{text}");
        }
    }

    #[test]
    fn first_differing_line_is_reported() {
        let said = "AssertionError: Expected values to be equal:\n+ actual - expected\n\n  {\n+   a: 1\n-   a: 2\n  }\n";
        let expected = "AssertionError: Expected values to be equal: +   a: 1";
        assert_eq!(told(said).0, expected);
        let indented = said.replace('\n', "\n  ");
        let spec = format!("✖ adds (0.5ms)\n  {indented}\nℹ tests 1\nℹ fail 1\n");
        let yaml = format!(
            "TAP version 13\nnot ok 1 - adds\n  ---\n  error: |-\n    {}\n  ...\n1..1\n",
            said.replace('\n', "\n    ")
        );
        for text in [spec, yaml] {
            let found = read_results(&text).unwrap();
            assert_eq!(found.failures[0].summary, expected, "{text}");
        }
    }
}
