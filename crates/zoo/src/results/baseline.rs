//! Baselines, which hold the means of an earlier run for comparison.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use windlass_base::Digest;

use super::case::{CaseResult, Values, digest, of_known};
use super::{Choice, Results, SCHEMA_VERSION};
use crate::stats::number;
use crate::subject::Subject;
use crate::{Metric, OURS};

/// The means and digests of an earlier run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// Version of the file format.
    pub schema_version: u32,
    /// The user's repository and its questions, or `None` for the samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<Subject>,
    /// The mean of each metric, by archetype, or `None` if it's undefined.
    #[serde(deserialize_with = "all_known")]
    pub means: BTreeMap<String, BTreeMap<Metric, Option<f64>>>,
    /// The digest of the results, by archetype. It tells if a run on another machine gave the same
    /// results.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub digests: BTreeMap<String, String>,
    /// A short digest of each case, by archetype. If it differs, the case has changed. Empty in
    /// older baselines.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cases: BTreeMap<String, BTreeMap<String, String>>,
    /// The changes since the previous baseline in words, for the changelog. `None` in older
    /// baselines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<String>,
}

impl Baseline {
    /// Creates the baseline for a run. If only some `archetypes` were measured, the others keep
    /// their values from `before`.
    #[must_use]
    pub fn of_run(results: &Results, before: Option<&Self>, archetypes: &[String]) -> Self {
        let mut means = results.baseline().with_cases(results);
        if let Some(before) = before.filter(|_| !archetypes.is_empty()) {
            means = means.beside(before);
        }
        // If `before` has a different subject, it's not the previous version of this baseline.
        means.since(before.filter(|before| results.unlike(before).is_none()))
    }

    /// Adds the digest of each Windlass case. `results` must be those of the baseline.
    #[must_use]
    pub fn with_cases(self, results: &Results) -> Self {
        let all = results.archetypes().into_iter();
        let cases =
            all.map(|archetype| (archetype.to_owned(), results.digests_of_cases(archetype)));
        Self {
            cases: cases.collect(),
            ..self
        }
    }

    /// Adds the archetypes found in `before` only.
    #[must_use]
    pub fn beside(mut self, before: &Self) -> Self {
        fn keep<T: Clone>(own: &mut BTreeMap<String, T>, before: &BTreeMap<String, T>) {
            for (archetype, had) in before {
                own.entry(archetype.clone()).or_insert_with(|| had.clone());
            }
        }
        keep(&mut self.means, &before.means);
        keep(&mut self.digests, &before.digests);
        keep(&mut self.cases, &before.cases);
        self
    }

    /// Returns the cases of `archetype` that were changed, added or removed in `results`, or `None`
    /// if the baseline doesn't list cases.
    #[must_use]
    pub(crate) fn changed_cases(
        &self,
        archetype: &str,
        results: &Results,
    ) -> Option<BTreeSet<String>> {
        let before = self.cases.get(archetype)?;
        let now = results.digests_of_cases(archetype);
        let all = before.keys().chain(now.keys());
        let changed = all.filter(|case| before.get(*case) != now.get(*case));
        Some(changed.cloned().collect())
    }

    /// Adds a description of the changes since `before`. If the values are equal, keeps the
    /// description of `before`.
    #[must_use]
    pub fn since(self, before: Option<&Self>) -> Self {
        let same = before.filter(|before| before.id() == self.id() && before.changes.is_some());
        let changes = match same {
            Some(same) => same.changes.clone(),
            None => Some(changes(&self, before)),
        };
        Self { changes, ..self }
    }

    /// Returns the id: the first twelve digits of a digest over all digests and means.
    #[must_use]
    pub fn id(&self) -> String {
        let each = self.digests.iter();
        let mut text: String = each
            .map(|(name, digest)| format!("{name} {digest}\n"))
            .collect();
        for (archetype, means) in &self.means {
            for (metric, mean) in means {
                let mean = mean.map_or("undefined".to_owned(), |mean| format!("{mean:.9}"));
                text += &format!("{archetype} {} {mean}\n", metric.name());
            }
        }
        Digest::of_bytes(text.as_bytes())
            .hex()
            .chars()
            .take(12)
            .collect()
    }
}

impl Results {
    /// Returns the archetypes whose digests differ from the baseline. The cause may be a change or
    /// a different machine. Archetypes without a digest in the baseline are skipped.
    #[must_use]
    pub fn differing(&self, baseline: &Baseline) -> Vec<String> {
        let now = self.digests().into_iter();
        let differs = |(archetype, digest): &(String, String)| {
            let before = baseline.digests.get(archetype);
            before.is_some_and(|before| before != digest)
        };
        now.filter(differs)
            .map(|(archetype, _)| archetype)
            .collect()
    }

