//! cargo nextest.

use std::collections::BTreeSet;

use super::Program;
use super::counts::listed;
use super::page::{Page, indent};

/// What it says of a test that did not pass.
const BAD: [&str; 9] = [
    "FAIL",
    "TIMEOUT",
    "ABORT",
    "SIGABRT",
    "SIGSEGV",
    "SIGILL",
    "SIGBUS",
    "SIGKILL",
    "LEAK-FAIL",
];
/// What it says of other tests.
const OTHER: [&str; 5] = ["PASS", "SKIP", "SLOW", "LEAK", "FLAKY"];

#[derive(Default)]
pub(super) struct Nextest {
    is_open: bool,
    /// Tests that passed; what is flaky is told again at the end.
    passed: BTreeSet<String>,
}

impl Program for Nextest {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line();
        let begin = line.trim_start();
        if indent(line) == 0 {
            return false;
        }
        if begin.starts_with("Starting ") && begin.contains(" tests across ") {
            self.is_open = true;
            page.recognise();
        } else if let Some((_, rest)) = begin
            .strip_prefix("Summary [")
            .and_then(|rest| rest.split_once(" run: "))
        {
            self.is_open = false;
            page.count(listed(rest, ',').unwrap_or_default());
        } else if let Some((word, name)) = status(line) {
            page.pass();
            if !BAD.contains(&word) {
                let has_passed = matches!(word, "PASS" | "LEAK" | "FLAKY");
                if word == "SKIP" {
                    page.skipped(&name);
                } else if has_passed && self.passed.insert(name.clone()) {
                    page.passed(&name);
                }
                return true;
            }
            let is_end = |line: &str| {
                status(line).is_some()
                    || line.starts_with(['─', ' ']) && line.trim_start().starts_with("Summary [")
            };
            let said = page.take_until(is_end).to_vec();
            let said: Vec<&str> = said
                .into_iter()
                .filter(|line| !line.contains("───"))
                .collect();
            page.fail(&name, said.join("\n").trim_end());
            return true;
        } else {
            return false;
        }
        page.pass();
        true
    }

    fn end(&mut self, page: &mut Page<'_>) {
        if self.is_open {
            page.break_off("cargo nextest", "");
        }
    }
}

/// `        FAIL [   0.005s] (1/3) crate::binary module::test`: the word and the name.
fn status(line: &str) -> Option<(&str, String)> {
    let (word, rest) = line.trim_start().split_once(" [")?;
    // `TRY 2 FAIL`
    let word = word.rsplit(' ').next()?;
    if indent(line) == 0 || !BAD.contains(&word) && !OTHER.contains(&word) {
        return None;
    }
    let (time, rest) = rest.split_once("] ")?;
    let is_time = time.trim().trim_start_matches('>').ends_with('s');
    let rest = rest.trim();
    let rest = match rest
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(") "))
    {
        Some((_, rest)) => rest.trim(),
        None => rest,
    };
    is_time.then(|| (word, rest.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn what_nextest_prints() {
        let text = "    Starting 3 tests across 1 binary\n        PASS [   0.004s] (1/3) nx tests::a\n        FAIL [   0.005s] (2/3) nx tests::b\n  stdout ───\n\n    running 1 test\n    test tests::b ... FAILED\n\n    thread 'tests::b' panicked at src/lib.rs:8:24:\n    boom\n\n    test result: FAILED. 0 passed; 1 failed; 0 ignored\n\n     SIGSEGV [   0.005s] (3/3) nx tests::c\n────────────\n     Summary [   0.005s] 3 tests run: 1 passed, 2 failed, 0 skipped\n        FAIL [   0.005s] (2/3) nx tests::b\n     SIGSEGV [   0.005s] (3/3) nx tests::c\nerror: test run failed\n";
        let found = read(text);
        let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
        assert_eq!(ids, ["nx tests::b", "nx tests::c"], "{found:?}");
        assert_eq!(found.failures[0].places, ["src/lib.rs:8"]);
        let tests = found.tests.unwrap();
        assert_eq!((tests.passed, tests.failed), (1, 2));
        let cut =
            read("    Starting 3 tests across 1 binary\n        PASS [   0.004s] nx tests::a\n");
        assert_eq!(cut.failures[0].id, "cargo nextest did not end");
    }
}
