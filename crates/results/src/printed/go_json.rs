//! `go test -json`, whose events carry the printed text. It is restored and read like plain output
//! of `go test`. If some events were filtered out, the others still report outcomes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::go_test::{ended, is_begin};

/// Returns true if the text is output of `go test -json`.
///
/// Lines of the tool itself, about downloads or build errors, may come before, between and after
/// the events.
pub(super) fn is_json(text: &str) -> bool {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let from_first = lines.skip_while(|line| Event::of(line).is_none());
    let (mut events, mut all) = (0_usize, 0_usize);
    for line in from_first {
        all += 1;
        events += usize::from(is_likely_event(line));
    }
    events > 0 && events * 2 >= all
}

fn is_likely_event(line: &str) -> bool {
    line.starts_with('{') && line.contains("\"Action\"")
}

struct Event {
    action: String,
    package: String,
    /// The test, or `None` for the package as a whole.
    test: Option<String>,
    output: String,
    did_not_build: bool,
}

impl Event {
    fn of(line: &str) -> Option<Self> {
        let value: Value = is_likely_event(line).then(|| serde_json::from_str(line).ok())??;
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            package: text("Package").or_else(|| text("ImportPath"))?,
            action: text("Action")?,
            test: text("Test"),
            output: text("Output").unwrap_or_default(),
            did_not_build: value.get("FailedBuild").is_some(),
        })
    }

    /// Returns the event's outcome as `go test` prints it, if it has one.
    fn verdict(&self) -> Option<&'static str> {
        match self.action.as_str() {
            "pass" => Some("PASS"),
            "fail" => Some("FAIL"),
            "skip" => Some("SKIP"),
            _ => None,
        }
    }
}

/// A test of a package, or the package itself.
type Name = (String, Option<String>);

/// Returns the printed text, grouped by package because several packages are tested at once.
///
/// An outcome that only an event reports is written as `go test` would print it.
pub(super) fn text_of_json(text: &str) -> String {
    let lines = text.lines().map(|line| (line, Event::of(line.trim())));
    let lines: Vec<(&str, Option<Event>)> = lines.collect();
    let events = || lines.iter().filter_map(|(_, event)| event.as_ref());
    let printed = printed(events());
    let silent = events().filter(|event| {
        let name = (event.package.clone(), event.test.clone());
        event.verdict().is_some() && !printed.contains(&name)
    });
    let silent: BTreeMap<Name, &Event> = silent
        .map(|event| ((event.package.clone(), event.test.clone()), event))
        .collect();
    // Unless passed tests are reported, the number of tests is unknown.
    let all_are_told = silent
        .values()
        .any(|event| event.test.is_some() && event.action == "pass");
    let mut told = Told::default();
    let mut held: BTreeMap<Name, String> = BTreeMap::new();
    for (line, event) in &lines {
        let Some(event) = event else {
            told.say("", &format!("{line}\n"));
            continue;
        };
        let name = (event.package.clone(), event.test.clone());
        let is_silent = silent.contains_key(&name);
        match (&event.test, event.verdict().is_some()) {
            (Some(_), false) if is_silent => {
                held.entry(name).or_default().push_str(&event.output);
            }
            (Some(test), true) if is_silent => {
                let said = held.remove(&name).unwrap_or_default();
                let end = end_of_test(event, test, &said, all_are_told);
                told.say(&event.package, &end);
            }
            (None, true) if is_silent => told.say(&event.package, &end_of_package(event)),
            _ => told.say(&event.package, &event.output),
        }
    }
    // If all events of packages were filtered out, so were the outcomes of packages. If there are
    // still tests that only began, the run was interrupted.
    if events().all(|event| event.test.is_some() && event.action != "run") {
        told.close(&silent);
    }
    told.packages.into_iter().map(|(_, said)| said).collect()
}

/// Printed output of each package, in the order of the packages' first events.
#[derive(Default)]
struct Told {
    packages: Vec<(String, String)>,
    places: BTreeMap<String, usize>,
}

impl Told {
    fn say(&mut self, package: &str, text: &str) {
        let known = self.places.get(package).copied();
        match known.and_then(|at| self.packages.get_mut(at)) {
            Some((_, said)) => said.push_str(text),
            None => {
                self.places.insert(package.to_owned(), self.packages.len());
                self.packages.push((package.to_owned(), text.to_owned()));
            }
        }
    }

    /// Adds an outcome for each package with tests in `silent`.
    fn close(&mut self, silent: &BTreeMap<Name, &Event>) {
        let mut has_failed: BTreeMap<&str, bool> = BTreeMap::new();
        for ((package, _), event) in silent {
            *has_failed.entry(package).or_default() |= event.action == "fail";
        }
        for (package, said) in &mut self.packages {
            if let Some(has_failed) = has_failed.get(package.as_str()) {
                let word = if *has_failed { "FAIL" } else { "ok  " };
                said.push_str(&format!("{word}\t{package}\t0.00s\n"));
            }
        }
    }
}

