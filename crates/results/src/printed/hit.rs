//! A matched line and the groups of its match.

use std::borrow::Cow;

use regex_lite::Captures;

use super::counts::Tally;
use super::table::Rule;
use crate::TestOutcome;

pub(super) struct Hit<'t> {
    pub(super) rule: &'static Rule,
    pub(super) line: &'t str,
    pub(super) at: usize,
    pub(super) captures: Captures<'t>,
    pub(super) file: Option<String>,
}

impl<'t> Hit<'t> {
    /// Returns the text of a group, or an empty text if the group is not part of the match.
    pub(super) fn get(&self, group: &str) -> &'t str {
        self.any(&[group]).unwrap_or_default()
    }

    /// Returns the text of the first of `groups` that is part of the match.
    pub(super) fn any(&self, groups: &[&str]) -> Option<&'t str> {
        let mut found = groups.iter().filter_map(|group| self.captures.name(group));
        found.next().map(|found| found.as_str())
    }

    pub(super) fn taken(&self) -> usize {
        let whole = self.captures.get(0).map_or("", |whole| whole.as_str());
        let begin = self.captures.get(0).map_or(0, |whole| whole.start());
        // The group `next` is a part of the following line, which still has to be read.
        let next = self.captures.name("next").map(|next| next.start() - begin);
        let taken = &whole[..next.unwrap_or(whole.len())];
        let taken = taken.strip_suffix('\n').unwrap_or(taken);
        taken.matches('\n').count() + 1
    }

    /// Returns the test's name with its class and the enclosing suites.
    pub(super) fn name(&self) -> String {
        let part = self.get("part").trim();
        let name = match (self.any(&["test"]), self.any(&["name", "class"])) {
            (Some(test), Some(class)) if is_last_of(test, class) => class.to_owned(),
            (Some(test), Some(class)) => format!("{class}.{test}"),
            (None, Some(name)) => {
                let names: Vec<&str> = name.lines().map(str::trim).collect();
                names.join(" › ")
            }
            _ => self.filled(&self.rule.name),
        };
        match part {
            "" => name,
            part => format!("{name} {part}"),
        }
    }

    fn filled(&self, template: &str) -> String {
        let mut filled = String::new();
        for (at, part) in template.split(['{', '}']).enumerate() {
            filled += match at % 2 {
                0 => part,
                _ => self
                    .any(&[part])
                    .or(self.file.as_deref())
                    .unwrap_or_default(),
            };
        }
        filled
    }

    pub(super) fn said(&self, text: &str) -> String {
        let says = self.rule.says.as_ref();
        let says = says.and_then(|says| says.last(text, "said"));
        let said = says.or(self.any(&["said"])).unwrap_or(&self.rule.said);
        said.trim().to_owned()
    }

    /// Puts the line's own message, if any, before `block`.
    pub(super) fn with_first<'b>(&self, block: &'b str) -> Cow<'b, str> {
        match self.any(&["first"]) {
            Some(first) => Cow::Owned(format!("{}\n{block}", first.trim())),
            None => Cow::Borrowed(block),
        }
    }

    pub(super) fn outcome(&self) -> Option<TestOutcome> {
        let outcomes = [
            ("failed", TestOutcome::Failed),
            ("passed", TestOutcome::Passed),
            ("skipped", TestOutcome::Skipped),
        ];
        let mut outcomes = outcomes.into_iter();
        let found = outcomes.find(|(group, _)| self.captures.name(group).is_some());
        found.map(|(_, outcome)| outcome)
    }

    /// Returns the counts of its groups. A group that is not a number counts as one test.
    pub(super) fn tally(&self) -> Tally {
        let number = |group: &str| {
            let found = self.captures.name(group).map(|found| found.as_str());
            found.map_or(0, |it| it.parse().unwrap_or(1))
        };
        Tally {
            total: number("total"),
            passed: number("passed"),
            failed: number("failed").saturating_add(number("errors")),
            skipped: number("skipped"),
        }
    }

    /// Returns the counts on the line, or `None` if its numbers do not count tests.
    pub(super) fn counts(&self) -> Option<Tally> {
        match (self.any(&["counts"]), self.any(&["run_counts"])) {
            (Some(counts), _) => Tally::listed(counts, false),
            (_, Some(counts)) => Tally::listed(counts, true),
            _ => Some(self.tally()),
        }
    }
}

/// Returns true if `class` is a whole name that ends with the test's name.
fn is_last_of(test: &str, class: &str) -> bool {
    let before = class.strip_suffix(test);
    before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}
