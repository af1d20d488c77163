//! What programs print. Each program has a file; what none of them knows is passed over.

mod bad_end;
mod cargo;
mod compiler;
mod counts_line;
mod ctest;
mod eslint;
mod go_json;
mod go_test;
mod gtest;
mod java_builds;
mod jest;
mod mocha;
mod nextest;
mod node_test;
mod printed_page;
mod pytest;
mod pytest_lines;
mod ruff;
mod tap;
mod unittest;
mod vitest;

use self::printed_page::Page;
use crate::Results;

/// One that prints results: it knows its own lines by itself, and remembers what it needs to tell the next ones by.
trait Program {
    /// Takes in the line that the page is at, and those that belong to it, if it is of this program.
    fn take(&mut self, page: &mut Page<'_>) -> bool;

    /// What follows from there being no more lines.
    fn end(&mut self, _page: &mut Page<'_>) {}
}

/// All of them by their names, of which those have none that read what several programs print; the first that knows a line takes it.
fn programs() -> Vec<(&'static str, Box<dyn Program>)> {
    vec![
        ("nextest", Box::new(nextest::Nextest::default())),
        ("cargo", Box::new(cargo::Cargo::default())),
        ("go", Box::new(go_test::Go::default())),
        ("pytest", Box::new(pytest::Pytest::default())),
        ("unittest", Box::new(unittest::Unittest::default())),
        ("ctest", Box::new(ctest::Ctest::default())),
        ("gtest", Box::new(gtest::Gtest::default())),
        ("tap", Box::new(tap::Tap::default())),
        ("vitest", Box::new(vitest::Vitest::default())),
        ("jest", Box::new(jest::Jest::default())),
        ("node", Box::new(node_test::Node::default())),
        ("mocha", Box::new(mocha::Mocha::default())),
        ("java", Box::new(java_builds::Java::default())),
        ("eslint", Box::new(eslint::Eslint::default())),
        ("ruff", Box::new(ruff::Ruff)),
        ("", Box::new(counts_line::Counts)),
        ("compiler", Box::new(compiler::Compiler)),
        ("", Box::new(bad_end::Verdict::default())),
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
        let is_known = programs.iter_mut().any(|(name, program)| {
            page.read_by(name);
            program.take(&mut page)
        });
        if !is_known || page.at() == before {
            page.pass();
        }
    }
    for (name, program) in &mut programs {
        page.read_by(name);
        program.end(&mut page);
    }
    page.read_by("");
    page.settle();
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
        let found = crate::read_results(&format!("{}{}", one("first"), one("second"))).unwrap();
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
