//! Baselines, which have the means of an earlier run for comparison.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use windlass_base::Digest;

use super::case::{CaseResult, Values, digest, of_known};
use super::{Choice, Results, SCHEMA_VERSION};
use crate::stats::number;
use crate::{Metric, OURS};

/// The means and the digests of an earlier run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// The version of the file format.
    pub schema_version: u32,
    /// The mean of each metric by archetype, or `None` if it is not defined.
    #[serde(deserialize_with = "all_known")]
    pub means: BTreeMap<String, BTreeMap<Metric, Option<f64>>>,
    /// A digest of the results of each archetype. If it is the same on another machine, then so are
    /// the results.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub digests: BTreeMap<String, String>,
    /// For each archetype, short digests of the cases, so that we can tell which ones have changed.
    /// Older baselines do not have this.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cases: BTreeMap<String, BTreeMap<String, String>>,
    /// What has changed since the previous baseline, for the changelog. Older baselines do not have
    /// this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<String>,
}

impl Baseline {
    /// Creates a baseline from a run. If only some `archetypes` were measured, the others are taken
    /// from `before`.
    #[must_use]
    pub fn of_run(results: &Results, before: Option<&Self>, archetypes: &[String]) -> Self {
        let mut means = results.baseline().with_cases(results);
        if let Some(before) = before.filter(|_| !archetypes.is_empty()) {
            means = means.beside(before);
        }
        means.since(before)
    }

    /// Adds the digests of the cases of Windlass. The baseline must have been created from
    /// `results`.
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

    /// Adds the archetypes that are only in `before`.
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

    /// Returns the cases that were changed, added or removed, or `None` if the baseline has no
    /// digests of cases.
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

    /// Describes what has changed since `before`. If nothing has, we keep the description in
    /// `before`.
    #[must_use]
    pub fn since(self, before: Option<&Self>) -> Self {
        let same = before.filter(|before| before.id() == self.id() && before.changes.is_some());
        let changes = match same {
            Some(same) => same.changes.clone(),
            None => Some(changes(&self, before)),
        };
        Self { changes, ..self }
    }

    /// Returns the first twelve digits of a digest of all digests and means.
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
    /// Returns the archetypes whose digest is not the one in the baseline. Either something has
    /// changed, or it is just another machine. An archetype without a digest in the baseline is
    /// skipped.
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

    fn digests_of_cases(&self, archetype: &str) -> BTreeMap<String, String> {
        /// Eight digits are enough to notice a change.
        const DIGITS: usize = 8;
        let choice = Choice::of(OURS).within(archetype);
        let of = |case: &CaseResult| {
            let digest = digest(std::iter::once(case)).hex();
            (case.case.clone(), digest.chars().take(DIGITS).collect())
        };
        self.chosen(choice).map(of).collect()
    }

    fn digests(&self) -> BTreeMap<String, String> {
        let of = |archetype: &str| {
            let choice = Choice::of(OURS).within(archetype);
            (archetype.to_owned(), digest(self.chosen(choice)).hex())
        };
        self.archetypes().into_iter().map(of).collect()
    }

    /// Creates a baseline with the means of Windlass, without latencies.
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

/// Describes what has changed, by archetype and metric.
fn changes(new: &Baseline, before: Option<&Baseline>) -> String {
    let Some(before) = before else {
        return "first baseline".to_owned();
    };
    let mut changes = Vec::new();
    for (archetype, means) in &new.means {
        // There's nothing to compare a new archetype with.
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

/// Describes a change, unless it is too small to be seen.
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