/// Returns the tests and packages whose outcomes were printed.
fn printed<'e>(events: impl Iterator<Item = &'e Event>) -> BTreeSet<Name> {
    let mut printed = BTreeSet::new();
    for event in events {
        for line in event.output.lines() {
            if let Some(test) = ended(line) {
                printed.insert((event.package.clone(), Some(test.to_owned())));
            } else if ["FAIL\t", "ok  \t", "?   \t"]
                .iter()
                .any(|begin| line.starts_with(begin))
            {
                printed.insert((event.package.clone(), None));
            }
        }
    }
    printed
}

/// Returns the line of a test's outcome, followed by its output `said`.
fn end_of_test(event: &Event, test: &str, said: &str, is_counted: bool) -> String {
    let begin = match is_counted {
        true => format!("=== RUN   {test}\n"),
        false => String::new(),
    };
    let word = event.verdict().unwrap_or_default();
    let said = said
        .lines()
        .filter(|line| !line.trim().is_empty() && !is_begin(line));
    let said = said.map(|line| match line.starts_with([' ', '\t']) {
        true => format!("{line}\n"),
        false => format!("    {line}\n"),
    });
    let said: String = said.collect();
    format!("{begin}--- {word}: {test} (0.00s)\n{said}")
}

fn end_of_package(event: &Event) -> String {
    let package = &event.package;
    match event.verdict() {
        Some("FAIL") if event.did_not_build => format!("FAIL\t{package} [build failed]\n"),
        Some("FAIL") => format!("FAIL\t{package}\t0.00s\n"),
        Some("SKIP") => format!("?   \t{package}\t[no test files]\n"),
        _ => format!("ok  \t{package}\t0.00s\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use crate::{Failure, Results};

    fn told(failures: &[Failure]) -> Vec<(&str, &str)> {
        failures.iter().map(|it| (&*it.id, &*it.summary)).collect()
    }

    #[test]
    fn events_that_were_filtered_tell_how_tests_went() {
        let output = r#"{"Action":"output","Package":"e.org/a","Test":"TestAdd","Output":"    add_test.go:5: got -1 want 3\n"}"#;
        let fail = r#"{"Action":"fail","Package":"e.org/a","Test":"TestAdd","Elapsed":0}"#;
        let pass = r#"{"Action":"pass","Package":"e.org/a","Test":"TestB","Elapsed":0}"#;
        let skip = r#"{"Action":"skip","Package":"e.org/a","Test":"TestC","Elapsed":0}"#;
        let end = r#"{"Action":"fail","Package":"e.org/a","Elapsed":0.01}"#;
        let of = |lines: &[&str]| -> Results { read(&format!("{}\n", lines.join("\n"))) };
        for lines in [&[output, fail, end][..], &[output, fail]] {
            let found = of(lines);
            assert_eq!(
                told(&found.failures),
                [("e.org/a.TestAdd", "add_test.go:5: got -1 want 3")]
            );
            assert_eq!((found.tests, found.is_broken_off), (None, false));
        }
        let found = of(&[fail]);
        assert_eq!(told(&found.failures), [("e.org/a.TestAdd", "")]);
        for lines in [
            &[output, fail, pass, skip, end][..],
            &[pass, skip, output, fail],
        ] {
            let found = of(lines);
            assert_eq!(
                told(&found.failures),
                [("e.org/a.TestAdd", "add_test.go:5: got -1 want 3")]
            );
            let tests = found.tests.map(|it| (it.passed, it.failed, it.skipped));
            assert_eq!((tests, found.is_broken_off), (Some((1, 1, 1)), false));
        }
        // A package that failed without any output of a test, one that doesn't build, and one that
        // was broken off.
        let found = of(&[end]);
        assert_eq!(found.failures[0].id, "e.org/a");
        let built = r#"{"Action":"fail","Package":"e.org/b","Elapsed":0,"FailedBuild":"e.org/b"}"#;
        assert_eq!(of(&[built]).failures[0].id, "e.org/b [build failed]");
        let run = r#"{"Action":"run","Package":"e.org/a","Test":"TestAdd"}"#;
        let began = r#"{"Action":"output","Package":"e.org/a","Test":"TestAdd","Output":"=== RUN   TestAdd\n"}"#;
        assert!(of(&[run, began]).is_broken_off);
        // Events of passed tests are recognized as results too.
        let well = of(&[r#"{"Action":"pass","Package":"e.org/a","Elapsed":0.01}"#]);
        assert!(well.is_recognised && well.failures.is_empty());
    }
}
