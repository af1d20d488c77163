//! Results of tests, compilers and linters, read from files: JUnit XML, reports in JSON and XML,
//! and printed output, colored or not.
//!
//! - [`read_results`] parses any of these to [`Results`], which has failures ([`Failure`]), counts
//!   ([`TestCount`]), and names of tests ([`NamedTest`]).
//! - `printed/programs.toml` describes the lines of each program. All other lines are skipped.
//! - `reports/reports.toml` describes the reports: CTRF, Jest and Vitest, `RSpec`, TRX, and build
//!   events of Bazel.
//!
//! Logs are often cut, interleaved or damaged, and a run that seems to pass because of that is the
//! worst mistake we can make. A failure must never get lost, even if all we know of it is a count:
//! without its name, we report one that stands for the others. A text that ends too early counts as
//! broken off.
//!
//! This crate never reads a file. Text goes in and values come out, with locations as printed, so
//! it can be built into plugins as well.

mod extent;
mod in_short;
mod junit_xml;
mod labels;
mod named_test;
mod not_run;
mod places_in;
mod printed;
mod reports;
mod taken_in;
mod terminal;
mod test_counts;
mod what_fails;

use std::collections::BTreeMap;

use self::labels::Labels;
pub use self::named_test::{NamedTest, TestOutcome, test_key};
pub use self::test_counts::{FileCount, TestCount, file_of_test};
pub use self::what_fails::{Failure, FailureKind};

/// Further failures are only counted by [`read_results`].
const MOST_FAILURES: usize = 200;

/// The results in one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    /// The failures in the order of the file, each once.
    pub failures: Vec<Failure>,
    /// Counts of tests, if the file gives them.
    pub tests: Option<TestCount>,
    /// Number of failures that are counted but not in `failures`.
    pub left_out: u32,
    /// Named tests, and errors that aren't tests. Many programs don't name passed tests.
    pub names: Vec<NamedTest>,
    /// Counts of test files, by reported name. They're only known for programs that count by file,
    /// e.g. by dots.
    pub files: BTreeMap<String, FileCount>,
    /// Number of failed tests that are counted but not named.
    pub unnamed: u32,
    /// Programs with results, in order: `junit` for JUnit XML, `cargo`, `pytest`, `go` and others.
    pub programs: Vec<&'static str>,
    /// True if any part comes from a known test runner or compiler. Other text proves nothing about
    /// failures.
    pub is_recognised: bool,
    /// True if some tests aren't counted, so that the total is unknown.
    pub is_uncounted: bool,
    /// True if the output ends early or the run was interrupted. Any test it doesn't name may have
    /// failed.
    pub is_broken_off: bool,
}

impl Results {
    /// Records the program that printed the results. An unknown program has an empty name.
    fn told_by(&mut self, program: &'static str) {
        if !program.is_empty() && !self.programs.contains(&program) {
            self.programs.push(program);
        }
    }

    fn add(&mut self, other: Self) {
        self.failures.extend(other.failures);
        self.tests = match (self.tests, other.tests) {
            (Some(one), Some(other)) => Some(TestCount {
                passed: one.passed.saturating_add(other.passed),
                failed: one.failed.saturating_add(other.failed),
                skipped: one.skipped.saturating_add(other.skipped),
            }),
            (one, other) => one.or(other),
        };
        self.names.extend(other.names);
        for (name, count) in other.files {
            self.files.entry(name).or_default().add(count);
        }
        self.unnamed = self.unnamed.saturating_add(other.unnamed);
        for program in other.programs {
            self.told_by(program);
        }
        self.is_recognised |= other.is_recognised;
        self.is_uncounted |= other.is_uncounted;
        self.is_broken_off |= other.is_broken_off;
    }
}

/// Reason why a text of results can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct NotResults {
    /// The line number, from 1.
    pub line: u32,
    /// The problem at that line.
    pub why: String,
}

/// Reads results of tests and compilers: JUnit XML (one document or several), reports in JSON or
/// XML, and output of cargo, rustc, pytest, go test and others, with or without colors.
///
/// # Errors
/// Returns an error if the text is XML that is not well formed.
pub fn read_results(text: &str) -> Result<Results, NotResults> {
    read_up_to(text, MOST_FAILURES)
}

