//! What tests and compilers said, as it stands in files: JUnit XML, and what programs print.

mod apart;
mod files;
mod junit;
mod names;
mod not_run;
mod places;
mod plain;
mod printed;
mod test_names;
mod xml;

use std::collections::BTreeMap;

use self::apart::Labels;
pub use self::files::{FileCount, file_of_test};
pub use self::names::{NamedTest, TestOutcome, test_key};
use self::places::of_kotlin;
pub(crate) use self::places::places_in;
pub use self::test_names::{NameSet, TestNames};
use crate::{Failure, GAP, TestCount};

/// The most failures that are taken in; the rest is counted.
pub(crate) const MOST_FAILURES: usize = 200;
/// The most lines of what is said of one failure that are carried along.
pub(crate) const MOST_LINES: usize = 40;
/// The most characters of one line.
const MOST_CHARS: usize = 400;
/// The most characters of the line that stands for all.
const MOST_SUMMARY: usize = 200;

/// What was found in one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    /// What fails, in the order of the file, each once.
    pub failures: Vec<Failure>,
    /// How many tests there were, where that is said.
    pub tests: Option<TestCount>,
    /// Failures that are not taken in.
    pub left_out: u32,
    /// The tests that are named, and errors that are none; of tests that passed, programs often name none.
    pub names: Vec<NamedTest>,
    /// The files of tests that are counted file by file, as dots do, by how they are named.
    pub files: BTreeMap<String, FileCount>,
    /// Whether anything in it is known to be of a test or compiler. What is not says nothing of what fails.
    pub is_recognised: bool,
    /// Whether it tells of tests that nobody counted, so that it is not known how many there were.
    pub is_uncounted: bool,
    /// Whether it ends before what was run did, or what was run was broken off: what it does not name may fail all the same.
    pub is_broken_off: bool,
}

impl Results {
    /// Takes in what was found in another part of the same file.
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
        self.is_recognised |= other.is_recognised;
        self.is_uncounted |= other.is_uncounted;
        self.is_broken_off |= other.is_broken_off;
    }
}

/// Why a file of results cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct NotResults {
    /// The line.
    pub line: u32,
    /// Why not.
    pub why: String,
}

/// Reads what a test or compiler said: JUnit XML, also several documents of it in one file, or what cargo, rustc, pytest, go test and others print, in colours or not.
///
/// # Errors
/// When it is XML that is not well formed.
pub fn read_results(text: &str) -> Result<Results, NotResults> {
    let text = plain::plain(text.trim_start_matches('\u{feff}'));
    let mut found = match junit::read_all(&text)? {
        Some(found) => found,
        None => printed::read(&plain::shown(&text)),
    };
    found.is_recognised |= found.tests.is_some() || !found.failures.is_empty();
    // What some of the programs counted is no count of all.
    found.tests = found.tests.filter(|_| !found.is_uncounted);
    let labels = Labels::of(&found.failures, &found.names);
    labels.put(&mut found.names);
    let (failures, names) = names::taken_in(std::mem::take(&mut found.failures), &labels);
    found.failures = failures;
    found.names = names::told_apart(names, std::mem::take(&mut found.names));
    found.left_out = names::left_out(&found.names);
    Ok(found)
}

/// What is said, as far as it is carried along; its first line that says something. Of what is long, the beginning and the end are.
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

/// What says how the lines that differ are marked, and nothing of what differs.
const LEGEND: &str = "+ actual - expected";

/// A line that stands for all; one that ends with a colon says nothing without what follows it, which `rest` begins with. Where that is
/// what differs, it is the first line that does.
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

/// A line as it stands for all that was said.
pub(crate) fn in_short(line: &str) -> String {
    line.trim().chars().take(MOST_SUMMARY).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_test_and_no_compiler_says_is_not_recognised() {
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
        // What ended before it began prints nothing, too.
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
    fn where_one_program_does_not_count_its_tests_nobody_knows_how_many_there_were() {
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
            // Of a package without tests there is nothing to count.
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
    fn of_what_is_long_the_end_is_told_too() {
        let text: String = (0..100).map(|n| format!("line {n}\n")).collect();
        let detail = told(&text).1.unwrap();
        let lines: Vec<&str> = detail.lines().collect();
        assert_eq!(lines.len(), MOST_LINES);
        assert_eq!((lines[0], lines[20], lines[39]), ("line 0", GAP, "line 99"));
    }

    #[test]
    fn a_line_that_announces_what_is_wrong_is_told_with_it() {
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
    fn of_what_differs_the_first_line_that_does_is_told() {
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

    #[test]
    fn very_many_failures_are_counted() {
        let line = |n: usize| format!("FAILED a.py::test_{n} - no\n");
        let text: String = (0..5_000).map(line).collect();
        let found = read_results(&text).unwrap();
        assert_eq!((found.failures.len(), found.left_out), (200, 4_800));
    }

    #[test]
    fn tests_of_one_name_in_several_suites_are_all_kept() {
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
