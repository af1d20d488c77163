//! What programs print: cargo test, rustc, pytest, go test, and `file:line:column: error: …` of any other.

use super::{Results, places_in, told};
use crate::{Failure, FailureKind, TestCount};

pub(super) fn read(text: &str) -> Results {
    let lines: Vec<&str> = text.lines().map(without_colour_end).collect();
    let mut found = Results::default();
    let mut count = TestCount::default();
    let mut is_counted = false;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if let Some(counts) = cargo_counts(line) {
            is_counted = true;
            count.passed += counts.passed;
            count.failed += counts.failed;
            count.skipped += counts.skipped;
        } else if let Some(name) = cargo_block(line) {
            at = block(
                &lines,
                at + 1,
                name,
                FailureKind::Test,
                &mut found,
                is_end_of_cargo_block,
            );
            continue;
        } else if let Some(name) = cargo_failed(line) {
            name_failure(name, &mut found);
        } else if let Some(name) = go_failed(line) {
            at = block(
                &lines,
                at + 1,
                name,
                FailureKind::Test,
                &mut found,
                |line| !line.starts_with([' ', '\t']),
            );
            continue;
        } else if let Some((name, said)) = pytest_failed(line) {
            name_failure(name, &mut found);
            if let Some(last) = found.failures.iter_mut().find(|it| it.id == name) {
                last.summary = said.to_owned();
            }
        } else if let Some(message) = compiler_error(line) {
            at = error_block(&lines, at, message, &mut found);
            continue;
        }
        found.is_recognised = found.is_recognised || says_all_is_well(line);
        at += 1;
    }
    found.tests = is_counted.then_some(count);
    found
}

/// Whether a program says on this line that it came to an end with nothing wrong.
fn says_all_is_well(line: &str) -> bool {
    let line = line.trim();
    let counts = |line: &str| {
        let mut parts = line.split(", ").filter_map(|part| part.split_once(' '));
        parts.any(|(number, word)| {
            number.parse::<u32>().is_ok()
                && (word.starts_with("passed") || word.starts_with("passing"))
        })
    };
    // pytest and jest: `=== 3 passed in 0.1s ===`, `Tests: 5 passed, 5 total`; mocha: `5 passing (1s)`.
    let framed = line.trim_matches(['=', ' ']);
    let is_framed = framed.len() < line.len() || framed.contains(" in ") && framed.ends_with('s');
    let named = line.strip_prefix("Tests:").map(str::trim);
    (is_framed && counts(framed) && !framed.ends_with('.'))
        || named.is_some_and(counts)
        || line
            .split_once(" passing (")
            .is_some_and(|(number, _)| number.parse::<u32>().is_ok())
        || [
            "ok  \t",
            "?   \t",
            "Finished `",
            "BUILD SUCCESS",
            "Build succeeded",
            "Found 0 errors",
            "no tests ran",
        ]
        .iter()
        .any(|begin| line.starts_with(begin))
        || matches!(line, "PASS" | "OK")
}

/// A line without the escape that ends a colour, which some programs print in files, too.
fn without_colour_end(line: &str) -> &str {
    line.trim_end_matches("\u{1b}[0m")
}

/// A failure of which only the name is known so far.
fn name_failure(name: &str, found: &mut Results) {
    if !found.failures.iter().any(|it| it.id == name) {
        found.failures.push(Failure {
            id: name.to_owned(),
            ..Failure::default()
        });
    }
}

/// Takes what is said of `name` from `start` up to a line that ends it; gives where to go on.
fn block(
    lines: &[&str],
    start: usize,
    name: &str,
    kind: FailureKind,
    found: &mut Results,
    is_end: impl Fn(&str) -> bool,
) -> usize {
    let end = lines[start..]
        .iter()
        .position(|line| is_end(line))
        .map_or(lines.len(), |at| start + at);
    let text = lines[start..end].join("\n");
    let (summary, detail) = told(&text);
    let failure = Failure {
        id: name.to_owned(),
        kind,
        summary,
        detail,
        places: places_in(&text),
        ..Failure::default()
    };
    match found.failures.iter_mut().find(|it| it.id == name) {
        Some(known) => *known = failure,
        None => found.failures.push(failure),
    }
    end
}

/// `test result: FAILED. 3 passed; 1 failed; 0 ignored; …`
fn cargo_counts(line: &str) -> Option<TestCount> {
    let rest = line.trim().strip_prefix("test result: ")?;
    let number = |word: &str| {
        rest.split([';', '.']).find_map(|part| {
            let count = part.trim().strip_suffix(word)?.trim();
            count.parse::<u32>().ok()
        })
    };
    Some(TestCount {
        passed: number("passed")?,
        failed: number("failed")?,
        skipped: number("ignored").unwrap_or_default(),
    })
}

/// `---- module::test stdout ----`
fn cargo_block(line: &str) -> Option<&str> {
    line.trim()
        .strip_prefix("---- ")?
        .strip_suffix(" stdout ----")
}

fn is_end_of_cargo_block(line: &str) -> bool {
    line.starts_with("---- ") || line.starts_with("failures:") || line.starts_with("test result:")
}

