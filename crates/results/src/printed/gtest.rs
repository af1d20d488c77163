//! Tests of GoogleTest, each between two lines. They are counted one by one.

use super::counts::Tally;
use super::hit::Hit;
use super::reader::{Own, Sheet};
use super::table::Verb;
use crate::TestOutcome;

#[derive(Default)]
pub(super) struct Gtest {
    /// The running test, and the first line of its output.
    running: Option<(String, usize)>,
    count: Tally,
}

impl Own for Gtest {
    fn act(&mut self, verb: Verb, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) -> bool {
        match verb {
            Verb::Run => {
                self.running = Some((hit.name(), sheet.lines.at()));
                "running".clone_into(&mut sheet.state.section);
            }
            Verb::Ran => sheet.found.count(std::mem::take(&mut self.count).count()),
            Verb::Ended => return self.ended(hit, sheet),
            _ => return false,
        }
        true
    }

    fn other(&mut self, sheet: &mut Sheet<'_, '_>) -> bool {
        sheet.lines.pass(usize::from(self.running.is_some()));
        self.running.is_some()
    }

    fn end(&mut self, sheet: &mut Sheet<'_, '_>) {
        if let Some((name, first)) = self.running.take() {
            let said = sheet.lines.since(first);
            sheet.found.fail(&name, "it did not end", said);
        }
    }
}

impl Gtest {
    /// Records the outcome of the running test.
    ///
    /// It may be on the last line of the test's output, which need not end with a newline.
    fn ended(&mut self, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) -> bool {
        let Some((name, first)) = self.running.take() else {
            return false;
        };
        let outcome = hit.outcome().unwrap_or(TestOutcome::Failed);
        let is_bad = outcome == TestOutcome::Failed;
        if !is_bad && !hit.get("name").starts_with(&name) {
            // The test itself has printed a line of this form.
            self.running = Some((name, first));
            return true;
        }
        sheet.found.recognise();
        sheet.state.section.clear();
        self.count.add_all(hit.tally());
        match is_bad {
            true => {
                let said = sheet.lines.since(first);
                let said = said.rsplit_once('\n').map_or("", |(said, _)| said);
                sheet.found.fail(&name, "", said);
            }
            false => sheet.found.went(&name, outcome),
        }
        true
    }
}
