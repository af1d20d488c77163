//! Result of one system for one case.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use windlass_base::Digest;
use windlass_redact::redact_text;

use crate::{Kind, Metric};

/// Squared error of the confidence 0.5, which is the same for right and wrong answers.
const OF_ONE_HALF: f64 = 0.25;

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Result of one system for one case.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// Archetype, or `repository`.
    pub archetype: String,
    /// Name of the case.
    pub case: String,
    /// Name of the measured system.
    pub system: String,
    /// Kind of the question. `None` if the case is not a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Value of each metric that applies to the case. `None` if the value is undefined.
    #[serde(deserialize_with = "known")]
    pub values: BTreeMap<Metric, Option<f64>>,
    /// Text of the question, or description of the action.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asked: String,
    /// Expected lines, one per entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<String>,
    /// Shown lines, one per entry. For a question, these are the locations within the budget and the first ten
    /// named files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
    /// Number of further locations and named files, which are not measured.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_off: usize,
    /// Ranks of the wanted files. `None` if the case has no ranking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranks>,
    /// Digest of the whole output. `None` if the output depends on the folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// Reason why the system failed. `None` if it did not fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl CaseResult {
    /// Creates a case without results.
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

/// Ranks of the wanted files among the named files. All ranking metrics can be computed from them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranks {
    /// Number of named files.
    pub named: usize,
    /// Rank of each wanted file, starting at 1. `None` if the file was not named.
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

    /// Returns the value of `metric`. Returns `None` if it is undefined.
    #[must_use]
    pub fn value(&self, metric: Metric) -> Option<f64> {
        self.values.get(&metric).copied().flatten()
    }
}

/// Assumes the confidence 0.5 for answers without a confidence, if the system states one for other answers.
/// Otherwise the system could choose the answers that its confidence is judged by. A failed answer gets the worst
/// value.
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

/// Values by metric. Deserializing drops metrics that this version does not know.
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

/// Returns the digest of cases without latencies. It is the same on every machine.
pub(super) fn digest<'a>(cases: impl Iterator<Item = &'a CaseResult>) -> Digest {
    let mut text = String::new();
    for case in cases {
        text += &format!("{}\t{}\t{}\n", case.archetype, case.case, case.system);
        for (metric, value) in case.values.iter().filter(|(metric, _)| !metric.is_timing()) {
            // The last digits of a logarithm differ between machines, so values are rounded.
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
