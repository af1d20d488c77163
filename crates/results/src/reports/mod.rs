//! Reports of test runners in JSON and XML, except for JUnit XML. A table describes each format.

mod format;
mod parsed;
mod report_node;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use self::format::{ErrorRule, FORMATS, Format, Outcome};
use self::parsed::{Parsed, parsed};
use self::report_node::{ReportNode, ReportPath};
use crate::in_short::told;
use crate::places_in::places_in;
use crate::terminal::shown;
use crate::{Failure, FailureKind, NamedTest, Results, TestCount, TestOutcome, printed};

/// Reads the reports in `text`, and the output around them. Returns `None` without a report.
pub(super) fn read_all(text: &str) -> Option<Results> {
    let marked = FORMATS.all.iter().filter(|format| format.is_marked(text));
    for format in marked {
        let reports = parsed(format, text);
        // Another JSON document may contain all marks of the format by chance.
        let is_ours = |report: &Parsed| report.is_cut || is_of(format, &report.value);
        if reports.is_empty() || !reports.iter().all(is_ours) {
            continue;
        }
        let mut all = Results::default();
        let mut around = String::new();
        let mut at = 0;
        for report in &reports {
            around.push_str(text.get(at..report.start).unwrap_or_default());
            around.push('\n');
            all.add(ReportReader::new(format, report).read());
            at = report.end;
        }
        around.push_str(text.get(at..).unwrap_or_default());
        add_printed(&mut all, printed::read(&shown(&around)));
        return Some(all);
    }
    None
}

fn is_of(format: &Format, value: &Value) -> bool {
    let root = ReportNode::root(value);
    let has_tests = || format.tests.iter().any(|path| root.has(path));
    has_tests() || format.end.as_ref().is_some_and(|end| root.has(end))
}

/// Adds failures that were printed outside of a report, except for those the report names.
fn add_printed(all: &mut Results, mut printed: Results) {
    let bad = all
        .failures
        .iter()
        .map(|failure| NamedTest::of("", &failure.id, TestOutcome::Failed).key);
    let bad: BTreeSet<String> = bad.collect();
    let is_new = |name: &str| !bad.contains(&NamedTest::of("", name, TestOutcome::Failed).key);
    printed.failures.retain(|failure| is_new(&failure.id));
    printed.names.clear();
    // The report already counts the same tests.
    printed.tests = None;
    printed.is_uncounted = false;
    if !printed.failures.is_empty() {
        all.add(printed);
    }
}

struct ReportReader<'r> {
    format: &'static Format,
    root: ReportNode<'r>,
    is_cut: bool,
    classes: BTreeMap<String, String>,
    found: Results,
    count: TestCount,
    failed: Vec<ReportNode<'r>>,
}

impl<'r> ReportReader<'r> {
    fn new(format: &'static Format, report: &'r Parsed) -> Self {
        let root = ReportNode::root(&report.value);
        Self {
            format,
            classes: classes(format, &root),
            root,
            is_cut: report.is_cut,
            found: Results::default(),
            count: TestCount::default(),
            failed: Vec::new(),
        }
    }

    fn read(mut self) -> Results {
        self.found.told_by(&self.format.name);
        self.found.is_recognised = true;
        let tests = self
            .format
            .tests
            .iter()
            .flat_map(|path| self.root.find(path));
        for test in tests.collect::<Vec<_>>() {
            self.test(&test);
        }
        for rule in &self.format.errors {
            for at in self.root.find(&rule.at) {
                self.error(rule, &at);
            }
        }
        self.counts();
        self.verdict();
        self.found.tests = Some(self.count);
        self.found
    }

    fn test(&mut self, test: &ReportNode<'r>) {
        let status = test.first_text(&self.format.status);
        // The report was cut within this test.
        if status.is_none() && self.is_cut {
            return;
        }
        let status = status.unwrap_or_default();
        let is = |words: &[String]| words.contains(&status);
        // A status that we don't know counts as a failure.
        let outcome = match () {
            () if is(&self.format.passed) => TestOutcome::Passed,
            () if is(&self.format.skipped) => TestOutcome::Skipped,
            () => TestOutcome::Failed,
        };
        let name = self.name(test);
        let within = match self.place(test) {
            Some((file, _)) => vec![String::new(), String::new(), file, String::new()],
            None => Vec::new(),
        };
        match outcome {
            TestOutcome::Passed => self.count.passed += 1,
            TestOutcome::Skipped => self.count.skipped += 1,
            TestOutcome::Failed | TestOutcome::Error => {
                self.count.failed += 1;
                self.failed.push(test.clone());
                let failure = self.failure(test, name, within, &status);
                self.found.failures.push(failure);
                return;
            }
        }
        let named = NamedTest::of("", &name, outcome);
        self.found.names.push(NamedTest { within, ..named });
    }

    fn name(&self, test: &ReportNode<'r>) -> String {
        let mut name = joined(test, &self.format.parts, &self.format.join);
        if let Some(class) = &self.format.class {
            let class = test
                .first_text(&class.of)
                .and_then(|key| self.classes.get(&key));
            if let Some(class) = class.filter(|class| !name.starts_with(class.as_str())) {
                name = format!("{class}.{name}");
            }
        }
        match name.is_empty() {
            true => "?".to_owned(),
            false => name,
        }
    }

