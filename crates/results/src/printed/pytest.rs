//! Sections of pytest. Their headings have only part of a test's name; the list at the end has all.

use std::collections::BTreeSet;

use super::hit::Hit;
use super::reader::{Own, Sheet};
use super::table::{Verb, rule_of};
use super::{cargo, go_test};
use crate::places_in::places_in;
use crate::{FileCount, TestOutcome};

/// Number of lines searched below a line that a test may have printed.
const MAX_PRINTED: usize = 2_000;

/// The output of a failed test, read before its whole name.
struct Told {
    /// The heading: `Case.test_a[1]`.
    title: String,
    said: String,
}

#[derive(Default)]
pub(super) struct Pytest {
    told: Vec<Told>,
    /// Summary lines of tests, with `--tb=line`.
    lines: Vec<String>,
    /// Number of failed tests that have been reported individually.
    seen: u32,
    file: Option<String>,
    /// Tests that were named as passed. The list at the end may name them again.
    passed: BTreeSet<String>,
}

impl Own for Pytest {
    fn act(&mut self, verb: Verb, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) -> bool {
        match verb {
            Verb::SessionEnded => {
                let count = hit.counts().filter(|_| !is_printed(hit.at, sheet));
                let Some(count) = count else { return false };
                self.end_session(sheet);
                sheet.found.count(count.count());
            }
            Verb::Told => self.block(hit, sheet),
            Verb::ToldInALine => self.lines.push(hit.line.to_owned()),
            Verb::Named => return self.named(hit, sheet),
            Verb::Listed => {
                let (name, _) = self.parted(hit.get("rest"));
                let is_new = self.passed.insert(name.to_owned());
                match hit.outcome() {
                    Some(TestOutcome::Passed) if !is_new => {}
                    Some(outcome) => sheet.found.went(name, outcome),
                    None => {}
                }
            }
            Verb::Note if hit.outcome() == Some(TestOutcome::Passed) => {
                self.passed.insert(hit.name());
            }
            Verb::Note => {}
            Verb::Dots => self.dots(hit, sheet),
            _ => return false,
        }
        true
    }

    fn end(&mut self, sheet: &mut Sheet<'_, '_>) {
        let is_open = sheet.state.is_open;
        self.end_session(sheet);
        sheet.state.is_open = is_open;
    }
}

impl Pytest {
    /// Takes a block with its heading.
    fn block(&mut self, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) {
        let first = sheet.lines.at();
        sheet.block(hit.rule);
        while is_printed(sheet.lines.at(), sheet) {
            sheet.lines.pass(1);
            sheet.block(hit.rule);
        }
        let said = sheet.lines.since(first);
        // A section that is cut has no pytest lines below it, but may have those of other programs.
        let is_begin = |line: &str| title(line) == Some("test session starts");
        let is_cut = !sheet.lines.is_more() || is_begin(sheet.lines.line());
        let is_other = |line: &str| cargo::is_own(line) || go_test::is_own(line);
        let other = said.lines().position(is_other).filter(|_| is_cut);
        if let Some(other) = other {
            sheet.lines.return_to(first + other);
        }
        self.told.push(Told {
            title: hit.name(),
            said: sheet.lines.since(first).to_owned(),
        });
        if other.is_some() {
            self.end_session(sheet);
            sheet.found.break_off("pytest", "");
        }
    }

    /// Reads a line that names a failure: `FAILED test_a.py::test_b - AssertionError: x`.
    fn named(&mut self, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) -> bool {
        let (name, said) = self.parted(hit.get("rest"));
        let (name, said) = (name.trim(), said.trim());
        let is_summary = sheet.state.section == "summary";
        if !name.contains("::") && (!is_summary || name.contains(' ')) {
            return false;
        }
        if is_summary {
            sheet.open();
        }
        match hit.any(&["part"]) {
            Some(part) => self.fail(&format!("{name} ({part})"), said, sheet),
            None => self.fail(name, said, sheet),
        }
        true
    }

