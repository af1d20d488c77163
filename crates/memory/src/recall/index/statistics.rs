use windlass_search::average_length;

use super::segment::Segment;
use crate::recall::{BODY, FIELDS};

/// Statistics of the whole index for BM25.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statistics {
    pub(crate) entries: usize,
    /// Average length by field, in terms. For the body, the average length of a passage.
    pub(crate) average_lengths: [f64; FIELDS],
}

impl Statistics {
    pub(super) fn of(segment: &Segment) -> Self {
        let (facts, entries) = (&segment.facts, segment.len());
        #[expect(clippy::cast_precision_loss, reason = "a sum of lengths")]
        let average_lengths = std::array::from_fn(|field| {
            let more = if field == BODY {
                facts.more_passages
            } else {
                0
            };
            let more = usize::try_from(more).unwrap_or(usize::MAX);
            average_length(
                facts.totals[field] as f64,
                entries.max(1).saturating_add(more),
            )
        });
        Self {
            entries,
            average_lengths,
        }
    }
}