    /// Returns the file of a test, and its location if the report gives a line.
    fn place(&self, test: &ReportNode<'r>) -> Option<(String, String)> {
        let file = test.first_text(self.format.file.as_ref()?)?;
        let line = self
            .format
            .line
            .as_ref()
            .and_then(|line| test.first_text(line));
        let place = line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
        Some((file, place))
    }

    fn failure(
        &self,
        test: &ReportNode<'r>,
        id: String,
        within: Vec<String>,
        status: &str,
    ) -> Failure {
        let said: Vec<String> = self
            .format
            .said
            .iter()
            .flat_map(|path| test.texts(path))
            .collect();
        let said = said.join("\n");
        let (mut summary, detail) = told(&said);
        let kind = self
            .format
            .kind
            .as_ref()
            .and_then(|kind| test.first_text(kind));
        if let Some(kind) = kind.filter(|kind| !summary.contains(kind.as_str())) {
            summary = told(&format!("{kind}: {summary}")).0;
        }
        if summary.is_empty() {
            summary = status.to_owned();
        }
        // .NET writes `a.cs:line 3`.
        let mut places = places_in(&said.replace(":line ", ":"));
        if let Some((_, place)) = self
            .place(test)
            .filter(|(_, place)| !places.contains(place))
        {
            places.insert(0, place);
        }
        Failure {
            id,
            kind: FailureKind::Test,
            summary,
            detail,
            places,
            within,
            ..Failure::default()
        }
    }

    /// Takes an object that reports another failure than that of a test.
    fn error(&mut self, rule: &ErrorRule, at: &ReportNode<'r>) {
        let status = rule.status.as_ref().map(|status| at.first_text(status));
        let status = status.map(Option::unwrap_or_default);
        let is_good = status
            .as_ref()
            .is_some_and(|status| rule.good.contains(status));
        let has_failed_test = || self.failed.iter().any(|test| test.is_in(at));
        if is_good
            || self.is_cut && status.as_deref() == Some("")
            || rule.without_tests && has_failed_test()
        {
            return;
        }
        let names = rule.name.iter().filter_map(|path| at.first_text(path));
        let name = names.into_iter().find(|name| !name.is_empty());
        let said: Vec<String> = rule.said.iter().flat_map(|path| at.texts(path)).collect();
        let said = said.join("\n");
        let (summary, detail) = told(&said);
        let id = name.unwrap_or_else(|| format!("{}: an error", self.format.name));
        if self.found.failures.iter().any(|failure| failure.id == id) {
            return;
        }
        self.found.failures.push(Failure {
            places: places_in(&said),
            id,
            kind: FailureKind::Error,
            summary,
            detail,
            ..Failure::default()
        });
    }

    /// Compares the tests with the report's own numbers. Failures it only counts are added.
    fn counts(&mut self) {
        let sum = |outcome: Outcome| {
            let paths = self.format.counts.get(&outcome)?;
            let numbers = paths.iter().flat_map(|path| self.root.texts(path));
            let numbers: Vec<u32> = numbers.filter_map(|text| text.parse().ok()).collect();
            (!numbers.is_empty()).then(|| numbers.into_iter().fold(0, u32::saturating_add))
        };
        let failed = sum(Outcome::Failed).unwrap_or(0);
        let unnamed = failed.saturating_sub(self.count.failed);
        let passed = sum(Outcome::Passed).unwrap_or(0);
        let skipped = sum(Outcome::Skipped).unwrap_or(0);
        self.count.failed = self.count.failed.max(failed);
        self.count.passed = self.count.passed.max(passed);
        self.count.skipped = self.count.skipped.max(skipped);
        let all = sum(Outcome::All).unwrap_or(0);
        self.count.passed = self
            .count
            .passed
            .max(all.saturating_sub(failed.saturating_add(skipped)));
        if unnamed > 0 {
            self.found.unnamed = unnamed;
            self.fault(&format!(
                "{unnamed} failed by its own count, and it does not say which"
            ));
        }
    }

    /// Adds a failure for a run that failed without naming one, and for a report that is cut.
    fn verdict(&mut self) {
        let ok = self
            .format
            .ok
            .as_ref()
            .and_then(|ok| self.root.first_text(ok));
        if ok.as_deref() == Some("false") && self.found.failures.is_empty() {
            self.fault("the run failed, and it does not say why");
        }
        let has_ended = self
            .format
            .end
            .as_ref()
            .is_none_or(|end| self.root.has(end));
        if self.is_cut || !has_ended {
            self.found.is_broken_off = true;
            self.fault("it is cut before its end");
        }
    }

    fn fault(&mut self, summary: &str) {
        self.found.failures.push(Failure {
            id: format!("report of {}", self.format.name),
            kind: FailureKind::Error,
            summary: summary.to_owned(),
            ..Failure::default()
        });
    }
}

/// Returns the texts at several paths, joined.
fn joined(node: &ReportNode<'_>, paths: &[ReportPath], join: &str) -> String {
    let parts = paths.iter().flat_map(|path| node.texts(path));
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    parts.join(join)
}

fn classes(format: &Format, root: &ReportNode<'_>) -> BTreeMap<String, String> {
    let Some(class) = &format.class else {
        return BTreeMap::new();
    };
    let list = root.find(&class.list);
    let each = list.iter();
    each.filter_map(|one| Some((one.first_text(&class.key)?, one.first_text(&class.value)?)))
        .collect()
}
