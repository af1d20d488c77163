//! pytest, with and without its plugin that runs several tests at once.

use std::collections::BTreeSet;

use super::Program;
use super::printed_page::Page;
use super::pytest_lines::{
    BEGIN, Section, dots, framed, last_line, listed_well, placed, section, tail_of, thrown, went,
    whole,
};
use super::{cargo, go_test};
use crate::FailureKind;
use crate::places_in::places_in;

/// So many lines are looked at below one that a test may have printed.
const MOST_PRINTED: usize = 2_000;

/// What is told of a test that fails, before its whole name is.
struct Told {
    /// What it is headed by: `Case.test_a[1]`.
    title: String,
    said: String,
}

#[derive(Default)]
pub(super) struct Pytest {
    is_open: bool,
    section: Section,
    told: Vec<Told>,
    /// Lines that stand for all that is said of a test, with `--tb=line`.
    lines: Vec<String>,
    /// How many were seen to fail one by one.
    seen: u32,
    /// The file whose dots are read.
    file: Option<String>,
    /// Those that were named as they passed, which the list at the end may name again.
    passed: BTreeSet<String>,
}

impl Program for Pytest {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line();
        if let Some(count) = last_line(line).filter(|_| !self.is_printed(page)) {
            self.end_session(page);
            page.count(count);
        } else if let Some(title) = framed(line, '=') {
            let Some(section) = section(title) else {
                return false;
            };
            self.section = section;
            self.is_open = true;
            page.recognise();
        } else if self.section == Section::Failures
            && let Some(title) = framed(line, '_')
        {
            page.pass();
            let is_end = |line: &str| {
                framed(line, '_').is_some()
                    || framed(line, '=').is_some()
                    || framed(line, '!').is_some()
                    || last_line(line).is_some()
            };
            let mut said = page.take_until(is_end).to_vec();
            while self.is_printed(page) {
                said.push(page.line());
                page.pass();
                said.extend(page.take_until(is_end));
            }
            // What is cut here has none of its own lines behind it, and another program may follow.
            let is_cut = !page.is_more() || framed(page.line(), '=') == Some(BEGIN);
            let is_other = |line: &&str| cargo::is_own(line) || go_test::is_own(line);
            let other = said.iter().position(is_other).filter(|_| is_cut);
            let own = other.unwrap_or(said.len());
            self.told.push(Told {
                title: title.to_owned(),
                said: said[..own].join("\n"),
            });
            if other.is_some() {
                page.back(said.len() - own);
                self.end_session(page);
                page.break_off("pytest", "");
            }
            return true;
        } else if self.section == Section::Failures && placed(line).is_some() {
            self.lines.push(line.to_owned());
        } else if let Some((name, said)) = self.named(line) {
            self.is_open |= self.section == Section::Summary;
            self.fail(&name, said, page);
        } else if self.section == Section::Summary
            && let Some((word, rest)) = listed_well(line)
        {
            let (name, _) = self.parted(rest);
            let is_new = self.passed.insert(name.to_owned());
            match word {
                "XFAIL" => page.skipped(name),
                _ if is_new => page.passed(name),
                _ => {}
            }
        } else if let Some((name, word)) = went(line) {
            self.is_open = true;
            page.recognise();
            match word {
                "FAILED" | "ERROR" => page.name(name),
                "PASSED" | "XPASS" => {
                    self.passed.insert(name.to_owned());
                    page.passed(name);
                }
                "SKIPPED" | "XFAIL" => page.skipped(name),
                _ => {}
            }
        } else if let Some(dots) = dots(line) {
            self.is_open = true;
            self.seen = self.seen.saturating_add(dots.failed);
            if let Some(file) = dots.file {
                self.file = Some(file.to_owned());
            }
            if let Some(file) = &self.file {
                page.count_in(file, dots.count);
            }
            page.recognise();
        } else if self.is_open
            && let Some(said) = framed(line, '!')
        {
            // It stopped before all tests ran.
            page.is_cut();
            if said.contains("KeyboardInterrupt") || said.contains("Exit") {
                page.break_off("pytest", said);
            }
        } else if let Some(said) = line.strip_prefix("INTERNALERROR>") {
            let rest = page.take_until(|line| !line.starts_with("INTERNALERROR>"));
            let said = rest
                .last()
                .and_then(|line| line.strip_prefix("INTERNALERROR>"))
                .unwrap_or(said);
            page.is_cut();
            page.tell("pytest: internal error", said.trim(), FailureKind::Error);
            return true;
        } else if self.is_open
            && let Some(said) = line.strip_prefix("ERROR: ")
        {
            page.is_cut();
            page.tell(said, said, FailureKind::Error);
        } else {
            return false;
        }
        page.pass();
        true
    }

    fn end(&mut self, page: &mut Page<'_>) {
        let is_open = self.is_open;
        self.end_session(page);
        if is_open {
            page.break_off("pytest", "");
        }
    }
}

