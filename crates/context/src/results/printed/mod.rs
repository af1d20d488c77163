//! What programs print. Each program has a file; what none of them knows is passed over.

mod cargo;
mod compiler;
mod counts;
mod ctest;
mod eslint;
mod go;
mod go_json;
mod gtest;
mod java;
mod jest;
mod mocha;
mod nextest;
mod node;
mod page;
mod pytest;
mod ruff;
mod tap;
mod unittest;
mod verdict;
mod vitest;

use windlass_base::counted;

use self::page::Page;
use super::Results;
use crate::{Failure, FailureKind};

/// One that prints results: it knows its own lines by itself, and remembers what it needs to tell the next ones by.
trait Program {
    /// Takes in the line that the page is at, and those that belong to it, if it is of this program.
    fn take(&mut self, page: &mut Page<'_>) -> bool;

    /// What follows from there being no more lines.
    fn end(&mut self, _page: &mut Page<'_>) {}
}

/// All of them; the first that knows a line takes it.
fn programs() -> Vec<Box<dyn Program>> {
    vec![
        Box::new(nextest::Nextest::default()),
        Box::new(cargo::Cargo::default()),
        Box::new(go::Go::default()),
        Box::new(pytest::Pytest::default()),
        Box::new(unittest::Unittest::default()),
        Box::new(ctest::Ctest::default()),
        Box::new(gtest::Gtest::default()),
        Box::new(tap::Tap::default()),
        Box::new(vitest::Vitest::default()),
        Box::new(jest::Jest::default()),
        Box::new(node::Node::default()),
        Box::new(mocha::Mocha::default()),
        Box::new(java::Java::default()),
        Box::new(eslint::Eslint::default()),
        Box::new(ruff::Ruff),
        Box::new(counts::Counts),
        Box::new(compiler::Compiler),
        Box::new(verdict::Verdict::default()),
    ]
}

pub(super) fn read(text: &str) -> Results {
    let text = match go_json::is_json(text) {
        true => go_json::text_of_json(text),
        false => text.to_owned(),
    };
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut page = Page::of(&lines);
    let mut programs = programs();
    while page.is_more() {
        let before = page.at();
        let is_known = programs.iter_mut().any(|program| program.take(&mut page));
        if !is_known || page.at() == before {
            page.pass();
        }
    }
    for program in &mut programs {
        program.end(&mut page);
    }
    let failed = page.failed();
    if failed > 0 && page.is_all_well() {
        // Which they are is not said in a way that is known; that they are must not be lost.
        page.add(Failure {
            id: counted(failed as usize, "failed test"),
            kind: FailureKind::Test,
            summary: "which tests failed is not said here".to_owned(),
            ..Failure::default()
        });
    }
    page.found()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_tests_of_one_name_are_all_kept() {
        let one = |said: &str| {
            format!(
                "test a ... FAILED\n\n---- a stdout ----\nthread 'a' panicked at src/a.rs:7:9:\n{said}\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n"
            )
        };
        let found =
            super::super::read_results(&format!("{}{}", one("first"), one("second"))).unwrap();
        let told: Vec<(&str, &str)> = found
            .failures
            .iter()
            .map(|it| (&*it.id, &*it.summary))
            .collect();
        assert_eq!(told, [("a", "first"), ("a (2)", "second")]);
    }

    #[test]
    fn that_something_failed_is_never_lost() {
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
    fn what_pytest_and_go_print() {
        let text = "FAILED tests/test_a.py::test_b - AssertionError: x\n--- FAIL: TestName (0.00s)\n    a_test.go:5: wanted 1\nFAIL\n";
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
