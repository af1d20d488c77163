use std::ops::Range;

use crate::records::kind::Status;
use crate::texts::json_lines::JsonLine;

/// A parsed line of `impressions.jsonl`, which has the keywords for a record.
#[derive(Debug, Clone)]
pub struct Impression {
    /// The ID, unique within the file.
    pub id: String,
    /// The memory's scope, e.g. `project:demo`.
    pub scope: String,
    /// The title of the record when the impression was written.
    pub title: String,
    /// Words by which a recall can find the record.
    pub keywords: Vec<String>,
    /// Other names of the record.
    pub aliases: Vec<String>,
    /// The path of the record, also called the *route* of the impression.
    pub record_path: String,
    /// Day or time of the last change. Empty if the line doesn't have it.
    pub updated: String,
    /// How much the impression raises the score, in thousandths. Usually 500.
    pub weight: u32,
    /// The status of the impression, which may differ from the record's. Active if missing or
    /// unknown.
    pub status: Status,
    /// ID of the impression that replaces this one.
    pub superseded_by: Option<String>,
    /// The line number (1-based).
    pub line: u32,
    /// The line's byte range.
    pub range: Range<usize>,
}

pub(crate) const USUAL_WEIGHT: u32 = 500;

impl Impression {
    /// Parses a line. An invalid field gets its default value. Without an ID or a route, the result
    /// is `None`, because such an impression wouldn't lead anywhere.
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
                .and_then(Status::from_word)
                .unwrap_or_default(),
            superseded_by: line.text("superseded_by").map(str::to_owned),
            line: line.number,
            range: line.range.clone(),
        })
    }
}

/// Converts a number to thousandths, after limiting it to the range from 0 to 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is clamped before"
)]
pub(crate) fn in_thousandths(number: f64) -> u32 {
    (number.clamp(0.0, 1.0) * 1000.0).round() as u32
}
