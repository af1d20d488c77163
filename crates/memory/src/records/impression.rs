use std::ops::Range;

use crate::records::kind::Status;
use crate::texts::json_lines::JsonLine;

/// A parsed line of `impressions.jsonl`: the keywords that lead to a record, and the record's path.
#[derive(Debug, Clone)]
pub struct Impression {
    /// The impression's id, unique within the file.
    pub id: String,
    /// The memory's scope, such as `project:demo`.
    pub scope: String,
    /// Title of the record.
    pub title: String,
    /// Keywords that lead to the record.
    pub keywords: Vec<String>,
    /// Other names by which the record can be found.
    pub aliases: Vec<String>,
    /// Path of the record from the root of the project, called the route.
    pub record_path: String,
    /// Day or time of the last change.
    pub updated: String,
    /// Weight in the score, in thousandths. Defaults to 500.
    pub weight: u32,
    /// Status of the record.
    pub status: Status,
    /// Id of the impression that supersedes this one.
    pub superseded_by: Option<String>,
    /// Line number, starting at 1.
    pub line: u32,
    /// Range of the line in bytes.
    pub range: Range<usize>,
}

/// Weight, in thousandths, of an impression that doesn't state one.
pub(crate) const USUAL_WEIGHT: u32 = 500;

impl Impression {
    /// Parses a line, replacing invalid fields with defaults. Returns `None` if the id or the route
    /// is missing, since the line leads nowhere without them.
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

/// Converts a number to thousandths, clamped to the range from 0 to 1000.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is clamped before"
)]
pub(crate) fn in_thousandths(number: f64) -> u32 {
    (number.clamp(0.0, 1.0) * 1000.0).round() as u32
}
