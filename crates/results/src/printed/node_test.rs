//! node:test, as its reporters `spec` and `dot` print it.

use std::collections::BTreeSet;

use super::Program;
use super::printed_page::{Page, indent};
use crate::TestCount;
use crate::in_short::with_what_follows;

#[derive(Default)]
pub(super) struct Node {
    is_open: bool,
    count: Option<TestCount>,
    /// Suites that began: that one fails says only that a test in it does.
    suites: BTreeSet<String>,
    /// The first failure that was told while tests ran; all are told again, and by more, at the end.
    first: Option<usize>,
    place: Option<String>,
    /// Whether the list at the end is read.
    is_told: bool,
}

impl Program for Node {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line();
        let begin = line.trim_start();
        if let Some(name) = begin.strip_prefix("✖ ").and_then(timed) {
            self.open(page);
            page.pass();
            self.take_failure(name, is_to_do(begin), page);
            return true;
        } else if let Some(name) = begin.strip_prefix("✔ ").and_then(timed) {
            self.open(page);
            if !self.suites.remove(name) {
                page.passed(name);
            }
        } else if let Some(name) = begin.strip_prefix("﹣ ").and_then(timed) {
            self.open(page);
            page.skipped(name);
        } else if let Some(name) = begin.strip_prefix("▶ ") {
            self.suites
                .insert(timed(name).unwrap_or(name).trim().to_owned());
        } else if matches!(line, "✖ failing tests:" | "Failed tests:") {
            if let Some(first) = self.first {
                page.retain_from(first, |_| false);
            }
            self.suites.clear();
            (self.is_open, self.is_told) = (false, true);
            page.recognise();
        } else if let Some((word, number)) = line.strip_prefix("ℹ ").and_then(summary) {
            self.add(word, number);
            page.recognise();
        } else if self.first.is_some()
            && let Some(place) = line.strip_prefix("test at ")
        {
            self.place = Some(place.to_owned());
        } else {
            return false;
        }
        page.pass();
        true
    }

    fn end(&mut self, page: &mut Page<'_>) {
        if let Some(count) = self.count {
            page.count(count);
        } else if self.is_open {
            page.break_off("node --test", "");
        } else if self.is_told {
            // The reporter of dots does not count.
            page.is_uncounted();
        }
    }
}

impl Node {
    fn open(&mut self, page: &mut Page<'_>) {
        page.recognise();
        if self.first.is_none() {
            self.first = Some(page.failures());
            self.is_open = !self.is_told;
        }
    }

    /// Takes what is said of a test that fails; of one that is yet to be done that is no failure.
    fn take_failure(&mut self, name: &str, is_to_do: bool, page: &mut Page<'_>) {
        let said = page.take_until(|line| {
            let begin = line.trim_start();
            line.starts_with("test at ")
                || ["✔ ", "✖ ", "▶ ", "﹣ ", "ℹ "]
                    .iter()
                    .any(|sign| begin.starts_with(sign))
        });
        let mut said: Vec<&str> = said.to_vec();
        let place = self.place.take();
        if is_to_do {
            // The list at the end tells of it again.
            if !self.is_told {
                page.skipped(name);
            }
            return;
        }
        let is_of_suite = said.iter().any(|line| {
            line.trim().ends_with("subtest failed'") || line.trim().ends_with("subtests failed'")
        });
        if is_of_suite || self.suites.contains(name) && said.iter().all(|line| line.is_empty()) {
            return;
        }
        let mut told = said
            .iter()
            .filter(|line| !line.is_empty() && indent(line) > 0);
        let first = told.next().map_or("", |line| line.trim());
        let summary = with_what_follows(first, told.copied());
        if let Some(place) = &place {
            said.push(place);
        }
        page.fail_as(name, &summary, &said.join("\n"));
    }

    fn add(&mut self, word: &str, number: u32) {
        let count = self.count.get_or_insert_default();
        match word {
            "pass" => count.passed += number,
            "fail" | "cancelled" => count.failed += number,
            "skipped" | "todo" => count.skipped += number,
            _ => {}
        }
    }
}

