//! unittest of Python, and what is built on it, such as the tests of Django.

use super::Program;
use super::printed_page::Page;
use crate::TestCount;

/// What tells of a test that passed and should not have.
const UNEXPECTED: &str = "UNEXPECTED SUCCESS: ";

#[derive(Default)]
pub(super) struct Unittest {
    /// Whether tests are told and how they went all in all is not yet.
    is_open: bool,
    /// How many ran, once that is said.
    ran: Option<u32>,
}

impl Program for Unittest {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line();
        if let Some(name) = line.strip_prefix(UNEXPECTED).filter(|_| self.is_open) {
            // Nothing is said of it, and the next may follow at once.
            let name = full_name(name).unwrap_or_else(|| name.trim().to_owned());
            page.fail_as(&name, "unexpected success", "");
            page.pass();
        } else if is_line_of(line, '=') && page.ahead(1).starts_with(UNEXPECTED) {
            self.is_open = true;
            page.recognise();
            page.pass();
        } else if is_line_of(line, '=') && heading(page.ahead(1)).is_some() {
            self.is_open = true;
            page.pass();
            take_failure(page);
        } else if let Some(name) = went_badly(page) {
            self.is_open = true;
            page.name(&name);
            page.pass();
        } else if let Some((name, is_skipped)) = went(page) {
            self.is_open = true;
            page.recognise();
            match is_skipped {
                true => page.skipped(&name),
                false => page.passed(&name),
            }
            page.pass();
        } else if let Some(ran) = ran(line) {
            self.ran = Some(ran);
            page.recognise();
            page.pass();
        } else if self.ran.is_some()
            && let Some(said) = verdict(line)
        {
            let ran = self.ran.take().unwrap_or_default();
            self.is_open = false;
            page.count(count(ran, said));
            page.pass();
        } else {
            return false;
        }
        true
    }

    fn end(&mut self, page: &mut Page<'_>) {
        if self.is_open || self.ran.is_some() {
            page.break_off("unittest", "");
        }
    }
}

/// `======…` and the like.
fn is_line_of(line: &str, sign: char) -> bool {
    line.len() == 70 && line.chars().all(|c| c == sign)
}

/// The name behind `FAIL: test_a (module.Class.test_a)`.
fn heading(line: &str) -> Option<String> {
    let rest = line
        .strip_prefix("FAIL: ")
        .or_else(|| line.strip_prefix("ERROR: "))?;
    Some(full_name(rest).unwrap_or_else(|| rest.trim().to_owned()))
}

/// `module.Class.test_a` of `test_a (module.Class.test_a)`, and of `test_a (module.Class)`, which older ones print; what stands behind it
/// tells the parts of a test apart.
fn full_name(text: &str) -> Option<String> {
    let (test, rest) = text.trim().split_once(" (")?;
    let (class, part) = rest.split_once(')')?;
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '<' | '>'))
    };
    if !is_name(test)
        || !is_name(class)
        || !class.contains('.') && class != test && test != "setUpClass"
    {
        return None;
    }
    let is_whole = class == test || class.ends_with(&format!(".{test}"));
    let name = match is_whole {
        true => class.to_owned(),
        false => format!("{class}.{test}"),
    };
    Some(match part.trim() {
        "" => name,
        part => format!("{name} {part}"),
    })
}

/// Takes a failure from its heading to where the next begins.
fn take_failure(page: &mut Page<'_>) {
    let name = heading(page.line()).unwrap_or_default();
    page.pass();
    // The first line of what is said of the test in the source may stand before the line.
    page.take_until(|line| is_line_of(line, '-') || line.is_empty());
    if is_line_of(page.line(), '-') {
        page.pass();
    }
    let said = page.take_until(|line| is_line_of(line, '=') || is_line_of(line, '-'));
    let said = said.join("\n");
    // What was thrown says more than where.
    page.fail_as(&name, thrown(&said).unwrap_or_default(), &said);
}

/// The line behind the frames of the last traceback: `ValueError: boom`.
fn thrown(said: &str) -> Option<&str> {
    let mut lines = said.lines();
    let mut found = None;
    while let Some(line) = lines.next() {
        if line.starts_with("Traceback") {
            found = lines
                .by_ref()
                .find(|line| !line.starts_with(' ') && !line.is_empty());
        }
    }
    found
}

/// The test that `test_a (module.Class.test_a) ... FAIL` tells of; where it has words of its own, its name stands on the line before.
fn went_badly(page: &Page<'_>) -> Option<String> {
    let (before, word) = page.line().rsplit_once(" ... ")?;
    if !matches!(word.trim(), "FAIL" | "ERROR" | "unexpected success") {
        return None;
    }
    full_name(before).or_else(|| full_name(page.before()))
}