impl Pytest {
    /// Whether the line looks as if a run ended there, and was printed by a test: of those that fail, more is told below it.
    fn is_printed(&self, page: &Page<'_>) -> bool {
        if self.section != Section::Failures || last_line(page.line()).is_none() {
            return false;
        }
        let behind = page.behind().iter().take(MOST_PRINTED);
        let mut framed = behind.filter_map(|line| {
            let part = framed(line, '=').and_then(section);
            part.or_else(|| framed(line, '_').map(|_| Section::Summary))
        });
        framed.next() == Some(Section::Summary)
    }

    /// A line that names what fails: `FAILED test_a.py::test_b - AssertionError: x`.
    fn named<'l>(&self, line: &'l str) -> Option<(String, &'l str)> {
        let (word, rest) = line.split_once(' ')?;
        let part = match word {
            "FAILED" | "ERROR" => String::new(),
            // Parts of a test of their own: `SUBFAILED(i=0)`; what is in the brackets may have blanks.
            word if word.starts_with("SUBFAIL") => {
                let (inside, rest) = line.split_once(')')?;
                let (_, part) = inside.split_once('(').or_else(|| inside.split_once('['))?;
                let (name, said) = self.parted(rest.trim());
                return name
                    .contains("::")
                    .then(|| (format!("{name} ({part})"), said));
            }
            _ => return None,
        };
        let (name, said) = self.parted(rest);
        let is_name =
            name.contains("::") || self.section == Section::Summary && !name.contains(' ');
        is_name.then(|| (format!("{}{part}", name.trim()), said.trim()))
    }

    /// The name that `rest` begins with, and what is said behind it: in the brackets of a name may stand what parts the two.
    fn parted<'l>(&self, rest: &'l str) -> (&'l str, &'l str) {
        let parts = rest.match_indices(" - ");
        let parts = parts.map(|(at, sign)| (&rest[..at], &rest[at + sign.len()..]));
        let mut parts = parts.chain([(rest, "")]);
        let Some(first) = parts.next().filter(|(name, _)| name.contains('[')) else {
            return rest.split_once(" - ").unwrap_or((rest, ""));
        };
        let all = || [first].into_iter().chain(parts.clone());
        let is_told = |(name, _): &(&str, &str)| self.told.iter().any(|it| is_of(name, it));
        let is_closed = |(name, _): &(&str, &str)| name.ends_with(']');
        let found = all().find(is_told).or_else(|| all().find(is_closed));
        found.unwrap_or(first)
    }

    /// A test that fails, with what was told of it under a shorter name.
    fn fail(&mut self, name: &str, said: &str, page: &mut Page<'_>) {
        let at = self.told.iter().position(|told| is_of(name, told));
        let told = match at {
            Some(at) => self.told.remove(at).said,
            None => self.line_of(said).unwrap_or_default(),
        };
        if told.is_empty() && said.is_empty() {
            page.name(name);
        } else {
            let summary = if said.is_empty() {
                thrown(&told)
            } else {
                whole(said, &told)
            };
            page.fail_as(name, summary, &told);
        }
    }

    /// The first line of those that are all that is told of a test, and say what was `said`, which may be cut.
    fn line_of(&mut self, said: &str) -> Option<String> {
        let begin = said.strip_suffix("...").unwrap_or(said);
        let is_it = |line: &String| placed(line).is_some_and(|told| told.starts_with(begin));
        let at = self
            .lines
            .iter()
            .position(is_it)
            .filter(|_| !begin.is_empty())?;
        Some(self.lines.remove(at))
    }

    /// What was told and not named is named as far as it can be.
    fn end_session(&mut self, page: &mut Page<'_>) {
        for told in std::mem::take(&mut self.told) {
            let tail = tail_of(&told.title);
            let file = places_in(&told.said).into_iter().find_map(|place| {
                let file = place.rsplit_once(':')?.0.to_owned();
                file.ends_with(".py").then_some(file)
            });
            let name = match file {
                Some(file) if !tail.ends_with(".py") => format!("{file}::{tail}"),
                _ => tail,
            };
            page.fail_as(&name, thrown(&told.said), &told.said);
        }
        if self.seen > 0 && page.is_all_well() {
            page.stand_in(self.seen, "");
        }
        *self = Self::default();
    }
}

