//! Suites of mocha, which shows them only by indentation. A test belongs to those lines above it
//! that are less and less indented.

use super::hit::Hit;
use super::lines::indent;
use super::reader::{Own, Sheet};
use super::table::Verb;

#[derive(Default)]
pub(super) struct Mocha {
    /// The lines above, with their indentation.
    suites: Vec<(usize, String)>,
}

impl Own for Mocha {
    fn act(&mut self, verb: Verb, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) -> bool {
        let depth = indent(hit.line);
        let suites = self.suites.iter().filter(|(known, _)| *known < depth);
        let mut names: Vec<&str> = suites.map(|(_, suite)| suite.as_str()).collect();
        let name = hit.name();
        names.push(&name);
        let outcome = hit.outcome().filter(|_| verb == Verb::WentNested);
        if let Some(outcome) = outcome {
            sheet.found.went(&names.join(" › "), outcome);
        }
        outcome.is_some()
    }

    fn other(&mut self, sheet: &mut Sheet<'_, '_>) -> bool {
        let line = sheet.lines.line();
        if line.is_empty() {
            return false;
        }
        if sheet.state.section != "tests" {
            // The numbered lines weren't tests.
            sheet.state.unsure.clear();
        }
        let depth = indent(line);
        self.suites.retain(|(known, _)| *known < depth);
        if depth > 0 {
            self.suites.push((depth, line.trim().to_owned()));
        }
        false
    }
}
