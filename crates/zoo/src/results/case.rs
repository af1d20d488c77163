//! The result of one system in one case.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use windlass_base::Digest;
use windlass_redact::redact_text;

use crate::{Kind, Metric};

/// Squared error of a confidence of 0.5, no matter if the answer is right.
const OF_ONE_HALF: f64 = 0.25;

/// The result of one system in one case.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// The archetype, or `repository` for a user's repository.
    pub archetype: String,
    /// The name of the case.
    pub case: String,
    /// The name of the system.
    pub system: String,
    /// The kind of question, or `None` if the case is not a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The values of all metrics that apply to the case. `None` if a value is not defined.
    #[serde(deserialize_with = "known")]
    pub values: BTreeMap<Metric, Option<f64>>,
    /// The question, or a description of what was done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asked: String,
    /// The lines that were expected, one per entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<String>,
    /// The lines that were shown, one per entry. For a question, that is the locations within the
    /// budget and the first ten of the named files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
    /// The number of other locations and named files, which we do not measure.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub left_off: usize,
    /// The ranks of the wanted files, or `None` if the case has no ranking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranks>,
    /// Digest of the whole output, or `None` if the output depends on the folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// The reason if the system has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl CaseResult {
    /// Creates a case with no results yet.
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

/// The ranks of the wanted files, from which all ranking metrics can be computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranks {
    /// The number of files that were named.
    pub named: usize,
    /// The rank of each wanted file, starting at 1. `None` if the file was not named.
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

    /// Returns the value of a metric, or `None` if it is not defined.
    #[must_use]
    pub fn value(&self, metric: Metric) -> Option<f64> {
        self.values.get(&metric).copied().flatten()
    }
}

/// Assumes a confidence of 0.5 for answers without one, if the same system states one for other
/// answers. A failed answer gets the worst value.
///
/// Otherwise, a system could improve its score by stating its confidence only for easy answers.
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

/// Values by metric. When reading them, we drop metrics that this version does not know.
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

/// Returns a digest of cases. It does not include latencies, so it is the same on any machine.
pub(super) fn digest<'a>(cases: impl Iterator<Item = &'a CaseResult>) -> Digest {
    let mut text = String::new();
    for case in cases {
        text += &format!("{}\t{}\t{}\n", case.archetype, case.case, case.system);
        for (metric, value) in case.values.iter().filter(|(metric, _)| !metric.is_timing()) {
            // Machines disagree about the last digits of a logarithm, so round the values.
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
