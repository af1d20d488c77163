use std::ops::Range;

use crate::records::kind::Status;
use crate::texts::json_lines::JsonLine;

/// A line of `impressions.jsonl`: the words by which something is found again, and where it lies.
#[derive(Debug, Clone)]
pub struct Impression {
    /// Its name, one in the file.
    pub id: String,
    /// Whose it is.
    pub scope: String,
    /// What a person calls it.
    pub title: String,
    /// Words that lead to it.
    pub keywords: Vec<String>,
    /// Other words for it.
    pub aliases: Vec<String>,
    /// The record, relative to the project's root.
    pub record_path: String,
    /// When it was last written.
    pub updated: String,
    /// How much it counts, in thousandths; 500 where nothing is said.
    pub weight: u32,
    /// Whether it is to be relied on.
    pub status: Status,
    /// The impression that took its place.
    pub superseded_by: Option<String>,
    /// The line, from 1.
    pub line: u32,
    /// Its bytes.
    pub range: Range<usize>,
}

/// What an impression weighs that says nothing, in thousandths.
pub(crate) const USUAL_WEIGHT: u32 = 500;

impl Impression {
    /// What is on a line, as far as it can be understood; none without an id or a route.
    pub(crate) fn of(line: &JsonLine) -> Option<Self> {
        let text = |field: &str| line.text(field).map(str::to_owned).unwrap_or_default();
        let (id, record_path) = (text("id"), text("record_path"));
        if id.is_empty() || record_path.is_empty() {
            return None;
        }
        Some(Self {
            id,
            scope: text("scope"),
            title: text("title"),
            keywords: line.texts("keywords"),
            aliases: line.texts("aliases"),
            record_path,
            updated: text("updated"),
            weight: line.fields.get("weight").map_or(USUAL_WEIGHT, |weight| {
                weight.as_f64().map_or(USUAL_WEIGHT, in_thousandths)
            }),
            status: line
                .text("status")
                .and_then(Status::parse)
                .unwrap_or_default(),
            superseded_by: line.text("superseded_by").map(str::to_owned),
            line: line.number,
            range: line.range.clone(),
        })
    }
}

/// A number from 0 to 1 in thousandths; what is outside counts as the nearest that is not.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is clamped before"
)]
pub(crate) fn in_thousandths(number: f64) -> u32 {
    (number.clamp(0.0, 1.0) * 1000.0).round() as u32
}
