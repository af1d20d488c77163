//! What a system did with a case.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use windlass_base::Digest;
use windlass_redact::redact_text;

use crate::{Kind, Metric};

/// How far off it is, squared, to be half sure.
const OF_ONE_HALF: f64 = 0.25;

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What one system did with one case.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    #[serde(deserialize_with = "known")]
    pub values: BTreeMap<Metric, Option<f64>>,
    /// What was asked or done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asked: String,
    /// What was expected, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<String>,
    /// What was shown instead, a line each: of an answer, all that is measured (the places that 2,000 tokens reach, and the first ten
    /// names).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
    /// How many places and names came behind these, which count for nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_off: usize,
    /// Where the wanted files stand among those that were named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranks>,
    /// The digest of all that was printed, where it is the same wherever it is printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// Why the system did not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl CaseResult {
    /// A case of which nothing is known yet.
    #[must_use]
    pub fn new(archetype: &str, case: &str, system: &str) -> Self {
        Self {
            archetype: archetype.to_owned(),
            case: case.to_owned(),
            system: system.to_owned(),
            ..Self::default()
        }
    }
}

/// Where the wanted files stand among those that were named: all that rankings are measured by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranks {
    /// How many files were named.
    pub named: usize,
    /// The rank of each wanted file, from 1; none where it was not named.
    pub wanted: BTreeMap<String, Option<usize>>,
}

impl CaseResult {
    pub(super) fn redact(&mut self) {
        if let Some(ranking) = &mut self.ranking {
            let all = std::mem::take(&mut ranking.wanted).into_iter();
            let told = all.map(|(file, rank)| (redact_text(&file).0.to_string(), rank));
            ranking.wanted = told.collect();
        }
        let lists = [&mut self.expected, &mut self.shown].into_iter().flatten();
        let texts = lists.chain([&mut self.asked]).chain(&mut self.failure);
        for text in texts {
            *text = redact_text(text).0.to_string();
        }
    }

    /// The value of `metric`, where it is defined.
    #[must_use]
    pub fn value(&self, metric: Metric) -> Option<f64> {
        self.values.get(&metric).copied().flatten()
    }
}

/// Who says how sure it is of some answers and not of others would be judged by those alone that it chose. Of the others it is taken to say
/// one half, which is as far off whatever is so; where it failed, it is as wrong as can be.
pub(super) fn doubt_the_silent(cases: &mut [CaseResult]) {
    let saying = cases
        .iter()
        .filter(|case| case.value(Metric::GateError).is_some());
    let saying: BTreeSet<String> = saying.map(|case| case.system.clone()).collect();
    for case in cases {
        let is_silent = case.kind.is_some() && case.value(Metric::GateError).is_none();
        if is_silent && saying.contains(&case.system) {
            let error = match case.failure {
                Some(_) => Metric::GateError.definition().worst(),
                None => Some(OF_ONE_HALF),
            };
            case.values.insert(Metric::GateError, error);
        }
    }
}

/// Values by metric; those of metrics that this version does not know are left out.
pub(super) type Values = BTreeMap<Metric, Option<f64>>;

fn known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Values, D::Error> {
    BTreeMap::<String, Option<f64>>::deserialize(deserializer).map(of_known)
}

pub(super) fn of_known(values: BTreeMap<String, Option<f64>>) -> Values {
    let values = values.into_iter();
    values
        .filter_map(|(name, value)| Some((Metric::named(&name)?, value)))
        .collect()
}

/// The digest of cases, of everything but times: the same on every machine.
pub(super) fn digest<'a>(cases: impl Iterator<Item = &'a CaseResult>) -> Digest {
    let mut text = String::new();
    for case in cases {
        text += &format!("{}\t{}\t{}\n", case.archetype, case.case, case.system);
        for (metric, value) in case.values.iter().filter(|(metric, _)| !metric.is_timing()) {
            // The last digits of a logarithm are not the same everywhere.
            let value = value.map_or("undefined".to_owned(), |value| format!("{value:.9}"));
            text += &format!("{}\t{value}\n", metric.name());
        }
        let told = case.expected.iter().chain(&case.shown);
        for line in told.chain(&case.printed).chain(&case.failure) {
            text += &format!("{line}\n");
        }
    }
    Digest::of_bytes(text.as_bytes())
}
