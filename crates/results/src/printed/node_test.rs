//! Failures of node:test, which reports them during the run and repeats them at the end with more
//! detail.

use std::collections::BTreeSet;

use super::hit::Hit;
use super::lines::indent;
use super::reader::{Own, Sheet};
use super::table::Verb;
use crate::TestOutcome;
use crate::in_short::with_what_follows;

#[derive(Default)]
pub(super) struct Node {
    /// Suites that have begun. Their own failures repeat the failure of a test in them.
    suites: BTreeSet<String>,
    /// The first failure reported during the run.
    first: Option<usize>,
    place: Option<String>,
    /// True while we're reading the list at the end.
    is_list: bool,
}

impl Own for Node {
    fn act(&mut self, verb: Verb, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) -> bool {
        let name = hit.name();
        match verb {
            Verb::SuiteBegan => {
                self.suites.insert(name);
            }
            Verb::List => {
                // The list repeats these failures with more detail.
                if let Some(first) = self.first {
                    sheet.found.results.failures.truncate(first);
                }
                self.suites.clear();
                self.is_list = true;
            }
            Verb::At => self.place = Some(hit.get("place").to_owned()),
            Verb::Began => self.begin(sheet),
            Verb::Passed => {
                self.begin(sheet);
                if !self.suites.remove(&name) {
                    sheet.found.went(&name, TestOutcome::Passed);
                }
            }
            Verb::Failed => {
                self.begin(sheet);
                self.failed(&name, hit, sheet);
            }
            _ => return false,
        }
        true
    }

    fn end(&mut self, sheet: &mut Sheet<'_, '_>) {
        // Tests of the dot reporter aren't counted anywhere.
        sheet.found.results.is_uncounted |= self.is_list && !sheet.is_tallied();
    }
}

impl Node {
    fn begin(&mut self, sheet: &mut Sheet<'_, '_>) {
        if self.first.is_none() {
            self.first = Some(sheet.found.known().0);
            "told".clone_into(&mut sheet.state.section);
            if !self.is_list {
                sheet.open();
            }
        }
    }

    /// Reads the report of a failed test. One marked `todo` doesn't count as a failure.
    fn failed(&mut self, name: &str, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) {
        let said = sheet.block(hit.rule);
        let place = self.place.take();
        let mark = hit.line.rsplit_once("ms) # ").map_or("", |(_, mark)| mark);
        if mark == "TODO" || mark.starts_with("TODO ") {
            if !self.is_list {
                sheet.found.went(name, TestOutcome::Skipped);
            }
            return;
        }
        // The failure of a suite only says that some of its tests failed.
        let of_suite = ["subtest failed'", "subtests failed'"];
        let is_of_suite = |line: &str| of_suite.iter().any(|end| line.trim().ends_with(end));
        let is_silent = said.lines().all(str::is_empty);
        if said.lines().any(is_of_suite) || self.suites.contains(name) && is_silent {
            return;
        }
        let mut told = said.lines().filter(|line| indent(line) > 0);
        let first = told.next().map_or("", str::trim);
        let summary = with_what_follows(first, told);
        let said = [said, place.as_deref().unwrap_or_default()].join("\n");
        sheet.found.fail(name, &summary, said.trim_end());
    }
}
