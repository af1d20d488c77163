//! Output of cargo test. Panics appear during the run, and the failures are listed at its end.

use std::collections::BTreeMap;

use super::findings::is_bare;
use super::hit::Hit;
use super::reader::{Own, Sheet};
use super::table::{Verb, rule_of};

#[derive(Default)]
pub(super) struct Cargo {
    /// Panic messages by thread. A test runs on a thread of the same name.
    panics: BTreeMap<String, String>,
}

impl Own for Cargo {
    fn act(&mut self, verb: Verb, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) -> bool {
        match verb {
            Verb::BeginTests => self.panics.clear(),
            Verb::Panicked => {
                let name = hit.get("name");
                // If a test panics several times, the first panic is usually the reason.
                if !self.panics.contains_key(name) {
                    let is_said = |line: &&str| !line.is_empty() && !line.starts_with("note: ");
                    let begin = hit.line.find("thread '").map_or("", |at| &hit.line[at..]);
                    let below = sheet.lines.from(hit.at + 1).take_while(is_said);
                    let said: Vec<&str> = [begin].into_iter().chain(below).collect();
                    self.panics.insert(name.to_owned(), said.join("\n"));
                }
            }
            Verb::FailedTests => return self.failed_tests(sheet),
            _ => return false,
        }
        true
    }
}

impl Cargo {
    /// Reads the names below `failures:` if they are followed by the last lines of a test program.
    fn failed_tests(&self, sheet: &mut Sheet<'_, '_>) -> bool {
        let names = sheet.lines.take_until(|line| !line.starts_with("    "));
        let is_end =
            sheet.lines.line().is_empty() && sheet.lines.ahead(1).starts_with("test result: ");
        for name in names.lines().map(str::trim).filter(|_| is_end) {
            let mut told = sheet.found.failures_from(sheet.state.first.0).iter();
            let is_told = told.any(|it| it.id == name && !is_bare(it));
            let said = self.panics.get(name).filter(|_| !is_told);
            sheet.found.fail(name, "", said.map_or("", String::as_str));
        }
        is_end
    }
}

/// Returns true if `line` begins in a way that only lines of cargo and programs it runs do.
pub(super) fn is_own(line: &str) -> bool {
    let begins = [
        "   Compiling ",
        "    Finished `",
        "     Running ",
        "   Doc-tests ",
        "test result: ",
    ];
    let is_of = |verb| rule_of("cargo", verb, line).is_some();
    is_of(Verb::BeginTests)
        || line.starts_with("test ") && is_of(Verb::Went)
        || begins.iter().any(|begin| line.starts_with(begin))
}