/// The name before a time with a fraction: `adds (0.789348ms)`, perhaps with `# SKIP` behind it.
fn timed(text: &str) -> Option<&str> {
    let text = text.rsplit_once(" #").map_or(text, |(text, _)| text);
    let (name, time) = text.trim_end().strip_suffix("ms)")?.rsplit_once(" (")?;
    let (whole, part) = time.split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (is_number(whole) && is_number(part)).then_some(name)
}

/// Whether `# TODO` stands behind the time of a test, perhaps with why.
fn is_to_do(line: &str) -> bool {
    let behind = line.rsplit_once("ms) # ").map(|(_, word)| word);
    behind.is_some_and(|word| word == "TODO" || word.starts_with("TODO "))
}

/// `tests 7`
fn summary(text: &str) -> Option<(&str, u32)> {
    let (word, number) = text.split_once(' ')?;
    let is_word = [
        "tests",
        "suites",
        "pass",
        "fail",
        "cancelled",
        "skipped",
        "todo",
    ]
    .contains(&word);
    number
        .parse()
        .ok()
        .filter(|_| is_word)
        .map(|number| (word, number))
}

#[cfg(test)]
mod tests {
    use super::super::read;

    const SPEC: &str = "✔ adds (0.789348ms)\n▶ suite\n  ✔ works (0.16ms)\n  ✖ fails inside (0.07ms)\n    Error: boom\n        at TestContext.<anonymous> (/p/a.test.js:7:36)\n        at Test.run (node:internal/test_runner/test:796:25)\n\n  ﹣ later (0.05ms) # SKIP\n✖ suite (0.61ms)\nℹ tests 3\nℹ suites 1\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\nℹ duration_ms 231.3\n\n✖ failing tests:\n\ntest at a.test.js:7:3\n✖ fails inside (0.07ms)\n  Error: boom\n      at TestContext.<anonymous> (/p/a.test.js:7:36)\n";

    #[test]
    fn what_the_reporter_for_people_prints() {
        let found = read(SPEC);
        assert_eq!(found.failures.len(), 1, "{found:?}");
        let failure = &found.failures[0];
        assert_eq!(
            (&*failure.id, &*failure.summary),
            ("fails inside", "Error: boom")
        );
        assert_eq!(failure.places, ["/p/a.test.js:7", "a.test.js:7"]);
        let tests = found.tests.unwrap();
        assert_eq!((tests.passed, tests.failed, tests.skipped), (1, 1, 1));
        for (at, _) in SPEC.match_indices('\n') {
            let cut = read(&SPEC[..at]);
            assert!(!cut.failures.is_empty(), "{at}: {cut:?}");
        }
    }

    #[test]
    fn what_the_reporter_of_dots_prints() {
        let found = read(
            ".X.\n\nFailed tests:\n\n✖ subtracts (0.8ms)\n  AssertionError: no\n✖ suite (0.6ms)\n  '1 subtest failed'\n",
        );
        let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
        assert_eq!(ids, ["subtracts"]);
        assert!(found.is_uncounted && !read(SPEC).is_uncounted);
    }

    #[test]
    fn a_test_that_is_yet_to_be_done_does_not_fail() {
        let one = |name: &str, mark: &str| {
            format!("✖ {name} (0.5ms){mark}\n  Error: no\n      at x (/p/a.test.js:3:4)\n\n")
        };
        let all = format!(
            "{}{}{}",
            one("adds", ""),
            one("later", " # TODO"),
            one("why", " # TODO it # is hard")
        );
        let spec = format!(
            "{all}✔ fine (0.19ms)\nℹ tests 4\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 2\n\n✖ failing tests:\n\n{all}"
        );
        let dots = format!("XXX.\n\nFailed tests:\n\n{all}");
        for text in [spec, dots] {
            let found = read(&text);
            let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
            assert_eq!(ids, ["adds"], "{text}");
        }
    }

    #[test]
    fn lists_of_others_are_not_taken() {
        let found = read("✔ Compiled (31ms)\n✔ Done\n");
        assert!(
            found.failures.is_empty() && !found.is_recognised,
            "{found:?}"
        );
    }
}
