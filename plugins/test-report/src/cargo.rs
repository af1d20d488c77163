//! What `cargo test` prints.

use std::collections::BTreeMap;

use crate::place::Place;
use crate::{Found, Report, check_whole, counted};

/// What stands before the numbers of a test program.
const RESULT: &str = "test result: ";

/// Reads what `cargo test` printed; none where it was something else.
pub(crate) fn read(text: &str) -> Option<Result<Report, String>> {
    let is_cargo = text.lines().any(|line| line.starts_with(RESULT));
    is_cargo.then(|| of(text))
}

fn of(text: &str) -> Result<Report, String> {
    let mut report = Report {
        failures: Vec::new(),
        passed: Some(0),
        format: "cargo",
    };
    // Each test program by itself: tests of several have the same names.
    let lines: Vec<&str> = text.lines().collect();
    let is_result = |line: &&str| line.starts_with(RESULT);
    for program in lines.split_inclusive(is_result) {
        let result = program.last().and_then(|line| line.strip_prefix(RESULT));
        let found = failures(program);
        let begins = |line: &&str| line.starts_with("running ") && line.contains(" test");
        if result.is_none() && program.iter().any(begins) {
            return Err("the report ends before its numbers: it is not whole".to_owned());
        }
        if let Some(result) = result {
            let said = counted(result, "failed").unwrap_or_default();
            check_whole(said, found.len(), "")?;
            let passed = counted(result, "passed").unwrap_or_default();
            report.passed = report.passed.map(|all| all + passed);
        }
        report.failures.extend(found);
    }
    Ok(report)
}

/// What failed of a test program, with what the tests printed; or, where that was let through as it came, what they panicked with.
fn failures(lines: &[&str]) -> Vec<Found> {
    let mut failures: Vec<Found> = Vec::new();
    let mut panics = panics(lines);
    let mut rest = lines.iter().copied().peekable();
    while let Some(line) = rest.next() {
        if let Some(test) = heading(line) {
            let ends = |line: &str| heading(line).is_some() || line == "failures:";
            let mut message = Vec::new();
            while let Some(line) = rest.next_if(|line| !ends(line)) {
                let is_said = !line.starts_with("note: ") && !line.starts_with("stack backtrace:");
                if is_said && panicked(line).is_none() {
                    message.push(line);
                }
            }
            failures.push(Found {
                test: test.to_owned(),
                message: message.join("\n"),
                place: panics.remove(test).map(|panic| panic.place),
            });
        } else if line == "failures:" {
            while let Some(test) = rest.next_if(|line| line.starts_with("    ")) {
                let test = test.trim();
                if failures.iter().any(|found| found.test == test) {
                    continue;
                }
                let panic = panics.remove(test);
                failures.push(Found {
                    test: test.to_owned(),
                    message: match &panic {
                        Some(panic) => panic.message.clone(),
                        None => "the report does not say why".to_owned(),
                    },
                    place: panic.map(|panic| panic.place),
                });
            }
        }
    }
    failures
}

/// The test whose output begins with this line.
fn heading(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

struct Panic {
    place: Place,
    message: String,
}

/// The first panic of each test, which runs in a thread of its name.
fn panics(lines: &[&str]) -> BTreeMap<String, Panic> {
    let mut panics = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some((test, place)) = panicked(line) {
            let said = lines[at + 1..].iter();
            let said = said.take_while(|line| {
                !line.is_empty()
                    && !line.starts_with("note: ")
                    && !line.starts_with("stack backtrace:")
            });
            let message: Vec<&str> = said.copied().collect();
            let message = message.join("\n");
            panics
                .entry(test.to_owned())
                .or_insert(Panic { place, message });
        }
    }
    panics
}

/// The thread and the place of `thread 'a::b' (123) panicked at src/lib.rs:5:9:`, wherever in the line that begins.
fn panicked(line: &str) -> Option<(&str, Place)> {
    let (_, thread) = line.split_once("thread '")?;
    let (name, rest) = thread.split_once('\'')?;
    let (_, place) = rest.split_once("panicked at ")?;
    Some((name, Place::parse(place.trim_end_matches(':'))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::told;

    #[test]
    fn cargo_says_where_it_panicked() {
        let report = of(
            "running 2 tests\ntest a::b ... FAILED\ntest c ... ok\n\nfailures:\n\n---- a::b stdout ----\n\nthread 'a::b' (123) panicked at src/lib.rs:5:9:\nassertion `left == right` failed\n  left: 1\n right: 2\nnote: run with `RUST_BACKTRACE=1`\n\n\nfailures:\n    a::b\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n\ntest result: ok. 4 passed; 0 failed\n",
        )
        .unwrap();
        assert_eq!((report.format, report.passed), ("cargo", Some(5)));
        let message = "assertion `left == right` failed\n  left: 1\n right: 2";
        assert_eq!(
            told(&report),
            [("a::b", message, Some("src/lib.rs:5".to_owned()))]
        );
    }

    #[test]
    fn what_the_tests_printed_may_have_gone_by() {
        let shown = "running 2 tests\ntest b ... ok\ntest a ... thread 'a' (7) panicked at src/a.rs:3:5:\nassertion failed: x\nnote: run with\nFAILED\n\nfailures:\n\nfailures:\n    a\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n";
        let wanted = [("a", "assertion failed: x", Some("src/a.rs:3".to_owned()))];
        assert_eq!(told(&of(shown).unwrap()), wanted);
        let silent = "test a ... FAILED\n\nfailures:\n\nfailures:\n    a\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n";
        let wanted = [("a", "the report does not say why", None)];
        assert_eq!(told(&of(silent).unwrap()), wanted);
        let error = of("test result: FAILED. 1 passed; 2 failed; 0 ignored\n").unwrap_err();
        assert!(error.contains("counts 2 failures and shows 0"), "{error}");
        let half = "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed;\n\nrunning 2 tests\ntest b ... FAILED\n";
        assert!(of(half).unwrap_err().contains("not whole"));
    }
}
