//! What programs print: cargo test, rustc, pytest, go test, and `file:line:column: error: …` of any other.

use windlass_base::counted;

use super::counts::counts;
use super::{Results, places_in, told};
use crate::{Failure, FailureKind, TestCount};

pub(super) fn read(text: &str) -> Results {
    let lines: Vec<&str> = text.lines().map(without_colour_end).collect();
    let mut found = Results::default();
    let mut count = TestCount::default();
    let mut is_counted = false;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if let Some(counts) = counts(line) {
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
        } else if let Some(name) = jest_failed(line) {
            at = block(
                &lines,
                at + 1,
                name,
                FailureKind::Test,
                &mut found,
                |line| {
                    jest_failed(line).is_some()
                        || counts(line).is_some()
                        || line.starts_with("Test Suites:")
                },
            );
            continue;
        } else if count.failed > 0
            && let Some((name, end)) = mocha_failed(&lines, at)
        {
            at = block(&lines, end, &name, FailureKind::Test, &mut found, |line| {
                numbered(line).is_some()
            });
            continue;
        } else if let Some(name) = line.strip_prefix("FAIL\t") {
            // A package of Go; its tests that failed, if any, were named before.
            if name.ends_with("failed]") {
                name_failure(name, &mut found);
                if let Some(last) = found.failures.iter_mut().find(|it| it.id == name) {
                    last.summary = name.to_owned();
                }
            }
            found.is_recognised = true;
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
    if count.failed > 0 && found.failures.is_empty() {
        // Which they are is not said in a way that is known; that they are must not be lost.
        let id = counted(count.failed as usize, "failed test");
        found.failures.push(Failure {
            summary: "which tests failed is not said here".to_owned(),
            id,
            ..Failure::default()
        });
    }
    found
}

/// Whether a program says on this line that it came to an end with nothing wrong.
fn says_all_is_well(line: &str) -> bool {
    let line = line.trim();
    [
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
    let of_name = |id: &str| id == name || id.starts_with(&format!("{name} ("));
    let mut same = found.failures.iter().filter(|it| of_name(&it.id));
    let is_told = same.any(|it| it.summary == failure.summary && it.detail == failure.detail);
    let times = found.failures.iter().filter(|it| of_name(&it.id)).count();
    match found.failures.iter_mut().find(|it| it.id == name) {
        _ if is_told => {}
        Some(known) if known.summary.is_empty() && known.detail.is_none() => *known = failure,
        None => found.failures.push(failure),
        // Several programs may have a test of one name.
        Some(_) => found.failures.push(Failure {
            id: format!("{name} ({})", times + 1),
            ..failure
        }),
    }
    end
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

/// `  ● suite › name`
fn jest_failed(line: &str) -> Option<&str> {
    let name = line.trim_start().strip_prefix("● ")?.trim_end();
    (name.contains(" › ") && line.starts_with("  ")).then_some(name)
}

/// What stands behind the number of `  1) Suite`.
fn numbered(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    line[digits..].strip_prefix(") ").filter(|_| digits > 0)
}

/// The name of a failure as mocha lists it, and where what is said of it begins: the suite, then the test on a line of its own that
/// ends with a colon.
fn mocha_failed(lines: &[&str], at: usize) -> Option<(String, usize)> {
    let suite = numbered(lines.get(at)?)?.trim_end();
    let rest = lines[at + 1..].iter().take(6).enumerate();
    let mut names = vec![suite];
    for (more, line) in rest {
        let name = line.trim();
        if name.is_empty() {
            return None;
        }
        names.push(name.trim_end_matches(':'));
        if name.ends_with(':') {
            return Some((names.join(" › "), at + more + 2));
        }
    }
    None
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
    // `src/a.c:3:5: error: …` of C, `src/app.ts(3,5): error TS2322: …` of TypeScript.
    let known = [": error: ", ": fatal error: ", ": error "];
    if let Some((place, message)) = known.iter().find_map(|mark| line.split_once(mark)) {
        let is_error = !line.contains(": error ") || message.starts_with("TS");
        return (is_error && is_place(place)).then_some(message);
    }
    // `./b.go:3:5: undefined: x` of Go.
    let (file, rest) = line.split_once(".go:")?;
    let (place, message) = rest.split_once(": ")?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (place.split(':').all(is_number) && !file.contains(' ')).then_some(message)
}

/// Whether a text names a place in a file: `src/a.c:3:5`, `src/app.ts(3,5)`.
fn is_place(text: &str) -> bool {
    let in_brackets = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once('('));
    let is_numbers = |part: &str| part.bytes().all(|b| b.is_ascii_digit() || b == b',');
    in_brackets.is_some_and(|(file, numbers)| file.contains('.') && is_numbers(numbers))
        || !places_in(text).is_empty()
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
    fn failures_of_tests_of_one_name_are_all_kept() {
        let one = |said: &str| {
            format!(
                "test a ... FAILED\n\n---- a stdout ----\nthread 'a' panicked at src/a.rs:7:9:\n{said}\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n"
            )
        };
        let found = read(&format!("{}{}", one("first"), one("second")));
        let told: Vec<(&str, &str)> = found
            .failures
            .iter()
            .map(|it| (&*it.id, &*it.summary))
            .collect();
        assert_eq!(told, [("a", "first"), ("a (2)", "second")]);
    }

    #[test]
    fn what_jest_and_mocha_print() {
        let jest = "FAIL src/a.test.js\n  ● adds › two numbers\n\n    expect(received).toBe(expected)\n      at src/a.test.js:4:3\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 4 passed, 5 total\n";
        let mocha = "  4 passing (31ms)\n  1 failing\n\n  1) adds\n       two numbers:\n     AssertionError: 1 != 2\n      at test/a.js:4:3\n";
        for (text, place) in [(jest, "src/a.test.js:4"), (mocha, "test/a.js:4")] {
            let found = read(text);
            assert_eq!(found.failures.len(), 1, "{found:?}");
            let failure = &found.failures[0];
            assert_eq!(failure.id, "adds › two numbers");
            assert_eq!(failure.places, [place]);
            let count = TestCount {
                passed: 4,
                failed: 1,
                skipped: 0,
            };
            assert_eq!(found.tests, Some(count));
        }
    }

    #[test]
    fn that_something_failed_is_never_lost() {
        let found = read("1 failed, 3 passed in 0.12s\n");
        assert_eq!(found.failures[0].id, "1 failed test");
        let text = "ok  \texample.org/a\t0.01s\nsrc/app.ts(3,5): error TS2322: no\n./b.go:3:5: undefined: x\nFAIL\texample.org/c [build failed]\n";
        let found = read(text);
        assert_eq!(found.failures[0].places, ["src/app.ts:3"]);
        let told: Vec<&str> = found.failures.iter().map(|it| &*it.summary).collect();
        assert_eq!(
            told,
            ["TS2322: no", "undefined: x", "example.org/c [build failed]"]
        );
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
