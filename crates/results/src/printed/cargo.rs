//! cargo test.

use std::collections::BTreeMap;

use super::Program;
use super::counts_line::listed;
use super::printed_page::{Page, is_bare};

#[derive(Default)]
pub(super) struct Cargo {
    /// Whether a program with tests began and did not yet say how they went.
    is_open: bool,
    /// How many failures were known when it began.
    first: usize,
    /// What tests of it panicked with where that was let through as it came, by the thread, which has the name of the test.
    panics: BTreeMap<String, String>,
}

impl Program for Cargo {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line();
        if is_begin(line) {
            if self.is_open {
                page.break_off("cargo test", "");
            }
            *self = Self {
                is_open: true,
                first: page.failures(),
                panics: BTreeMap::new(),
            };
            page.recognise();
            page.pass();
        } else if let Some(rest) = line.trim().strip_prefix("test result: ") {
            self.is_open = false;
            let counted = rest
                .split_once(". ")
                .and_then(|(_, rest)| listed(rest, ';'));
            let Some(count) = counted else { return false };
            page.count(count);
            page.pass();
        } else if let Some(name) = block_of(line) {
            page.pass();
            let said = page.take_until(is_end_of_block).join("\n");
            page.fail(name, &said);
        } else if let Some(names) = failed_in(line, page.behind()) {
            for name in names {
                let mut told = page.failures_from(self.first).iter();
                let is_told = told.any(|it| it.id == name && !is_bare(it));
                let said = self.panics.get(name).filter(|_| !is_told);
                page.fail(name, said.map_or("", String::as_str));
            }
            page.pass();
        } else if let Some((name, how)) = went(line) {
            match how {
                "FAILED" => page.name(name),
                "ok" => page.passed(name),
                _ => page.skipped(name),
            }
            page.pass();
        } else if let Some(name) = program(line) {
            page.of_suite(name);
            page.pass();
        } else if let Some(rest) = test_failed(line) {
            page.pass();
            if std::mem::take(&mut self.is_open) {
                crashed(page, rest);
            }
        } else {
            if self.is_open
                && let Some((name, begin)) = panicked(line)
            {
                let is_said = |line: &&&str| !line.is_empty() && !line.starts_with("note: ");
                let said = page.behind().iter().take_while(is_said).copied();
                let said: Vec<&str> = [begin].into_iter().chain(said).collect();
                let known = self.panics.entry(name.to_owned());
                known.or_insert_with(|| said.join("\n"));
            }
            return false;
        }
        true
    }

    fn end(&mut self, page: &mut Page<'_>) {
        if self.is_open {
            page.break_off("cargo test", "");
        }
    }
}

/// A program with tests ended without a word of how they went.
fn crashed(page: &mut Page<'_>, rest: &str) {
    let is_end = |line: &str| {
        let is_cause =
            line.is_empty() || line.starts_with("Caused by") || line.starts_with("  process ");
        !is_cause
    };
    let said: Vec<&str> = page.take_until(is_end).to_vec();
    let cause = said.iter().map(|line| line.trim());
    let cause = cause.filter(|line| !line.is_empty() && !line.starts_with("Caused by"));
    let cause: Vec<&str> = cause.collect();
    let which = rest
        .trim_start_matches(", to rerun pass ")
        .trim_matches('`');
    page.break_off(format!("cargo test {which}").trim_end(), &cause.join(" "));
}

/// Whether it is cargo, or what it runs, that says `line`: nobody else begins one so.
pub(super) fn is_own(line: &str) -> bool {
    let begins = [
        "   Compiling ",
        "    Finished `",
        "     Running ",
        "   Doc-tests ",
        "test result: ",
    ];
    is_begin(line)
        || line.starts_with("test ") && went(line).is_some()
        || begins.iter().any(|begin| line.starts_with(begin))
}

