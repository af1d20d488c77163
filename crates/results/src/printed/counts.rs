//! Parses counts of tests on one line, in the notations of several programs.

use super::table::TABLE;
use crate::TestCount;

/// Numbers of tests, added up from one line or several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) total: u32,
    pub(super) passed: u32,
    pub(super) failed: u32,
    pub(super) skipped: u32,
}

impl Tally {
    /// Parses counts such as `1 failed, 2 passed`, `Failed: 1, Passed: 2` or `failures=1`. At least
    /// one part must count tests. With `is_strict`, an unknown word counts as failed.
    pub(super) fn listed(text: &str, is_strict: bool) -> Option<Self> {
        let mut tally = Self::default();
        let mut is_count = false;
        // Numbers in brackets count only a part of the tests.
        let outside = text.split(')').filter_map(|part| part.split('(').next());
        let outside: String = outside.collect();
        let outside = outside.trim_end_matches('.');
        let parts = outside.split([',', '|', ';']).map(str::trim);
        for part in parts.filter(|part| !part.is_empty()) {
            let Some((number, word)) = numbered(part) else {
                break;
            };
            if tally.add(number, word) {
                is_count = true;
            } else if is_strict {
                tally.failed = tally.failed.saturating_add(number);
            }
        }
        is_count.then_some(tally)
    }

    /// Adds the count before `word`. Returns false if the word is not a kind of outcome.
    pub(super) fn add(&mut self, number: u32, word: &str) -> bool {
        let word = word.to_lowercase();
        let first = word.split(' ').next().unwrap_or_default();
        let class = class_of(&word).or_else(|| class_of(first));
        let into = match class {
            Some("passed") => &mut self.passed,
            Some("failed") => &mut self.failed,
            Some("skipped") => &mut self.skipped,
            Some("total") => &mut self.total,
            _ => return false,
        };
        *into = into.saturating_add(number);
        true
    }

    pub(super) fn add_all(&mut self, other: Self) {
        self.total = self.total.saturating_add(other.total);
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
        self.skipped = self.skipped.saturating_add(other.skipped);
    }

    /// Returns the count. If it has no passed tests, those are the rest of the total.
    pub(super) fn count(self) -> TestCount {
        let others = self.failed.saturating_add(self.skipped);
        TestCount {
            passed: match self.passed {
                0 => self.total.saturating_sub(others),
                passed => passed,
            },
            failed: self.failed,
            skipped: self.skipped,
        }
    }
}

/// Splits `3 passed`, `Passed: 3` or `passed=3` into number and word.
fn numbered(part: &str) -> Option<(u32, &str)> {
    let (one, other) = part
        .split_once(['=', ':'])
        .or_else(|| part.split_once(' '))?;
    let (one, other) = (one.trim(), other.trim());
    let front = one.parse().ok().map(|number| (number, other));
    front.or_else(|| Some((other.parse().ok()?, one)))
}

fn class_of(word: &str) -> Option<&'static str> {
    let mut classes = TABLE.words.iter();
    let class = classes.find(|(_, words)| words.iter().any(|known| known == word))?;
    Some(class.0.as_str())
}