/// Whether it is the test `name` of which something was told under a shorter name.
fn is_of(name: &str, told: &Told) -> bool {
    let tail = tail_of(&told.title);
    let before = name.strip_suffix(&*tail);
    before
        .is_some_and(|before| before.is_empty() || before.ends_with("::") || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn names_are_joined_with_what_is_told() {
        let text = "==== test session starts ====\ncollected 2 items\n\ntest_a.py F.                [100%]\n\n==== FAILURES ====\n____ Case.test_b[1.5] ____\n\nself = <x>\n\n    def test_b(self):\n>       assert 1 == 2\nE       assert 1 == 2\n\ntest_a.py:8: AssertionError\n==== short test summary info ====\nFAILED test_a.py::Case::test_b[1.5] - assert 1 == 2\n==== 1 failed, 1 passed in 0.02s ====\n";
        let found = read(text);
        assert_eq!(found.failures.len(), 1, "{found:?}");
        let failure = &found.failures[0];
        assert_eq!(failure.id, "test_a.py::Case::test_b[1.5]");
        assert_eq!(failure.summary, "assert 1 == 2");
        assert_eq!(failure.places, ["test_a.py:8"]);
        assert!(failure.detail.as_ref().unwrap().contains("def test_b"));
        // What ends before the names still has them, as far as they are known.
        for (at, _) in text.match_indices('\n') {
            let cut = read(&text[..at]);
            assert!(!cut.failures.is_empty(), "{at}: {cut:?}");
        }
        let cut = read(text.split("==== short").next().unwrap());
        assert_eq!(cut.failures[0].id, failure.id);
        assert!(cut.is_broken_off);
    }

    #[test]
    fn all_ways_to_go_wrong_are_told() {
        for (text, id) in [
            (
                "FAILED tests/test_a.py::test_b - AssertionError: x\n",
                "tests/test_a.py::test_b",
            ),
            ("test_a.py::test_b FAILED     [ 50%]\n", "test_a.py::test_b"),
            (
                "[gw1] [ 50%] FAILED test_a.py::test_b\n",
                "test_a.py::test_b",
            ),
            (
                "SUBFAILED(i=0) test_a.py::C::test_b - no\n",
                "test_a.py::C::test_b (i=0)",
            ),
            ("..F.     [100%]\n", "1 failed test"),
            (
                "==== test session starts ====\nERROR: file or directory not found: x.py\n",
                "file or directory not found: x.py",
            ),
            (
                "==== test session starts ====\nINTERNALERROR> Traceback\nINTERNALERROR> ValueError: x\n==== no tests ran in 0.01s ====\n",
                "pytest: internal error",
            ),
            (
                "==== short test summary info ====\nERROR test_imp.py\n!!!! Interrupted: 1 error during collection !!!!\n==== 1 error in 0.08s ====\n",
                "test_imp.py",
            ),
            (
                "test_a.py ..     [ 50%]\n!!!! KeyboardInterrupt !!!!\n==== 2 passed in 1.00s ====\n",
                "pytest did not end",
            ),
            ("1 failed, 3 passed in 0.12s\n", "1 failed test"),
        ] {
            let found = read(text);
            assert_eq!(
                found.failures.first().map(|it| &*it.id),
                Some(id),
                "{found:?}"
            );
        }
    }

    /// The names of what fails, with what is said of it.
    fn told(text: &str) -> Vec<(String, String)> {
        let failures = read(text).failures.into_iter();
        failures.map(|it| (it.id, it.summary)).collect()
    }

    #[test]
    fn what_parts_a_name_from_what_is_said_may_stand_in_the_name() {
        for (name, title) in [
            ("t.py::test_p[x - y]", "test_p[x - y]"),
            ("t.py::test_p[a] - b]", "test_p[a] - b]"),
            ("t.py::C::test_p[x - y - z]", "C.test_p[x - y - z]"),
            ("t.py::test_p", "test_p"),
        ] {
            let summary = "==== short test summary info ====\n";
            let line = format!("FAILED {name} - assert 'x - y]' == 1\n");
            let end = "==== 1 failed in 0.02s ====\n";
            let block = format!("==== FAILURES ====\n____ {title} ____\nE   no\n");
            let whole = format!("{name} FAILED   [100%]\n{block}{summary}{line}{end}");
            let expected = [(name.to_owned(), "assert 'x - y]' == 1".to_owned())];
            assert_eq!(told(&whole), expected);
            // Without the block, the first that ends as a name does is one.
            if !name.contains("a] -") {
                assert_eq!(told(&format!("{summary}{line}{end}")), expected);
            }
        }
        let bare = "==== short test summary info ====\nFAILED t.py::test_p[x - y]\n==== 1 failed in 0.02s ====\n";
        assert_eq!(told(bare)[0].0, "t.py::test_p[x - y]");
    }

    #[test]
    fn what_a_test_prints_as_a_last_line_is_none() {
        let begin = "==== test session starts ====\nt.py .FF     [100%]\n==== FAILURES ====\n";
        let one = |name: &str, printed: &str| {
            format!(
                "____ {name} ____\nE   no\n\nt.py:4: AssertionError\n---- Captured stdout call ----\n{printed}"
            )
        };
        let line = "=== 5 failed, 3 passed in 0.1s ===\n";
        let summary = "==== short test summary info ====\nFAILED t.py::test_a - no\nFAILED t.py::test_z - no\n";
        let end = "==== 2 failed, 1 passed in 0.02s ====\n";
        let several = format!("{line}--- FAIL: TestFake (0.00s)\n{line}test fake ... FAILED\n");
        for printed in [line, &several] {
            for text in [
                format!(
                    "{}{}{summary}{end}",
                    one("test_a", printed),
                    one("test_z", "")
                ),
                format!(
                    "{}{}{summary}{end}",
                    one("test_a", ""),
                    one("test_z", printed)
                ),
            ] {
                let found = read(&format!("{begin}{text}{begin}{end}"));
                let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
                assert_eq!(ids, ["t.py::test_a", "t.py::test_z"], "{text}");
                let tests = found.tests.map(|it| (it.passed, it.failed));
                assert_eq!(
                    (tests, found.is_broken_off),
                    (Some((2, 4)), false),
                    "{text}"
                );
            }
        }
        // Where no names follow, the last is the one that counts.
        let short = format!("{begin}{}{}{end}", one("test_a", line), one("test_z", ""));
        let found = read(&short);
        assert_eq!(found.tests.map(|it| (it.passed, it.failed)), Some((1, 2)));
    }

    #[test]
    fn a_line_for_each_failure_has_its_place() {
        let text = "==== test session starts ====\ntests/test_a.py FFF    [100%]\n==== FAILURES ====\n/p/tests/test_a.py:4: AssertionError: assert 1 == 2\n/p/src/lib.py:9: KeyError: 'a long text'\n==== short test summary info ====\nFAILED tests/test_a.py::test_y - KeyError: 'a lo...\nFAILED tests/test_a.py::test_x - AssertionError: assert 1 == 2\nFAILED tests/test_a.py::test_z - no\n==== 3 failed in 0.02s ====\n";
        let found = read(text);
        let places = found.failures.iter().map(|it| (&*it.id, &it.places[..]));
        let places: Vec<(&str, &[String])> = places.collect();
        assert_eq!(
            places,
            [
                (
                    "tests/test_a.py::test_y",
                    &["/p/src/lib.py:9".to_owned()][..]
                ),
                (
                    "tests/test_a.py::test_x",
                    &["/p/tests/test_a.py:4".to_owned()][..]
                ),
                ("tests/test_a.py::test_z", &[][..]),
            ]
        );
    }

    #[test]
    fn what_is_cut_to_the_width_of_the_screen_is_told_in_whole() {
        let of = |said: &str, block: &str| {
            let text = format!(
                "==== test session starts ====\n==== FAILURES ====\n{block}==== short test summary info ====\nFAILED t.py::test_a - {said}\n==== 1 failed in 0.02s ====\n"
            );
            told(&text)[0].1.clone()
        };
        let block = "____ test_a ____\nE   ValueError: first\n\nDuring it:\nE       KeyError: 'tag of it'\n\nt.py:3: KeyError\n";
        assert_eq!(of("KeyError: 't...", block), "KeyError: 'tag of it'");
        assert_eq!(of("KeyError: 'x...", block), "KeyError: 'x...");
        assert_eq!(of("KeyError: 'tag of it'", block), "KeyError: 'tag of it'");
        let line = "/p/t.py:4: KeyError: 'tag of it'\n";
        assert_eq!(of("KeyError: 't...", line), "KeyError: 'tag of it'");
    }

    #[test]
    fn a_program_behind_a_run_that_was_cut_loses_nothing() {
        let pytest = "==== test session starts ====\ncollected 2 items\n\ntest_a.py F.                [100%]\n\n==== FAILURES ====\n____ test_b ____\n\n    def test_b():\n>       assert 1 == 2\nE       assert 1 == 2\n\ntest_a.py:8: AssertionError\n";
        let cargo = "   Compiling a v0.1.0 (/a)\n    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.10s\n     Running unittests src/lib.rs (target/debug/deps/a-1c67fa3a)\n\nrunning 2 tests\ntest x ... FAILED\ntest y ... ok\n\nfailures:\n\n---- x stdout ----\nthread 'x' panicked at src/lib.rs:7:9:\nno\n\nfailures:\n    x\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
        let again =
            "==== test session starts ====\ntest_c.py .    [100%]\n==== 1 passed in 0.01s ====\n";
        let short = "running 1 test\ntest x ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n";
        let go = "--- FAIL: TestA (0.00s)\n    a_test.go:3: no\nFAIL\nFAIL\te.org/a\t0.01s\nFAIL\n";
        for (behind, ids, tests) in [
            (cargo.to_owned(), vec!["x"], Some((1, 1))),
            (format!("{cargo}{again}"), vec!["x"], Some((2, 1))),
            (short.to_owned(), vec!["x"], Some((0, 1))),
            (go.to_owned(), vec!["e.org/a.TestA"], None),
        ] {
            // It may end within a line, in which the first one of the other program goes on.
            let glued = pytest.trim_end_matches("AssertionError\n");
            for text in [
                format!("{pytest}{behind}"),
                format!("{glued}\n{behind}"),
                format!("{glued}   Compiling b\n{behind}"),
            ] {
                let found = read(&text);
                let told: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
                assert!(told[0].ends_with("test_b"), "{told:?}");
                assert_eq!(told[1], "pytest did not end");
                assert_eq!(told[2..], ids, "{behind}");
                assert_eq!(found.tests.map(|it| (it.passed, it.failed)), tests);
                assert!(found.is_broken_off);
                let detail = found.failures[0].detail.as_ref().unwrap();
                assert!(
                    !detail.contains("running") && !detail.contains("FAIL"),
                    "{detail}"
                );
            }
        }
        // What a test printed is of that test where the run came to its end.
        let whole = format!(
            "{pytest}---- Captured stdout call ----\n{short}==== short test summary info ====\nFAILED test_a.py::test_b - assert 1 == 2\n==== 1 failed, 1 passed in 0.02s ====\n"
        );
        let found = read(&whole);
        assert_eq!((found.failures.len(), found.is_broken_off), (1, false));
    }

    #[test]
    fn lines_of_others_are_not_taken() {
        for text in [
            "== Notes ==\n",
            "a FAILED b\n",
            "FAILED to reach it - twice\n",
            "The end...\n",
            "...\n",
        ] {
            let found = read(text);
            assert!(
                found.failures.is_empty() && !found.is_recognised,
                "{text}: {found:?}"
            );
        }
    }
}
