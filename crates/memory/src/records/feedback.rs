use crate::texts::json_lines::JsonLine;

windlass_base::word_enum! {
    /// The outcome of a recall.
    Outcome, "outcome" {
        /// The loaded text improved the work.
        Helpful = "helpful",
        /// The match fitted the words but didn't help.
        Irrelevant = "irrelevant",
        /// Something useful exists but wasn't found.
        Missed = "missed",
        /// Too much was loaded.
        Overloaded = "overloaded",
    }
}

/// A parsed line of `recall-feedback.jsonl`.
#[derive(Debug, Clone)]
pub struct Feedback {
    /// The words that were searched for.
    pub query: String,
    /// The user's verdict on the recall.
    pub outcome: Outcome,
    /// ID of the impression or record that the feedback is about, if any.
    pub matched_id: Option<String>,
    /// Day or time of the feedback. Empty if the line doesn't have it.
    pub created: String,
    /// The line number (1-based), or 0 for feedback that hasn't been logged yet.
    pub line: u32,
}

/// The `matched_id` of feedback without a record.
pub(crate) const UNMATCHED: &str = "unmatched";

/// Maximum length of a query, in characters. That's enough for a few words, but not for a whole
/// prompt.
pub(crate) const MAX_QUERY: usize = 240;

pub(crate) const MAX_NOTE: usize = 240;

impl Feedback {
    /// Parses a line. Returns `None` if there's no query, or no outcome that we know.
    pub(crate) fn of(line: &JsonLine) -> Option<Self> {
        let query = line
            .text("query")
            .filter(|query| !query.trim().is_empty())?;
        let matched = line.text("matched_id");
        Some(Self {
            query: query.to_owned(),
            outcome: Outcome::from_word(line.text("outcome")?)?,
            matched_id: matched.filter(|id| *id != UNMATCHED).map(str::to_owned),
            created: line.text("created").unwrap_or_default().to_owned(),
            line: line.number,
        })
    }
}