    /// Splits `rest` into a name and its message. A name with brackets may contain the separator.
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
        // Prefer a name with output above, then one that ends like the name of a parametrized test.
        let found = all().find(is_told).or_else(|| all().find(is_closed));
        found.unwrap_or(first)
    }

    /// Adds a failed test, with the output reported under a shorter name.
    fn fail(&mut self, name: &str, said: &str, sheet: &mut Sheet<'_, '_>) {
        let at = self.told.iter().position(|told| is_of(name, told));
        let told = match at {
            Some(at) => self.told.remove(at).said,
            None => self.line_of(said).unwrap_or_default(),
        };
        let summary = match said {
            "" => thrown(&told),
            said => whole(said, &told),
        };
        sheet.found.fail(name, summary, &told);
    }

    /// Returns the first summary line that fits the message `said`, which may be cut.
    fn line_of(&mut self, said: &str) -> Option<String> {
        let begin = said.strip_suffix("...").unwrap_or(said);
        let is_it = |line: &String| placed(line).is_some_and(|told| told.starts_with(begin));
        let at = self.lines.iter().position(is_it);
        at.filter(|_| !begin.is_empty())
            .map(|at| self.lines.remove(at))
    }

    /// Takes `test_a.py ..F.E   [ 50%]`, with or without the file.
    fn dots(&mut self, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) {
        let number = |known: &str| {
            let signs = hit.get("dots").chars().filter(|c| known.contains(*c));
            u32::try_from(signs.count()).unwrap_or(u32::MAX)
        };
        self.seen = self.seen.saturating_add(number("FE"));
        if let Some(file) = hit.any(&["file"]) {
            self.file = Some(file.to_owned());
        }
        // A test to be run again (`R`) gets another character when it ends. Parts of tests (`u`,
        // `,`, `-`) aren't tests.
        let (passed, others) = (number("."), number("FEsxXp"));
        if let Some(file) = &self.file {
            sheet.found.count_in(file, FileCount { passed, others });
        }
    }

    /// Adds failed tests without a whole name, under as much of the name as is known.
    fn end_session(&mut self, sheet: &mut Sheet<'_, '_>) {
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
            sheet.found.fail(&name, thrown(&told.said), &told.said);
        }
        if self.seen > 0 && sheet.found.is_all_well() {
            sheet.found.stand_in(self.seen, "");
        }
        *self = Self::default();
        sheet.state.is_open = false;
        sheet.state.section.clear();
    }
}

/// Returns true if a test has printed the end of a run at line `at`, as pytest reports failures
/// below it.
fn is_printed(at: usize, sheet: &Sheet<'_, '_>) -> bool {
    let mut lines = sheet.lines.from(at).take(MAX_PRINTED);
    let is_end = |line| rule_of("pytest", Verb::SessionEnded, line).is_some();
    if sheet.state.section != "failures" || !lines.next().is_some_and(is_end) {
        return false;
    }
    let told = lines.find_map(|line| {
        let part = rule_of("pytest", Verb::Recognise, line).filter(|_| title(line).is_some());
        let is_told = part.map(|rule| rule.to.as_deref() == Some("summary"));
        is_told.or_else(|| rule_of("pytest", Verb::Told, line).map(|_| true))
    });
    told == Some(true)
}

/// Returns the title of a section: `=== FAILURES ===`.
fn title(line: &str) -> Option<&str> {
    line.strip_prefix("==")?;
    let title = line.trim_matches('=');
    title.strip_prefix(' ')?.strip_suffix(' ')
}

/// Returns true if output was reported for the test `name` under a shorter name.
fn is_of(name: &str, told: &Told) -> bool {
    let before = name.strip_suffix(&*tail_of(&told.title));
    before
        .is_some_and(|before| before.is_empty() || before.ends_with("::") || before.ends_with('/'))
}

/// Returns `Case::test_a[1.5]` for `Case.test_a[1.5]` and for `ERROR at setup of Case.test_a[1.5]`.
fn tail_of(title: &str) -> String {
    let begins = [
        "ERROR at setup of ",
        "ERROR at teardown of ",
        "ERROR collecting ",
    ];
    let title = begins
        .iter()
        .find_map(|begin| title.strip_prefix(begin))
        .unwrap_or(title);
    if title.ends_with(".py") {
        return title.to_owned();
    }
    let end = title.find(['[', ' ']).unwrap_or(title.len());
    format!("{}{}", title[..end].replace('.', "::"), &title[end..])
}

/// Returns the message after a location: `/src/test_a.py:4: AssertionError: x`.
fn placed(line: &str) -> Option<&str> {
    let found = rule_of("pytest", Verb::ToldInALine, line)?;
    Some(found.line.captures(line)?.name("said")?.as_str())
}

/// Returns the message `said` of the list at the end, or the whole one in `told` if it's cut.
fn whole<'t>(said: &'t str, told: &'t str) -> &'t str {
    let Some(begin) = said.strip_suffix("...") else {
        return said;
    };
    let mut all = told.lines().filter_map(|line| {
        let marked = line.strip_prefix("E  ").map(str::trim);
        marked.or_else(|| placed(line))
    });
    all.find(|line| line.starts_with(begin)).unwrap_or(said)
}

/// Returns the exception: the first line after `E  `, or else the last unindented line.
fn thrown(said: &str) -> &str {
    let marked = said.lines().find_map(|line| line.strip_prefix("E  "));
    let is_begin = |line: &&str| line.starts_with(|c: char| c.is_alphabetic());
    let last = || said.lines().rfind(is_begin);
    marked.or_else(last).unwrap_or_default().trim()
}