/// `running 3 tests`
fn is_begin(line: &str) -> bool {
    let number = line
        .strip_prefix("running ")
        .and_then(|rest| rest.strip_suffix(" tests").or(rest.strip_suffix(" test")));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// `---- module::test stdout ----`
fn block_of(line: &str) -> Option<&str> {
    line.trim()
        .strip_prefix("---- ")?
        .strip_suffix(" stdout ----")
}

fn is_end_of_block(line: &str) -> bool {
    block_of(line).is_some()
        || line.starts_with("failures:")
        || line.starts_with("test result:")
        || is_begin(line)
        || test_failed(line).is_some()
}

/// The names that stand below `failures:`, right before what a program with tests ends with.
fn failed_in<'l>(line: &str, behind: &'l [&'l str]) -> Option<Vec<&'l str>> {
    let names = behind.iter().map_while(|line| line.strip_prefix("    "));
    let names: Vec<&str> = names.collect();
    let is_end = |end: &[&str]| matches!(end, ["", result] if result.starts_with("test result: "));
    let end = behind.get(names.len()..names.len() + 2);
    let is_list = line == "failures:" && !names.is_empty() && end.is_some_and(is_end);
    is_list.then_some(names)
}

/// The name in `thread 'module::test' (7) panicked at src/lib.rs:5:9:`, wherever in a line that begins, and all from there on.
fn panicked(line: &str) -> Option<(&str, &str)> {
    let begin = &line[line.find("thread '")?..];
    let (name, rest) = begin.split_once('\'')?.1.split_once('\'')?;
    rest.contains("panicked at ").then_some((name, begin))
}

/// `test module::test ... FAILED`: the name, and how it went; of one that should panic without saying so, as what is said of it does.
fn went(line: &str) -> Option<(&str, &str)> {
    let (name, how) = line.trim().strip_prefix("test ")?.rsplit_once(" ... ")?;
    // The reason, or the time, may stand behind it.
    let how = how.split([',', ' ']).next()?;
    let is_it = matches!(how, "FAILED" | "ok" | "ignored");
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    is_it.then_some((name, how))
}

/// The program with tests that begins: `windlass_context` of `Running unittests src/lib.rs (target/debug/deps/windlass_context-1c67fa3a)`
/// and of `Doc-tests windlass_context`.
fn program(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(name) = line.strip_prefix("Doc-tests ") {
        return Some(name).filter(|name| !name.contains(' '));
    }
    let (_, path) = line.strip_prefix("Running ")?.rsplit_once(" (")?;
    let file = path.strip_suffix(')')?.rsplit(['/', '\\']).next()?;
    let (name, hash) = file.rsplit_once('-')?;
    let hash = hash.strip_suffix(".exe").unwrap_or(hash);
    let is_hash = !hash.is_empty() && hash.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash.then_some(name)
}

/// What stands behind `error: test failed`.
fn test_failed(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("error: ")?;
    rest.strip_prefix("test failed")
        .or_else(|| rest.strip_prefix("doctest failed"))
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use crate::TestCount;

    #[test]
    fn what_cargo_prints() {
        let text = "running 3 tests\ntest a::ok ... ok\ntest a::bad ... FAILED\ntest a::quiet - should panic ... FAILED\n\nfailures:\n\n---- a::bad stdout ----\n\nthread 'a::bad' panicked at src/a.rs:7:9:\nassertion `left == right` failed\n  left: 1\n right: 2\n\n---- a::quiet stdout ----\nnote: test did not panic as expected at src/a.rs:9:4\n\nfailures:\n    a::bad\n\ntest result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nerror: test failed, to rerun pass `--lib`\nerror: 1 target failed:\n    `--lib`\n";
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
        assert!(!found.is_broken_off);
        let bad = &found.failures[0];
        assert_eq!(
            (&*bad.id, &*bad.summary),
            ("a::bad", "assertion `left == right` failed")
        );
        assert_eq!(bad.places, ["src/a.rs:7"]);
        assert!(bad.detail.as_ref().unwrap().contains("right: 2"));
        assert_eq!(found.failures[1].places, ["src/a.rs:9"]);
    }

    #[test]
    fn a_program_that_crashes_or_is_cut_did_not_pass() {
        let crash = "running 2 tests\ntest fine ... ok\nerror: test failed, to rerun pass `--test crash`\n\nCaused by:\n  process didn't exit successfully: `/x/crash-1` (signal: 6, SIGABRT)\n     Running tests/ok.rs (x)\n\nrunning 1 test\ntest it ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n";
        let found = read(crash);
        assert_eq!(found.failures.len(), 1, "{found:?}");
        let failure = &found.failures[0];
        assert_eq!(failure.id, "cargo test --test crash did not end");
        assert!(failure.summary.contains("SIGABRT"), "{failure:?}");
        assert_eq!(found.tests.map(|it| it.passed), Some(1));
        let cut = read(
            "test result: ok. 1 passed; 0 failed; 0 ignored\n\nrunning 2 tests\ntest a ... ok\n",
        );
        assert!(cut.is_broken_off && cut.failures.len() == 1, "{cut:?}");
    }
    #[test]
    fn what_tests_print_may_go_by_as_it_comes() {
        let text = "running 3 tests\ntest b ... ok\ntest a ... thread 'a' (7) panicked at src/a.rs:3:5:\nassertion failed: x\nnote: run with\nFAILED\ntest c ... FAILED\n\nfailures:\n\nfailures:\n    a\n    c\n\ntest result: FAILED. 1 passed; 2 failed; 0 ignored\n";
        let found = read(text);
        let told = found.failures.iter().map(|it| (&*it.id, &*it.summary));
        let told: Vec<(&str, &str)> = told.collect();
        assert_eq!(told, [("c", ""), ("a", "assertion failed: x")]);
        assert_eq!(found.failures[1].places, ["src/a.rs:3"]);
        assert_eq!(found.unnamed, 0);
    }
}
