use super::hit::Hit;
use super::level::{Bounds, Level};
use super::search::Search;

/// Maximum number of records that a caller should load. Feedback can reduce it.
const MAX_RECORDS: usize = 3;

/// The hits for a question, with the level of confidence and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    /// The level of the best hit.
    pub level: Level,
    /// The confidence in the best hit, in thousandths.
    pub confidence: u32,
    /// Reason for the level, as a clause that can be shown to the user.
    pub reason: String,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// The number of candidates: all entries with a word of the question, and those that feedback
    /// leads to.
    pub total: usize,
    /// The number of entries in the index.
    pub searched: usize,
    /// Maximum number of records for callers to load.
    pub most_records: usize,
    /// The thresholds of the levels, with what we have learned from feedback.
    pub(super) bounds: Bounds,
}

impl Ranking {
    pub(super) fn of(search: &Search<'_>, total: usize, mut hits: Vec<Hit>, limit: usize) -> Self {
        let tuning = search.index.tuning();
        let bounds = Bounds::shifted(tuning);
        cap_confidence(&mut hits);
        hits.truncate(limit.max(1));
        let confidence = hits.first().map_or(0, |hit| hit.confidence);
        let level = bounds.level(confidence);
        Self {
            level,
            confidence,
            reason: reason(level, hits.first(), search, total),
            total,
            searched: search.index.len(),
            bounds,
            most_records: MAX_RECORDS
                .min(limit.max(1))
                .saturating_sub(tuning.fewer_records)
                .max(1),
            hits,
        }
    }

    /// Returns the level of a confidence from another source, by the same thresholds.
    #[must_use]
    pub fn level_of(&self, confidence: u32) -> Level {
        self.bounds.level(confidence)
    }
}

/// Limits all confidences to that of the first hit. A hit with a single rare word may look certain
/// on its own, but cannot be more certain than a hit that ranks above it.
fn cap_confidence(hits: &mut [Hit]) {
    let limit = hits.first().map_or(0, |first| first.confidence);
    for hit in hits {
        hit.confidence = hit.confidence.min(limit);
    }
}

/// Explains the level, preferably with the ID of the first hit.
fn reason(level: Level, first: Option<&Hit>, search: &Search<'_>, total: usize) -> String {
    let (has_words, index) = (!search.query.words.is_empty(), search.index);
    let Some(hit) = first.filter(|_| has_words && !index.is_empty()) else {
        let reason = if !has_words {
            "the question has no word that names a subject"
        } else if index.is_empty() {
            "nothing is remembered yet"
        } else if total > 0 {
            "only superseded or archived records have its words"
        } else {
            "the memory has none of its words"
        };
        return reason.to_owned();
    };
    let (id, words) = (&hit.id, hit.has());
    match level {
        Level::None => "no single record has enough of its words".to_owned(),
        Level::Weak if words.is_empty() => {
            format!("feedback leads from a question like it to `{id}`")
        }
        Level::Strong if words.is_empty() => {
            format!("feedback leads from this question to `{id}`")
        }
        _ => hit.succession().unwrap_or_else(|| match level {
            Level::Strong => format!("`{id}` has: {words}"),
            _ => format!("`{id}` has some of its words: {words}"),
        }),
    }
}
