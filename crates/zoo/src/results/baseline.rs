//! What a run is compared with: the means of another.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use windlass_base::Digest;

use super::case::{CaseResult, Values, digest, of_known};
use super::{Choice, Results, SCHEMA_VERSION};
use crate::gate::changes;
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
    pub fn changed_cases(&self, archetype: &str, results: &Results) -> Option<BTreeSet<String>> {
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
        let choice = Choice {
            archetype: Some(archetype),
            ..Choice::of(OURS)
        };
        let of = |case: &CaseResult| {
            let digest = digest(std::iter::once(case)).hex();
            (case.case.clone(), digest.chars().take(DIGITS).collect())
        };
        self.chosen(choice).map(of).collect()
    }

    /// The digest of what ours finds of each archetype.
    fn digests(&self) -> BTreeMap<String, String> {
        let of = |archetype: &str| {
            let choice = Choice {
                archetype: Some(archetype),
                ..Choice::of(OURS)
            };
            (archetype.to_owned(), digest(self.chosen(choice)).hex())
        };
        self.archetypes().into_iter().map(of).collect()
    }

    /// The means that later runs are compared with, by archetype and metric: of ours, without times.
    #[must_use]
    pub fn baseline(&self) -> Baseline {
        let mut means: BTreeMap<String, BTreeMap<Metric, Option<f64>>> = BTreeMap::new();
        for archetype in self.archetypes() {
            let choice = Choice {
                archetype: Some(archetype),
                ..Choice::of(OURS)
            };
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
