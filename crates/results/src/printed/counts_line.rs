//! How many tests there were, as programs say it on one line: those that have no file of their own here.

use super::Program;
use super::printed_page::Page;
use crate::TestCount;

/// Lines that count tests, and say nothing else.
pub(super) struct Counts;

impl Program for Counts {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let Some(count) = counted(page.line().trim()) else {
            return false;
        };
        page.count(count);
        page.pass();
        true
    }
}

/// What a line counts; nothing where it counts no tests.
fn counted(line: &str) -> Option<TestCount> {
    examples(line)
        .or_else(|| named(line))
        .or_else(|| executed(line))
        .or_else(|| deno(line))
        .or_else(|| plain(line))
}

/// `3 examples, 1 failure, 1 pending` of RSpec, `3 tests, 1 failure` of `ExUnit`, `3 runs, 3 assertions, 1 failures, 0 errors, 0 skips` of
/// minitest.
fn examples(line: &str) -> Option<TestCount> {
    let mut parts = line.trim_end_matches('.').split(", ");
    let (all, word) = parts.next()?.split_once(' ')?;
    let is_all = matches!(
        word,
        "examples" | "example" | "tests" | "test" | "runs" | "run"
    );
    let all: u32 = all.parse().ok().filter(|_| is_all)?;
    let (mut failed, mut skipped, mut is_told) = (0_u32, 0_u32, false);
    for part in parts {
        let (number, word) = part.split_once(' ')?;
        let number: u32 = number.parse().ok()?;
        match word {
            "failures" | "failure" | "errors" | "error" => {
                failed = failed.saturating_add(number);
                is_told = true;
            }
            "skips" | "skipped" | "pending" | "excluded" => {
                skipped = skipped.saturating_add(number);
            }
            "assertions" | "invalid" => {}
            word if word.contains("error") => {
                // RSpec: files that could not be loaded.
                failed = failed.saturating_add(number);
                is_told = true;
            }
            _ => return None,
        }
    }
    is_told.then(|| of(all, failed, skipped))
}

/// `Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4` of .NET, `Tests: 3, Assertions: 3, Failures: 1.` and
/// `OK (3 tests, 3 assertions)` of `PHPUnit`.
fn named(line: &str) -> Option<TestCount> {
    if let Some(inside) = line.strip_prefix("OK (") {
        let (all, rest) = inside.split_once(' ')?;
        let is_it = rest.starts_with("test") && rest.ends_with("assertions)")
            || rest.ends_with("assertion)");
        return all.parse().ok().filter(|_| is_it).map(|all| of(all, 0, 0));
    }
    let is_net = line.starts_with("Failed!  - ") || line.starts_with("Passed!  - ");
    let rest = if is_net { &line[11..] } else { line };
    if !is_net && !rest.starts_with("Tests: ") {
        return None;
    }
    let (mut all, mut failed, mut skipped) = (None, 0_u32, 0_u32);
    for part in rest.trim_end_matches('.').split(", ") {
        let Some((name, number)) = part.split_once(':') else {
            continue;
        };
        let Ok(number) = number.trim().parse::<u32>() else {
            continue;
        };
        match name.trim() {
            "Tests" | "Total" => all = Some(number),
            "Failed" | "Failures" | "Errors" => failed = failed.saturating_add(number),
            "Skipped" | "Incomplete" => skipped = skipped.saturating_add(number),
            _ => {}
        }
    }
    all.map(|all| of(all, failed, skipped))
}

/// `Executed 3 tests, with 1 failure (0 unexpected) in 0.1 seconds` of `XCTest`.
fn executed(line: &str) -> Option<TestCount> {
    let rest = line.strip_prefix("Executed ")?;
    let (all, rest) = rest.split_once(" test")?;
    let (_, rest) = rest.split_once("with ")?;
    let failed = rest.split(" failure").next()?.rsplit(' ').next()?;
    Some(of(all.parse().ok()?, failed.parse().ok()?, 0))
}

/// `ok | 3 passed | 0 failed (10ms)` of Deno.
fn deno(line: &str) -> Option<TestCount> {
    let rest = line
        .strip_prefix("ok | ")
        .or_else(|| line.strip_prefix("FAILED | "))?;
    listed(rest, '|')
}

/// `3 passed, 1 failed`, perhaps with `, 2 skipped` behind it, alone on its line.
fn plain(line: &str) -> Option<TestCount> {
    let parts: Vec<&str> = line.split(", ").collect();
    let is_part = |part: &&str| {
        let word = part.split_once(' ').map(|(_, word)| word);
        matches!(word, Some("passed" | "failed" | "skipped"))
    };
    let is_it = parts.len() >= 2 && parts.iter().all(is_part);
    is_it.then(|| listed(line, ',')).flatten()
}

fn of(all: u32, failed: u32, skipped: u32) -> TestCount {
    TestCount {
        passed: all.saturating_sub(failed.saturating_add(skipped)),
        failed,
        skipped,
    }
}

/// Numbers with what they count: all parts have to be such, and one of them has to count what passed, failed or was left out.
pub(super) fn listed(text: &str, between: char) -> Option<TestCount> {
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
            "passed" | "xpassed" => &mut count.passed,
            "failed" | "error" | "errors" => &mut count.failed,
            // `1 expected fail` of Vitest, as `1 xfailed` of pytest.
            "skipped" | "ignored" | "pending" | "xfailed" | "todo" | "expected" => {
                &mut count.skipped
            }
            _ => continue,
        };
        *into = into.saturating_add(number);
        is_count = true;
    }
    is_count.then_some(count)
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use crate::TestCount;

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
            ("3 examples, 1 failure, 1 pending", (1, 1, 1)),
            (
                "0 examples, 0 failures, 1 error occurred outside of examples",
                (0, 1, 0),
            ),
            (
                "3 runs, 5 assertions, 1 failures, 1 errors, 0 skips",
                (1, 2, 0),
            ),
            ("2 tests, 0 failures", (2, 0, 0)),
            (
                "Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4, Duration: 9 ms",
                (3, 1, 0),
            ),
            (
                "Tests: 3, Assertions: 4, Failures: 1, Skipped: 1.",
                (1, 1, 1),
            ),
            ("OK (3 tests, 4 assertions)", (3, 0, 0)),
            (
                "\t Executed 3 tests, with 1 failure (0 unexpected) in 0.1 (0.2) seconds",
                (2, 1, 0),
            ),
            ("FAILED | 1 passed | 2 failed (10ms)", (1, 2, 0)),
            ("3 passed, 1 failed, 1 skipped", (3, 1, 1)),
            (
                "      Tests  1 failed | 2 passed | 1 expected fail (4)",
                (2, 1, 1),
            ),
        ] {
            let expected = TestCount {
                passed: expected.0,
                failed: expected.1,
                skipped: expected.2,
            };
            assert_eq!(read(line).tests, Some(expected), "{line}");
        }
        for line in [
            "Test Suites: 1 failed, 1 total",
            "We passed 3 hills in 2 hours.",
            "3 passed by in a car",
            "2 passing cars",
            "5 files changed in 2s",
            "3 tests, and more",
            "Tests: none",
        ] {
            assert_eq!(read(line).tests, None, "{line}");
        }
    }
}