/// The test that a line tells of that did not fail, and whether it is counted as one that was not run.
fn went(page: &Page<'_>) -> Option<(String, bool)> {
    let (before, word) = page.line().rsplit_once(" ... ")?;
    let is_skipped = word.trim() == "expected failure" || word.starts_with("skipped");
    if !is_skipped && word.trim() != "ok" {
        return None;
    }
    let name = full_name(before).or_else(|| full_name(page.before()))?;
    Some((name, is_skipped))
}

/// `Ran 3 tests in 0.001s`
fn ran(line: &str) -> Option<u32> {
    let (number, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    let is_it = rest.starts_with("tests in ") || rest.starts_with("test in ");
    number.parse().ok().filter(|_| is_it)
}

/// What stands in the brackets of `FAILED (failures=1, errors=2)`; nothing in those of `OK`.
fn verdict(line: &str) -> Option<&str> {
    let rest = ["OK", "FAILED", "NO TESTS RAN"]
        .iter()
        .find_map(|word| line.strip_prefix(word))?;
    let inside = rest
        .trim()
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    inside.or_else(|| rest.trim().is_empty().then_some(""))
}

fn count(ran: u32, said: &str) -> TestCount {
    let (mut failed, mut skipped) = (0_u32, 0_u32);
    for part in said.split(", ") {
        let Some((word, number)) = part.split_once('=') else {
            continue;
        };
        let number: u32 = number.parse().unwrap_or_default();
        match word.trim() {
            "failures" | "errors" | "unexpected successes" => {
                failed = failed.saturating_add(number);
            }
            "skipped" | "expected failures" => skipped = skipped.saturating_add(number),
            _ => {}
        }
    }
    TestCount {
        passed: ran.saturating_sub(failed.saturating_add(skipped)),
        failed,
        skipped,
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    #[test]
    fn names_of_all_versions_are_the_same() {
        for (text, name) in [
            ("test_a (m.Case.test_a)", Some("m.Case.test_a")),
            ("test_a (m.Case)", Some("m.Case.test_a")),
            ("test_a (m.Case.test_a) (i=0)", Some("m.Case.test_a (i=0)")),
            (
                "test_imp (unittest.loader._FailedTest.test_imp)",
                Some("unittest.loader._FailedTest.test_imp"),
            ),
            ("setUpClass (m.Case)", Some("m.Case.setUpClass")),
            ("see this (m.Case)", None),
            ("a (b)", None),
        ] {
            assert_eq!(full_name(text).as_deref(), name, "{text}");
        }
    }

    #[test]
    fn tests_that_should_not_have_passed_fail() {
        let (double, single) = ("=".repeat(70), "-".repeat(70));
        for loud in ["", "test_us (m.Case.test_us) ... unexpected success\n"] {
            let text = format!(
                "{loud}\n{double}\nUNEXPECTED SUCCESS: test_us (m.Case.test_us)\nUNEXPECTED SUCCESS: test_b (m.Case.test_b)\n{single}\nRan 3 tests in 0.000s\n\nFAILED (unexpected successes=2)\n"
            );
            let found = read(&text);
            let told = found.failures.iter().map(|it| (&*it.id, &*it.summary));
            let told: Vec<(&str, &str)> = told.collect();
            assert_eq!(
                told,
                [
                    ("m.Case.test_us", "unexpected success"),
                    ("m.Case.test_b", "unexpected success")
                ]
            );
            let count = found.tests.map(|it| (it.passed, it.failed));
            assert_eq!((count, found.is_broken_off), (Some((1, 2)), false));
        }
    }

    #[test]
    fn what_ends_in_the_middle_did_not_pass() {
        let whole = "test_a (m.Case.test_a) ... ok\n\n----------------------------------------------------------------------\nRan 1 test in 0.001s\n\nOK\n";
        let found = read(whole);
        assert!(
            found.failures.is_empty() && !found.is_broken_off,
            "{found:?}"
        );
        assert_eq!(found.tests.map(|it| it.passed), Some(1));
        for (at, _) in whole.match_indices('\n') {
            let cut = read(&whole[..at]);
            let is_whole = whole[..at].ends_with("OK");
            assert_eq!(cut.failures.is_empty(), is_whole, "{at}: {cut:?}");
        }
        assert!(
            read("Ran 1 test in 0.001s\n\nFAILED (errors=1)\n")
                .tests
                .unwrap()
                .failed
                == 1
        );
    }
}
