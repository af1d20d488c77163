//! The result of one system for one case.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use windlass_base::Digest;
use windlass_redact::redact_text;

use crate::{Kind, Metric};

/// Squared error of the confidence 0.5. It's the same for right and wrong answers.
const OF_ONE_HALF: f64 = 0.25;

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The result of one system for one case.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// The archetype, or `repository`.
    pub archetype: String,
    /// The name of the case.
    pub case: String,
    /// The name of the measured system.
    pub system: String,
    /// The kind of question, or `None` if the case isn't a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The value of each metric that applies to the case, or `None` if it's undefined.
    #[serde(deserialize_with = "known")]
    pub values: BTreeMap<Metric, Option<f64>>,
    /// The question, or a description of the action.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asked: String,
    /// The expected lines, one per entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<String>,
    /// The shown lines, one per entry. For a question, these are the locations within the budget
    /// and the first ten named files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
    /// Number of further locations and named files, which aren't measured.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_off: usize,
    /// Ranks of the wanted files, or `None` if the case has no ranking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranks>,
    /// Digest of the whole output, or `None` if the output depends on the folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// The reason why the system failed, if it did.
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
    /// The rank of each wanted file, starting at 1, or `None` if the file wasn't named.
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

    /// Returns the value of `metric`, or `None` if it's undefined.
    #[must_use]
    pub fn value(&self, metric: Metric) -> Option<f64> {
        self.values.get(&metric).copied().flatten()
    }
}

/// Assumes the confidence 0.5 for answers without one, if the system states one for other answers.
/// Otherwise a system could choose the answers to be judged by: it would be confident about the
/// easy ones and silent about the rest. A failed answer gets the worst value.
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

/// Values by metric. Deserializing drops metrics unknown to this version.
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

/// Returns the digest of cases without latencies. It's the same on every machine.
pub(super) fn digest<'a>(cases: impl Iterator<Item = &'a CaseResult>) -> Digest {
    let mut text = String::new();
    for case in cases {
        text += &format!("{}\t{}\t{}\n", case.archetype, case.case, case.system);
        for (metric, value) in case.values.iter().filter(|(metric, _)| !metric.is_timing()) {
            // The last digits of a logarithm differ between machines, so round the values.
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