/// `test module::test ... FAILED`
fn cargo_failed(line: &str) -> Option<&str> {
    line.trim()
        .strip_prefix("test ")?
        .strip_suffix(" ... FAILED")
}

/// `--- FAIL: TestName (0.00s)`
fn go_failed(line: &str) -> Option<&str> {
    line.trim().strip_prefix("--- FAIL: ")?.split(' ').next()
}

/// `FAILED tests/test_a.py::test_b - AssertionError: x`
fn pytest_failed(line: &str) -> Option<(&str, &str)> {
    let rest = line
        .strip_prefix("FAILED ")
        .or_else(|| line.strip_prefix("ERROR "))?;
    let (name, said) = rest.split_once(" - ").unwrap_or((rest, ""));
    name.contains("::").then_some((name.trim(), said.trim()))
}

/// The message of `error[E0308]: mismatched types`, `error: …`, `src/a.c:3:5: error: …`.
fn compiler_error(line: &str) -> Option<&str> {
    let is_ours = |rest: &str| {
        !rest.starts_with("aborting due to")
            && !rest.starts_with("could not compile")
            && !rest.starts_with("test failed")
    };
    if let Some(rest) = line.strip_prefix("error") {
        let message = rest.strip_prefix(": ").or_else(|| {
            rest.starts_with("[E")
                .then(|| rest.split_once("]: "))
                .flatten()
                .map(|(_, message)| message)
        })?;
        return is_ours(message).then_some(message);
    }
    let (place, message) = line
        .split_once(": error: ")
        .or_else(|| line.split_once(": fatal error: "))?;
    (!places_in(place).is_empty()).then_some(message)
}

/// Takes an error with the lines under it that show its place.
fn error_block(lines: &[&str], start: usize, message: &str, found: &mut Results) -> usize {
    let is_more = |line: &&&str| {
        let begin = line.trim_start();
        !line.is_empty()
            && (line.starts_with(' ')
                || begin.starts_with('|')
                || begin.starts_with(|c: char| c.is_ascii_digit()))
            && compiler_error(line).is_none()
    };
    let more = lines[start + 1..].iter().take_while(is_more).count();
    let text = lines[start..=start + more].join("\n");
    let places = places_in(&text);
    let place = places
        .first()
        .map_or(String::new(), |place| format!("{place}: "));
    let code = lines[start]
        .strip_prefix("error[")
        .and_then(|rest| rest.split(']').next());
    let id = format!("{place}{}", code.unwrap_or(message));
    let (_, detail) = told(&text);
    let summary = told(message).0;
    if !found.failures.iter().any(|it| it.id == id) {
        found.failures.push(Failure {
            id,
            kind: FailureKind::Error,
            summary,
            detail,
            places,
            ..Failure::default()
        });
    }
    start + more + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_prints() {
        let text = "running 3 tests\ntest a::ok ... ok\ntest a::bad ... FAILED\ntest a::quiet ... FAILED\n\nfailures:\n\n---- a::bad stdout ----\n\nthread 'a::bad' panicked at src/a.rs:7:9:\nassertion `left == right` failed\n  left: 1\n right: 2\n\n\nfailures:\n    a::bad\n\ntest result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nerror: test failed, to rerun pass `--lib`\n";
        let found = read(text);
        assert_eq!(
            found.tests,
            Some(TestCount {
                passed: 1,
                failed: 2,
                skipped: 0
            })
        );
        assert_eq!(found.failures.len(), 2, "{found:?}");
        let bad = &found.failures[0];
        assert_eq!(
            (&*bad.id, &*bad.summary),
            ("a::bad", "assertion `left == right` failed")
        );
        assert_eq!(bad.places, ["src/a.rs:7"]);
        assert!(bad.detail.as_ref().unwrap().contains("right: 2"));
    }

    #[test]
    fn what_compilers_print() {
        let text = "error[E0308]: mismatched types\n --> src/lib.rs:3:5\n  |\n3 |     x\n  |     ^ expected `u8`\n\nerror: aborting due to 1 previous error\nsrc/a.c:12:3: error: expected ';'\n   12 |   x\n";
        let found = read(text);
        let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
        assert_eq!(ids, ["src/lib.rs:3: E0308", "src/a.c:12: expected ';'"]);
        assert_eq!(found.failures[0].summary, "mismatched types");
        assert!(
            found.failures[0]
                .detail
                .as_ref()
                .unwrap()
                .contains("expected `u8`")
        );
    }

    #[test]
    fn what_pytest_and_go_print() {
        let text = "FAILED tests/test_a.py::test_b - AssertionError: x\n--- FAIL: TestName (0.00s)\n    a_test.go:5: wanted 1\nok\n";
        let found = read(text);
        let told: Vec<(&str, &str)> = found
            .failures
            .iter()
            .map(|it| (&*it.id, &*it.summary))
            .collect();
        assert_eq!(
            told,
            [
                ("tests/test_a.py::test_b", "AssertionError: x"),
                ("TestName", "a_test.go:5: wanted 1")
            ]
        );
        assert_eq!(found.failures[1].places, ["a_test.go:5"]);
    }
}
