//! The result of a search, with its level of confidence and the reason for it.

use std::cmp::Reverse;

use super::hit::Hit;
use super::level::{Bounds, Level};
use super::search::Search;

/// Maximum number of records to load for a question.
const MAX_RECORDS: usize = 3;

/// The hits for a question, best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    /// The best hit's level.
    pub level: Level,
    /// Confidence in the best hit, in thousandths.
    pub confidence: u32,
    /// Reason for the level, as a sentence for the user.
    pub reason: String,
    /// Hits, best first.
    pub hits: Vec<Hit>,
    /// Number of entries that contain a question word or were pulled in by feedback.
    pub total: usize,
    /// Number of entries in the index.
    pub searched: usize,
    /// Maximum number of records that a caller should load.
    pub most_records: usize,
    /// The lower bounds of the levels, after feedback.
    pub(super) bounds: Bounds,
}

impl Ranking {
    /// Creates a ranking of at most `limit` hits. `hits` must be sorted by score, and `total` is
    /// the number of matching entries.
    pub(super) fn of(search: &Search<'_>, total: usize, mut hits: Vec<Hit>, limit: usize) -> Self {
        let tuning = search.index.tuning();
        let bounds = Bounds::shifted(tuning);
        move_most_certain_first(&mut hits, bounds);
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

    /// Returns the level of a confidence computed for another source, using this ranking's bounds.
    #[must_use]
    pub fn level_of(&self, confidence: u32) -> Level {
        self.bounds.level(confidence)
    }
}

/// Moves the most certain hit to the front if it has more distinctive words than the first and a
/// higher level. A short record with one word may outscore a long record with all of them.
fn move_most_certain_first(hits: &mut [Hit], bounds: Bounds) {
    let Some(first) = hits.first() else {
        return;
    };
    let has_more = |(_, hit): &(usize, &Hit)| hit.distinctive > first.distinctive;
    let more = hits.iter().enumerate().filter(has_more);
    let most_certain = more.max_by_key(|(at, hit)| (hit.confidence, Reverse(*at)));
    if let Some((at, hit)) = most_certain
        && bounds.level(hit.confidence) > bounds.level(first.confidence)
    {
        hits[..=at].rotate_right(1);
    }
}

/// Caps each confidence at that of the first hit. A hit with one rare word may look certain on its
/// own, but not below a better hit.
fn cap_confidence(hits: &mut [Hit]) {
    let limit = hits.first().map_or(0, |first| first.confidence);
    for hit in hits {
        hit.confidence = hit.confidence.min(limit);
    }
}

/// Returns the reason for `level`, naming the first hit where possible.
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
