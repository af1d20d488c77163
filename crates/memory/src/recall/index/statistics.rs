//! Statistics over all entries of an index.

use windlass_search::average_length;

use super::layers::Layers;
use crate::recall::{BODY, FIELDS};

/// The statistics needed by BM25: the number of entries and the average lengths of their fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statistics {
    pub(crate) entries: usize,
    /// Average length of each field in terms. For the body, it's the average length of a passage.
    pub(crate) average_lengths: [f64; FIELDS],
}

impl Statistics {
    /// Computes the statistics over both layers.
    pub(super) fn of(layers: &Layers) -> Self {
        let base = &layers.base;
        let (mut totals, mut entries) = (base.totals, base.len());
        let mut more_passages = base.more_passages;
        if let Some(changes) = &layers.changes {
            for removed in &changes.removed {
                let Some(stats) = base.stats(*removed) else {
                    continue;
                };
                for (total, length) in totals.iter_mut().zip(stats.lengths) {
                    *total = total.saturating_sub(u64::from(length));
                }
                let more = stats.passages.len().saturating_sub(1) as u64;
                more_passages = more_passages.saturating_sub(more);
            }
            for (total, own) in totals.iter_mut().zip(changes.segment.totals) {
                *total = total.saturating_add(own);
            }
            more_passages = more_passages.saturating_add(changes.segment.more_passages);
            entries = entries - changes.removed.len() + changes.segment.len();
        }
        #[expect(clippy::cast_precision_loss, reason = "a sum of lengths")]
        let average_lengths = std::array::from_fn(|field| {
            let more = if field == BODY { more_passages } else { 0 };
            let more = usize::try_from(more).unwrap_or(usize::MAX);
            average_length(totals[field] as f64, entries.max(1).saturating_add(more))
        });
        Self {
            entries,
            average_lengths,
        }
    }
}