/// Reads results like [`read_results`], but keeps at most `most` failures.
///
/// # Errors
/// Returns an error if the text is XML that is not well formed.
pub fn read_up_to(text: &str, most: usize) -> Result<Results, NotResults> {
    let text = terminal::plain(text.trim_start_matches('\u{feff}'));
    // Any text may be the output of a program, so try the reports first.
    let mut found = match reports::read_all(&text) {
        Some(found) => found,
        None => match junit_xml::read_all(&text)? {
            Some(found) => found,
            None => printed::read(&terminal::shown(&text)),
        },
    };
    found.is_recognised |= found.tests.is_some() || !found.failures.is_empty();
    // A sum over only some of the programs is no total, so drop it.
    found.tests = found.tests.filter(|_| !found.is_uncounted);
    let labels = Labels::of(&found.failures, &found.names);
    labels.put(&mut found.names);
    let (failures, names) = taken_in::taken_in(std::mem::take(&mut found.failures), &labels, most);
    found.failures = failures;
    found.names = taken_in::told_apart(names, std::mem::take(&mut found.names));
    found.left_out = taken_in::left_out(&found.names);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_results_is_not_recognised() {
        let is_recognised = |text: &str| read_results(text).unwrap().is_recognised;
        for text in [
            "test result: ok. 3 passed; 0 failed; 0 ignored",
            "===== 12 passed, 1 warning in 0.31s =====",
            "ok  \texample.org/a\t0.01s",
            "    Finished `dev` profile [unoptimized] target(s) in 0.1s",
            "Tests:       5 passed, 5 total",
            "BUILD SUCCESSFUL in 2s",
            "Found 0 errors. Watching for file changes.",
            "<testsuite name=\"a\"></testsuite>",
        ] {
            assert!(is_recognised(text), "{text}");
        }
        // A run that ended before its first test prints nothing either.
        for text in [
            "",
            "# Notes\n\nWe passed 3 hills in 2 hours.\n",
            "<html><body/></html>",
            "{\"a\": 1}",
        ] {
            assert!(!is_recognised(text), "{text}");
        }
    }

    #[test]
    fn one_uncounted_program_leaves_no_total() {
        let go = "--- FAIL: TestBad (0.00s)\n    a_test.go:4: no\nFAIL\nFAIL\texample.org/g\t0.006s\nFAIL\n";
        let well = "ok  \texample.org/h\t0.004s\n";
        let cargo = "running 1 test\ntest b::x ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n\n";
        let pytest = "....                             [100%]\n4 passed in 0.12s\n";
        let xml = "<testsuite><testcase name=\"x\"/></testsuite>\n";
        for counted in [cargo, pytest, xml] {
            for uncounted in [go, well] {
                for text in [
                    format!("{counted}{uncounted}"),
                    format!("{uncounted}{counted}"),
                ] {
                    let found = read_results(&text).unwrap();
                    assert_eq!(found.tests, None, "{text}");
                    assert_eq!(found.failures.len(), usize::from(uncounted == go), "{text}");
                }
            }
            // A package without tests has nothing to count.
            for empty in [
                "?   \texample.org/g\t[no test files]\n",
                "ok  \texample.org/g\t0.004s [no tests to run]\n",
                "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \texample.org/g\t0.004s\n",
            ] {
                let found = read_results(&format!("{counted}{empty}")).unwrap();
                assert!(found.tests.is_some(), "{counted}{empty}");
            }
        }
    }

    #[test]
    fn very_many_failures_are_counted() {
        let line = |n: usize| format!("FAILED a.py::test_{n} - no\n");
        let text: String = (0..5_000).map(line).collect();
        let found = read_results(&text).unwrap();
        assert_eq!((found.failures.len(), found.left_out), (200, 4_800));
    }

    #[test]
    fn same_name_in_several_suites_is_kept() {
        let text = r#"<testsuites><testsuite name="a"><testcase name="x"><failure message="1"/></testcase></testsuite>
            <testsuite name="b"><testcase name="x"><failure message="2"/></testcase></testsuite></testsuites>"#;
        let found = read_results(text).unwrap();
        let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
        assert_eq!(ids, ["x (a)", "x (b)"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[ -~\n<>/\"=:.]{0,300}") {
            let _ = read_results(&text);
            let _ = read_results(&format!("<testsuite>{text}"));
        }
    }
}