    /// Returns the short digest of each Windlass case.
    fn digests_of_cases(&self, archetype: &str) -> BTreeMap<String, String> {
        /// Number of digits. Eight are enough to detect a change.
        const DIGITS: usize = 8;
        let choice = Choice::of(OURS).within(archetype);
        let of = |case: &CaseResult| {
            let digest = digest(std::iter::once(case)).hex();
            (case.case.clone(), digest.chars().take(DIGITS).collect())
        };
        self.chosen(choice).map(of).collect()
    }

    /// Returns the digest of the Windlass results for each archetype.
    fn digests(&self) -> BTreeMap<String, String> {
        let of = |archetype: &str| {
            let choice = Choice::of(OURS).within(archetype);
            (archetype.to_owned(), digest(self.chosen(choice)).hex())
        };
        self.archetypes().into_iter().map(of).collect()
    }

    /// Creates a baseline with the Windlass means by archetype and metric, except for latencies.
    #[must_use]
    pub fn baseline(&self) -> Baseline {
        let mut means: BTreeMap<String, BTreeMap<Metric, Option<f64>>> = BTreeMap::new();
        for archetype in self.archetypes() {
            let choice = Choice::of(OURS).within(archetype);
            for metric in Metric::ALL.iter().filter(|metric| !metric.is_timing()) {
                if let Some(summary) = self.summary(*metric, choice) {
                    let mean = summary.mean.map(|mean| (mean * 1e9).round() / 1e9);
                    means
                        .entry(archetype.to_owned())
                        .or_default()
                        .insert(*metric, mean);
                }
            }
        }
        Baseline {
            schema_version: SCHEMA_VERSION,
            repository: self.origin.as_ref().and_then(|one| one.subject.clone()),
            means,
            digests: self.digests(),
            cases: BTreeMap::new(),
            changes: None,
        }
    }
}

fn all_known<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Values>, D::Error> {
    let all = BTreeMap::<String, BTreeMap<String, Option<f64>>>::deserialize(deserializer)?;
    let each = all.into_iter();
    Ok(each
        .map(|(name, values)| (name, of_known(values)))
        .collect())
}

impl Baseline {
    /// Returns the digest of the questions, or `None` for the samples.
    pub(crate) fn asked(&self) -> Option<&str> {
        let repository = self.repository.as_ref();
        repository.map(|subject| &*subject.questions)
    }
}

impl Results {
    /// Returns the reason why `baseline` can't be compared with these results, if there's one.
    #[must_use]
    pub fn unlike(&self, baseline: &Baseline) -> Option<&'static str> {
        let subject = self
            .origin
            .as_ref()
            .and_then(|origin| origin.subject.as_ref());
        match (subject, &baseline.repository) {
            (Some(own), Some(before)) => own.unlike(before),
            (Some(_), None) => Some(
                "the baseline names no repository and no questions: write a new one with `--write-baseline FILE`",
            ),
            (None, Some(_)) => Some("the baseline is of a repository, not of the samples"),
            (None, None) => None,
        }
    }
}

/// Describes the changes from `before` to `new`, metric by metric.
fn changes(new: &Baseline, before: Option<&Baseline>) -> String {
    let Some(before) = before else {
        return "first baseline".to_owned();
    };
    let mut changes = Vec::new();
    for (archetype, means) in &new.means {
        // A new archetype has no previous value to compare with.
        let Some(old) = before.means.get(archetype) else {
            continue;
        };
        let metrics = means.keys().chain(old.keys()).collect::<BTreeSet<_>>();
        let value =
            |means: &BTreeMap<Metric, Option<f64>>, metric| means.get(metric).copied().flatten();
        let own = metrics.into_iter().filter_map(|metric| {
            let change = change(value(old, metric), value(means, metric))?;
            Some(format!("{} {change}", metric.name()))
        });
        let own: Vec<String> = own.collect();
        if !own.is_empty() {
            changes.push(format!("{archetype}: {}", own.join(", ")));
        }
    }
    match changes.is_empty() {
        true => "no figure changed".to_owned(),
        false => changes.join("; "),
    }
}

/// Describes the change of a value, or returns `None` if it's too small to be displayed.
fn change(before: Option<f64>, now: Option<f64>) -> Option<String> {
    match (before, now) {
        (None, None) => None,
        (Some(_), None) => Some("no longer has a value".to_owned()),
        (None, Some(now)) => Some(format!("new at {}", number(now))),
        (Some(before), Some(now)) => {
            let change = now - before;
            let sign = if change > 0.0 { "+" } else { "" };
            (change.abs() >= 0.000_05).then(|| format!("{sign}{}", number(change)))
        }
    }
}
