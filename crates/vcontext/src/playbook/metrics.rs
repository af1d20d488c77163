use serde::Serialize;
use windlass_tron::Value;

use super::fold::fold;

/// What can be counted in a playbook.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// The number of entries.
    pub total_entries: u64,
    /// How sure they are on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_confidence: Option<f64>,
    /// When the last event was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_updated: Option<String>,
}

/// What the events say of a playbook as a whole: how many entries there are, how sure they are on average as they
/// stand now (also those that are deprecated), and when the last event was.
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

/// Whether two averages are the same, but for how they were rounded.
pub(crate) fn same_confidence(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.005
}
