//! What a run is compared with: the means of another.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use windlass_base::Digest;

use super::case::{CaseResult, Values, digest, of_known};
use super::{Choice, Results, SCHEMA_VERSION};
use crate::stats::number;
use crate::subject::Subject;
use crate::{Metric, OURS};

/// What a run is compared with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// The version of the format.
    pub schema_version: u32,
    /// The repository of the user's that it is of, and what that was asked; none where it is of samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<Subject>,
    /// The mean of each metric of each archetype; none where it was undefined.
    #[serde(deserialize_with = "all_known")]
    pub means: BTreeMap<String, BTreeMap<Metric, Option<f64>>>,
    /// The digest of what was found of each archetype, so that machines can be compared.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub digests: BTreeMap<String, String>,
    /// The first digits of the digest of each case of each archetype, so that those can be named that changed; nothing where nobody noted them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cases: BTreeMap<String, BTreeMap<String, String>>,
    /// What changed from the one before it, which the changelog has to say; nothing where nobody noted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<String>,
}

impl Baseline {
    /// What a run is written down as, for later ones to be compared with; what was not measured now keeps what it had `before`, where only
    /// some `archetypes` were asked for.
    #[must_use]
    pub fn of_run(results: &Results, before: Option<&Self>, archetypes: &[String]) -> Self {
        let mut means = results.baseline().with_cases(results);
        if let Some(before) = before.filter(|_| !archetypes.is_empty()) {
            means = means.beside(before);
        }
        // Of something else nothing changed.
        means.since(before.filter(|before| results.unlike(before).is_none()))
    }

    /// The same, with the digest of each case of ours in `results`, of which it is.
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

    /// These, and of `before` what was not measured for these.
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

    /// The cases of `archetype` in `results` that are not what they were, those that are new, and those that are there no more; nothing where nobody noted what they
    /// were.
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

    /// The same, with what changed since `before`; one that is no other than that keeps what it said.
    #[must_use]
    pub fn since(self, before: Option<&Self>) -> Self {
        let same = before.filter(|before| before.id() == self.id() && before.changes.is_some());
        let changes = match same {
            Some(same) => same.changes.clone(),
            None => Some(changes(&self, before)),
        };
        Self { changes, ..self }
    }

    /// What it is called: twelve digits that follow from what was found, and from the means that others are compared with.
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
    /// The archetypes of which ours is not found what the baseline was written of, by digest: on this machine, or since a change.
    /// Those that it knows no digest of are not among them.
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

    /// The first digits of the digest of each case of ours.
    fn digests_of_cases(&self, archetype: &str) -> BTreeMap<String, String> {
        /// Enough to see that one changed.
        const DIGITS: usize = 8;
        let choice = Choice::of(OURS).within(archetype);
        let of = |case: &CaseResult| {
            let digest = digest(std::iter::once(case)).hex();
            (case.case.clone(), digest.chars().take(DIGITS).collect())
        };
        self.chosen(choice).map(of).collect()
    }

    /// The digest of what ours finds of each archetype.
    fn digests(&self) -> BTreeMap<String, String> {
        let of = |archetype: &str| {
            let choice = Choice::of(OURS).within(archetype);
            (archetype.to_owned(), digest(self.chosen(choice)).hex())
        };
        self.archetypes().into_iter().map(of).collect()
    }

    /// The means that later runs are compared with, by archetype and metric: of ours, without times.
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
    /// The digest of what was asked; nothing where it is of samples.
    pub(crate) fn asked(&self) -> Option<&str> {
        let repository = self.repository.as_ref();
        repository.map(|subject| &*subject.questions)
    }
}

impl Results {
    /// Why `baseline` says nothing of these, if so: it is of something else than what was measured.
    #[must_use]
    pub fn unlike(&self, baseline: &Baseline) -> Option<&'static str> {
        let subject = self
            .origin
            .as_ref()
            .and_then(|origin| origin.subject.as_ref());
        match (subject, &baseline.repository) {
            (Some(own), Some(before)) => own.unlike(before),
            (Some(_), None) => Some(
                "it does not say of which repository it is, nor of which questions; write a new one (`--write-baseline FILE`)",
            ),
            (None, Some(_)) => Some("it is of a repository, and not of the samples"),
            (None, None) => None,
        }
    }
}

/// What changed from `before` to `new`, metric by metric.
fn changes(new: &Baseline, before: Option<&Baseline>) -> String {
    let Some(before) = before else {
        return "the first of its kind".to_owned();
    };
    let mut changes = Vec::new();
    for (archetype, means) in &new.means {
        // One that is new is no change of another.
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

/// From one value to another, in words; nothing where they are the same as far as people read them.
fn change(before: Option<f64>, now: Option<f64>) -> Option<String> {
    match (before, now) {
        (None, None) => None,
        (Some(_), None) => Some("has no value any more".to_owned()),
        (None, Some(now)) => Some(format!("is {} for the first time", number(now))),
        (Some(before), Some(now)) => {
            let change = now - before;
            let sign = if change > 0.0 { "+" } else { "" };
            (change.abs() >= 0.000_05).then(|| format!("{sign}{}", number(change)))
        }
    }
}
