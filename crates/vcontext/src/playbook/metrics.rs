use serde::Serialize;
use windlass_tron::Value;

use super::fold::fold;

/// The metrics of a playbook.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// The number of entries, including inactive ones.
    pub total_entries: u64,
    /// The mean confidence of the entries, or `None` if none of them states a confidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_confidence: Option<f64>,
    /// The time of the last event, or `None` if there are no events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_updated: Option<String>,
}

/// Computes the metrics of a playbook from its events.
///
/// Inactive entries count as well, with their current confidence.
#[must_use]
pub fn derived_metrics(items: &[Value<'static>]) -> Metrics {
    let folded = fold(items);
    let sure: Vec<f64> = folded
        .entries
        .iter()
        .filter_map(|entry| entry.fields.get("confidence")?.as_number()?.as_f64())
        .collect();
    #[expect(
        clippy::cast_precision_loss,
        reason = "there are fewer than 2^53 entries"
    )]
    let average = (!sure.is_empty()).then(|| sure.iter().sum::<f64>() / sure.len() as f64);
    let times = items
        .iter()
        .filter_map(|item| item.get("createdAt")?.as_str());
    let last = times
        .filter_map(|text| Some((crate::time::moment(text)?, text)))
        .max();
    Metrics {
        total_entries: folded.entries.len() as u64,
        average_confidence: average.map(|average| (average * 1e6).round() / 1e6),
        last_updated: last.map(|(_, text)| text.to_owned()),
    }
}

/// True if two averages are equal apart from rounding.
pub(crate) fn same_confidence(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.005
}
