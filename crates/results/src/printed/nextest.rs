//! Attempts of nextest, which may retry a failed test and lists every failed attempt again at the
//! end.

use std::collections::{BTreeMap, BTreeSet};

use super::hit::Hit;
use super::reader::{Own, Sheet};
use super::table::Verb;
use crate::TestOutcome;

/// Minimum width of the right-aligned status.
const STATUS_WIDTH: usize = 12;
/// The line between a run and the list at its end.
const BAR: &str = "────────────";

#[derive(Default)]
pub(super) struct Nextest {
    /// Passed tests. Flaky ones are reported again at the end.
    passed: BTreeSet<String>,
    /// Failed tests of the run, with true for those whose output we've seen.
    failed: BTreeMap<String, bool>,
    /// The output of failed attempts, for tests that haven't passed since.
    tried: BTreeMap<String, String>,
}

impl Own for Nextest {
    fn act(&mut self, verb: Verb, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) -> bool {
        match verb {
            Verb::SettleTries => self.settle(sheet),
            Verb::Status => return self.status(hit, sheet),
            _ => return false,
        }
        true
    }

    fn end(&mut self, sheet: &mut Sheet<'_, '_>) {
        self.settle(sheet);
    }
}

impl Nextest {
    /// Reads the report of a test: a line with its output below it.
    fn status(&mut self, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) -> bool {
        if !hit.line.starts_with(' ') && hit.get("status").len() < STATUS_WIDTH {
            return false;
        }
        let name = hit.name();
        let has_failed = hit.outcome() == Some(TestOutcome::Failed);
        let is_bad = has_failed || is_bad_if_flaky(sheet.lines.line());
        let said = match has_failed && is_told(sheet) {
            true => said(hit, sheet),
            false => String::new(),
        };
        match hit.outcome() {
            _ if !is_bad && !hit.get("script").is_empty() => {}
            _ if is_bad && hit.any(&["try"]).is_some() => {
                let known = self.tried.entry(name).or_default();
                // The output of the last attempt counts.
                if !said.is_empty() {
                    *known = said;
                }
            }
            _ if is_bad => {
                let tried = self.tried.remove(&name).unwrap_or_default();
                let said = if said.is_empty() { tried } else { said };
                self.fail(&name, &said, sheet);
            }
            Some(TestOutcome::Passed) => {
                self.tried.remove(&name);
                if self.passed.insert(name.clone()) {
                    sheet.found.went(&name, TestOutcome::Passed);
                }
            }
            Some(outcome) => sheet.found.went(&name, outcome),
            None => {}
        }
        true
    }

    /// Adds a failed test once, with its first output.
    fn fail(&mut self, name: &str, said: &str, sheet: &mut Sheet<'_, '_>) {
        let is_told = self.failed.entry(name.to_owned()).or_default();
        if !*is_told {
            *is_told = !said.is_empty();
            sheet.found.fail(name, "", said);
        }
    }

    /// Ends a run. Tests without a passed attempt have failed.
    fn settle(&mut self, sheet: &mut Sheet<'_, '_>) {
        for (name, said) in std::mem::take(&mut self.tried) {
            self.fail(&name, &said, sheet);
        }
        self.failed.clear();
    }
}

/// True if a test's output follows its line. The list at the end has entries with and without
/// output.
fn is_told(sheet: &Sheet<'_, '_>) -> bool {
    let line = sheet.lines.line();
    let begins = is_head(line) || line.trim_start().starts_with("- ");
    sheet.state.section != "summary" || begins
}

/// Returns the output of a test below its line.
fn said(hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) -> String {
    let lines = sheet.block(hit.rule).lines();
    let said: Vec<&str> = lines
        .filter(|line| !is_head(line) && !is_bad_if_flaky(line))
        .collect();
    said.join("\n").trim_end().to_owned()
}

/// True if `line` is a heading of output: `  stderr ───`, `--- STDERR:  a tests::b ---`.
fn is_head(line: &str) -> bool {
    line != BAR && line.contains("───") || line.starts_with("--- STD") && line.ends_with(" ---")
}

/// True if `line` reports a test as failed because it passed only on a retry.
fn is_bad_if_flaky(line: &str) -> bool {
    line.trim_start()
        .starts_with("- test configured to fail if flaky")
}
