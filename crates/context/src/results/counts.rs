//! How many tests there were, as test runners say it on one line.

use crate::TestCount;

/// What a line counts; nothing where it counts no tests.
pub(super) fn counts(line: &str) -> Option<TestCount> {
    cargo(line)
        .or_else(|| pytest(line))
        .or_else(|| jest(line))
        .or_else(|| mocha(line))
}

/// `test result: FAILED. 3 passed; 1 failed; 0 ignored; …`
fn cargo(line: &str) -> Option<TestCount> {
    let rest = line.trim().strip_prefix("test result: ")?;
    let (_, rest) = rest.split_once(". ")?;
    listed(rest, ';')
}

/// `=== 1 failed, 3 passed in 0.12s ===`, and the same without the frame.
fn pytest(line: &str) -> Option<TestCount> {
    let line = line.trim();
    let framed = line.trim_matches(['=', ' ']);
    let (said, time) = framed.rsplit_once(" in ")?;
    let is_time = time.starts_with(|c: char| c.is_ascii_digit())
        && (time.ends_with('s') || time.ends_with(')'));
    is_time.then(|| listed(said, ',')).flatten()
}

/// `Tests:       1 failed, 4 passed, 5 total`
fn jest(line: &str) -> Option<TestCount> {
    listed(line.trim().strip_prefix("Tests:")?, ',')
}

/// `4 passing (31ms)`, `1 failing`, `2 pending`, each on a line of its own.
fn mocha(line: &str) -> Option<TestCount> {
    let line = line.trim();
    let (line, time) = match line.split_once(" (") {
        Some((line, time)) => (line, time.ends_with("s)") || time.ends_with("m)")),
        None => (line, true),
    };
    let (number, word) = line.split_once(' ')?;
    let is_word = matches!(word, "passing" | "failing" | "pending");
    (is_word && time)
        .then(|| listed(&format!("{number} {word}"), ','))
        .flatten()
}

/// Numbers with what they count: all parts have to be such, and one of them has to count what passed, failed or was left out.
fn listed(text: &str, between: char) -> Option<TestCount> {
    let mut count = TestCount::default();
    let mut is_count = false;
    for part in text
        .split(between)
        .map(str::trim)
        .filter(|it| !it.is_empty())
    {
        let Some((number, word)) = part.split_once(' ') else {
            return is_count.then_some(count);
        };
        let Ok(number) = number.parse::<u32>() else {
            return is_count.then_some(count);
        };
        let into = match word.split(' ').next().unwrap_or_default() {
            "passed" | "passing" | "xpassed" => &mut count.passed,
            "failed" | "failing" | "error" | "errors" => &mut count.failed,
            "skipped" | "ignored" | "pending" | "xfailed" | "todo" => &mut count.skipped,
            _ => continue,
        };
        *into = into.saturating_add(number);
        is_count = true;
    }
    is_count.then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_count_tests_are_known_and_others_are_none() {
        for (line, expected) in [
            (
                "test result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s",
                (3, 1, 2),
            ),
            ("===== 12 passed, 1 warning in 0.31s =====", (12, 0, 0)),
            (
                "1 failed, 2 errors, 3 skipped in 61.02s (0:01:01)",
                (0, 3, 3),
            ),
            ("Tests:       1 failed, 4 passed, 5 total", (4, 1, 0)),
            ("  4 passing (31ms)", (4, 0, 0)),
            ("  1 failing", (0, 1, 0)),
        ] {
            let expected = TestCount {
                passed: expected.0,
                failed: expected.1,
                skipped: expected.2,
            };
            assert_eq!(counts(line), Some(expected), "{line}");
        }
        for line in [
            "Test Suites: 1 failed, 1 total",
            "We passed 3 hills in 2 hours.",
            "3 passed by in a car",
            "2 passing cars",
            "5 files changed in 2s",
        ] {
            assert_eq!(counts(line), None, "{line}");
        }
    }
}
