//! What a run of the zoo found.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use windlass_base::Digest;

use crate::stats::{Comparison, Summary, compare};
use crate::{Kind, Metric, OURS};

/// The version of the format.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// What a run of the zoo found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The version of the format.
    pub schema_version: u32,
    /// Of all cases, by archetype, name and system.
    pub cases: Vec<CaseResult>,
}

/// What one system did with one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// The archetype, or the repository.
    pub archetype: String,
    /// The case.
    pub case: String,
    /// The system.
    pub system: String,
    /// What the question is like, where one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Its values; a metric without one is undefined here.
    pub values: BTreeMap<Metric, Option<f64>>,
    /// What was asked or done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asked: String,
    /// What was expected, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<String>,
    /// What was shown instead, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
    /// Why the system did not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl CaseResult {
    /// The value of `metric`, where it is defined.
    #[must_use]
    pub fn value(&self, metric: Metric) -> Option<f64> {
        self.values.get(&metric).copied().flatten()
    }
}

/// Which cases are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice<'a> {
    /// Of this archetype; of all if not said.
    pub archetype: Option<&'a str>,
    /// Of this system.
    pub system: &'a str,
    /// Of these kinds of questions; of all, and where none was asked, if empty.
    pub kinds: &'a [Kind],
}

impl<'a> Choice<'a> {
    /// All cases of `system`.
    #[must_use]
    pub fn of(system: &'a str) -> Self {
        Self {
            archetype: None,
            system,
            kinds: &[],
        }
    }
}

impl Results {
    /// Of these cases, put in order.
    #[must_use]
    pub fn of(mut cases: Vec<CaseResult>) -> Self {
        let key = |one: &CaseResult| (one.archetype.clone(), one.case.clone(), one.system.clone());
        cases.sort_by_key(key);
        Self {
            schema_version: SCHEMA_VERSION,
            cases,
        }
    }

    /// The archetypes, in order.
    #[must_use]
    pub fn archetypes(&self) -> BTreeSet<&str> {
        self.cases
            .iter()
            .map(|case| case.archetype.as_str())
            .collect()
    }

    /// The systems, ours first.
    #[must_use]
    pub fn systems(&self) -> Vec<&str> {
        let all: BTreeSet<&str> = self.cases.iter().map(|case| case.system.as_str()).collect();
        let ours = all.iter().copied().filter(|system| *system == OURS);
        let others = all.iter().copied().filter(|system| *system != OURS);
        ours.chain(others).collect()
    }

    /// The cases that are meant.
    pub fn chosen<'a>(&'a self, choice: Choice<'a>) -> impl Iterator<Item = &'a CaseResult> {
        self.cases.iter().filter(move |case| {
            case.system == choice.system
                && choice
                    .archetype
                    .is_none_or(|wanted| case.archetype == wanted)
                && (choice.kinds.is_empty()
                    || case.kind.is_some_and(|kind| choice.kinds.contains(&kind)))
        })
    }

    /// What is known of `metric` over the cases that have it at all; nothing where none has.
    #[must_use]
    pub fn summary(&self, metric: Metric, choice: Choice<'_>) -> Option<Summary> {
        let values: Vec<Option<f64>> = self
            .chosen(choice)
            .filter_map(|case| case.values.get(&metric).copied())
            .collect();
        (!values.is_empty()).then(|| Summary::of(values))
    }

    /// How the system of `choice` and `other` differ in `metric`, over the cases that both have.
    #[must_use]
    pub fn compared(&self, metric: Metric, choice: Choice<'_>, other: &str) -> Option<Comparison> {
        let others: BTreeMap<(&str, &str), Option<f64>> = self
            .chosen(Choice {
                system: other,
                ..choice
            })
            .filter_map(|case| Some(((&*case.archetype, &*case.case), *case.values.get(&metric)?)))
            .collect();
        let pairs: Vec<_> = self
            .chosen(choice)
            .filter_map(|case| {
                let other = others.get(&(&*case.archetype, &*case.case))?;
                Some((*case.values.get(&metric)?, *other))
            })
            .collect();
        compare(&pairs, 20_261)
    }

    /// The digest of everything but times: the same on every machine.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut text = String::new();
        for case in &self.cases {
            text += &format!("{}\t{}\t{}\n", case.archetype, case.case, case.system);
            for (metric, value) in case.values.iter().filter(|(metric, _)| !metric.is_timing()) {
                text += &format!("{}\t{value:?}\n", metric.name());
            }
            for line in case.expected.iter().chain(&case.shown).chain(&case.failure) {
                text += &format!("{line}\n");
            }
        }
        Digest::of_bytes(text.as_bytes())
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
            means,
        }
    }
}

/// What a run is compared with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// The version of the format.
    pub schema_version: u32,
    /// The mean of each metric of each archetype; none where it was undefined.
    pub means: BTreeMap<String, BTreeMap<Metric, Option<f64>>>,
}
