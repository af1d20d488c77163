//! GoogleTest.

use super::Program;
use super::printed_page::Page;
use crate::TestCount;

#[derive(Default)]
pub(super) struct Gtest {
    /// The test that runs, and what it printed.
    running: Option<(String, Vec<String>)>,
    is_open: bool,
    count: TestCount,
}

impl Program for Gtest {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line();
        let told = line
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("] "));
        match told.map(|(word, rest)| (word.trim(), rest)) {
            Some(("RUN", name)) => {
                self.is_open = true;
                self.running = Some((name.trim().to_owned(), Vec::new()));
            }
            Some((word @ ("OK" | "FAILED" | "SKIPPED"), rest)) if self.running.is_some() => {
                self.end_test(word, rest, page);
            }
            Some(("FAILED", rest)) if rest.contains('.') && !rest.contains(' ') => page.name(rest),
            Some(("==========", rest)) if rest.contains(" ran.") => {
                self.is_open = false;
                page.count(std::mem::take(&mut self.count));
            }
            Some(("==========", rest)) if rest.starts_with("Running ") => {
                self.is_open = true;
                page.recognise();
            }
            _ => match &mut self.running {
                Some((_, said)) => said.push(line.to_owned()),
                None => return false,
            },
        }
        page.pass();
        true
    }

    fn end(&mut self, page: &mut Page<'_>) {
        if let Some((name, said)) = self.running.take() {
            page.fail_as(&name, "it did not end", &said.join("\n"));
        }
        if self.is_open {
            page.break_off("GoogleTest", "");
        }
    }
}

impl Gtest {
    fn end_test(&mut self, word: &str, rest: &str, page: &mut Page<'_>) {
        page.recognise();
        let Some((name, said)) = self.running.take() else {
            return;
        };
        // What a test printed without a line end stands before it.
        let is_its = rest.starts_with(&name);
        match word {
            "OK" if is_its => {
                self.count.passed += 1;
                page.passed(&name);
            }
            "SKIPPED" if is_its => {
                self.count.skipped += 1;
                page.skipped(&name);
            }
            "FAILED" => {
                self.count.failed += 1;
                page.fail(&name, &said.join("\n"));
            }
            _ => self.running = Some((name, said)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn what_googletest_prints() {
        let text = "[==========] Running 2 tests from 1 test suite.\n[----------] 2 tests from A\n[ RUN      ] A.good\n[       OK ] A.good (0 ms)\n[ RUN      ] A.bad\ntest/a.cc:5: Failure\nExpected equality of these values:\n  1\n  2\n\n[  FAILED  ] A.bad (0 ms)\n[==========] 2 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.bad\n";
        let found = read(text);
        assert_eq!(found.failures.len(), 1, "{found:?}");
        assert_eq!(found.failures[0].places, ["test/a.cc:5"]);
        assert_eq!(found.tests.map(|it| (it.passed, it.failed)), Some((1, 1)));
        let crash = read(
            "[==========] Running 1 test from 1 test suite.\n[ RUN      ] A.b\nSegmentation fault\n",
        );
        assert_eq!((&*crash.failures[0].id, crash.is_broken_off), ("A.b", true));
    }
}
