//! Attempts of nextest. It may retry a failed test, and at the end it lists every failed attempt
//! again.

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
    /// Tests that have passed. Flaky ones are listed again at the end.
    passed: BTreeSet<String>,
    /// Failed tests of the run, with true for those whose output we have seen.
    failed: BTreeMap<String, bool>,
    /// Output of the last failed attempt, for tests that have not passed since.
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
    fn status(&mut self, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) -> bool {
        // A short status is right-aligned, so this line was printed by a test.
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
                // An attempt may be listed again without its output, so keep the output we know.
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

    /// Ends a run. A test none of whose attempts passed has failed.
    fn settle(&mut self, sheet: &mut Sheet<'_, '_>) {
        for (name, said) in std::mem::take(&mut self.tried) {
            self.fail(&name, &said, sheet);
        }
        self.failed.clear();
    }
}

/// Returns true if the output of a test follows its line. In the list at the end, only some entries
/// have output.
fn is_told(sheet: &Sheet<'_, '_>) -> bool {
    let line = sheet.lines.line();
    let begins = is_head(line) || line.trim_start().starts_with("- ");
    sheet.state.section != "summary" || begins
}

fn said(hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) -> String {
    let lines = sheet.block(hit.rule).lines();
    let said: Vec<&str> = lines
        .filter(|line| !is_head(line) && !is_bad_if_flaky(line))
        .collect();
    said.join("\n").trim_end().to_owned()
}

/// Returns true if `line` is a heading of output: `  stderr ───`, `--- STDERR:  a tests::b ---`.
fn is_head(line: &str) -> bool {
    line != BAR && line.contains("───") || line.starts_with("--- STD") && line.ends_with(" ---")
}

/// Returns true if `line` reports a test that passed on a retry, which is configured as a failure.
fn is_bad_if_flaky(line: &str) -> bool {
    line.trim_start()
        .starts_with("- test configured to fail if flaky")
}
