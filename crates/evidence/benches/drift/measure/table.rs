//! Table with the number of spans for each score, and what the numbers prove.

use std::collections::BTreeMap;

use windlass_base::{Judgement, counted};

use super::edits::{Label, Score, Truth};
use super::fates::{Counts, Fate};
use super::words::{SCORES, title};

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Table {
    pub(super) labels: BTreeMap<Label, BTreeMap<Score, u32>>,
    pub(super) rules: BTreeMap<String, BTreeMap<Score, u32>>,
    pub(super) kinds: BTreeMap<String, BTreeMap<Score, u32>>,
    /// Numbers for edited spans by their length.
    lengths: BTreeMap<Length, (BTreeMap<Score, u32>, u32)>,
    pub(crate) disagreed: u32,
}

/// Length class of an edited span, which decides how it can be recognized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Length {
    OneLine,
    TwoLines,
    Longer,
}

impl Length {
    fn title(self) -> &'static str {
        match self {
            Self::OneLine => "edited, 1 line",
            Self::TwoLines => "edited, 2 lines",
            Self::Longer => "edited, 3 lines or more",
        }
    }
}

impl Table {
    /// Counts an edited span of `lines` lines. `is_named` is true if its location is claimed or is
    /// a candidate.
    pub(crate) fn count_length(&mut self, lines: u32, score: Score, is_named: bool) {
        let length = match lines {
            1 => Length::OneLine,
            2 => Length::TwoLines,
            _ => Length::Longer,
        };
        let (scores, named) = self.lengths.entry(length).or_default();
        *scores.entry(score).or_default() += 1;
        *named += u32::from(is_named);
    }

    pub(crate) fn count(&mut self, truth: &Truth, judgement: &Judgement, score: Score) {
        let by_label = self.labels.entry(truth.label).or_default();
        *by_label.entry(score).or_default() += 1;
        let method = judgement.repair.as_ref().and_then(|repair| repair.method);
        let outcome = judgement
            .outcome()
            .map_or("fresh", |outcome| outcome.as_str());
        let rule = format!("{outcome} {}", method.map_or("", |method| method.as_str()));
        *self
            .rules
            .entry(rule)
            .or_default()
            .entry(score)
            .or_default() += 1;
    }

    pub(crate) fn count_kind(&mut self, kind: &str, score: Score) {
        let scores = self.kinds.entry(kind.to_owned()).or_default();
        *scores.entry(score).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: Self) {
        sum(&mut self.labels, other.labels);
        sum(&mut self.rules, other.rules);
        sum(&mut self.kinds, other.kinds);
        for (length, (scores, named)) in other.lengths {
            let own = self.lengths.entry(length).or_default();
            own.1 += named;
            for (score, count) in scores {
                *own.0.entry(score).or_default() += count;
            }
        }
        self.disagreed += other.disagreed;
    }

    fn total(&self, wanted: Score) -> u32 {
        let counts = self
            .labels
            .values()
            .filter_map(|scores| scores.get(&wanted));
        counts.sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all() == 0
    }

    fn all(&self) -> u32 {
        self.labels.values().flat_map(BTreeMap::values).sum()
    }

    pub(crate) fn line(&self) -> String {
        format!(
            "{}, {} wrong, {} falsely gone, {} gave up ({} without agreed truth)",
            counted(self.all() as usize, "span"),
            self.total(Score::Wrong),
            self.total(Score::FalselyGone),
            self.total(Score::GaveUp),
            self.disagreed
        )
    }

    /// Returns the fates of the spans whose true location is known.
    pub(super) fn fates(&self) -> Counts {
        let mut fates = Counts::default();
        for (label, scores) in &self.labels {
            for (score, count) in scores {
                fates[Fate::of(*label, *score) as usize] += count;
            }
        }
        fates
    }

    pub(super) fn tell(&self, say: &mut dyn FnMut(&str)) {
        let row = |name: &str, scores: &BTreeMap<Score, u32>| -> String {
            let total: u32 = scores.values().sum();
            let cells = SCORES.map(|score| {
                let count = scores.get(&score).copied().unwrap_or(0);
                let share = f64::from(count) * 100.0 / f64::from(total.max(1));
                format!("{count:>6} {share:>6.2}%")
            });
            format!("{name:48} {total:>6} {}", cells.join(" "))
        };
        let head = SCORES.map(|score| format!("{:>14}", title(score)));
        say(&format!("\n{:48} {:>6} {}", "", "n", head.join(" ")));
        for (label, scores) in &self.labels {
            say(&row(label.word(), scores));
        }
        for (length, (scores, named)) in &self.lengths {
            let total: u32 = scores.values().sum();
            let share = f64::from(*named) * 100.0 / f64::from(total.max(1));
            let row = row(length.title(), scores);
            say(&format!("{row}   {share:.2}% named"));
        }
        let mut all: BTreeMap<Score, u32> = BTreeMap::new();
        for score in SCORES {
            all.insert(score, self.total(score));
        }
        say(&row("all", &all));
        say("");
        for (rule, scores) in &self.rules {
            say(&row(rule, scores));
        }
        say("");
        for (kind, scores) in &self.kinds {
            say(&row(kind, scores));
        }
        if self.kinds.is_empty() {
            let spans = counted(self.disagreed as usize, "span");
            say(&format!("{spans} had no agreed truth"));
        }
        say("\nwrong place, or falsely gone:");
        let claims =
            |rule: &&String| !rule.starts_with("unproven") && !rule.starts_with("ambiguous");
        let rules = self
            .rules
            .keys()
            .filter(claims)
            .map(|rule| Some(rule.as_str()));
        for rule in std::iter::once(None).chain(rules) {
            let (all, wrong) = self.tried(rule);
            say(&format!(
                "{:32} {wrong:>4} of {all:>6}, with 95 % confidence below {:.2} %",
                rule.unwrap_or("all"),
                bound(all, wrong) * 100.0
            ));
        }
    }

    /// Returns the number of claims that `rule` made and the number of wrong ones. Without a rule,
    /// these are the numbers for all spans.
    fn tried(&self, rule: Option<&str>) -> (u32, u32) {
        let Some(rule) = rule else {
            let wrong = self.total(Score::Wrong) + self.total(Score::FalselyGone);
            return (self.all(), wrong);
        };
        let of = |score| self.rules.get(rule).and_then(|scores| scores.get(&score));
        let count = |score| of(score).copied().unwrap_or(0);
        let all = self
            .rules
            .get(rule)
            .map_or(0, |scores| scores.values().sum());
        (all, count(Score::Wrong) + count(Score::FalselyGone))
    }
}

fn sum<K: Ord>(
    into: &mut BTreeMap<K, BTreeMap<Score, u32>>,
    other: BTreeMap<K, BTreeMap<Score, u32>>,
) {
    for (row, scores) in other {
        let own = into.entry(row).or_default();
        for (score, count) in scores {
            *own.entry(score).or_default() += count;
        }
    }
}

/// Returns the upper bound, at 95 %, of the share of wrong claims. It is exact if none is wrong,
/// and close if few are.
fn bound(all: u32, wrong: u32) -> f64 {
    let (all, wrong) = (f64::from(all), f64::from(wrong));
    ((wrong + 3.0 + 1.7 * wrong.sqrt()) / all.max(1.0)).min(1.0)
}

#[cfg(test)]
#[allow(unused_imports, reason = "a benchmark has no test harness")]
mod tests {
    use super::*;

    #[test]
    fn few_claims_prove_little() {
        assert!((bound(3_000, 0) - 0.001).abs() < 1e-9);
        assert!(bound(1_000, 16) > bound(8_000, 16));
        assert!(bound(1, 0) <= 1.0);
    }
}
