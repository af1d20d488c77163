//! Judges many anchors at once, on several threads.

use windlass_base::{Cancel, Item, in_parallel};
use windlass_repo::Snapshot;

use crate::{Anchor, NotebookError};

const PIECE: usize = 25;

/// Judges `anchors` in `snapshot`, and converts each result with `told`. The results are in the
/// order of `anchors`, however many threads there are.
///
/// # Errors
/// Returns [`NotebookError::Stopped`] if `cancel` was raised before all anchors were judged.
pub fn judge_all<T: Send>(
    anchors: &[&Anchor],
    snapshot: &Snapshot,
    cancel: &Cancel,
    told: impl Fn(&Anchor, Item) -> T + Sync,
) -> Result<Vec<T>, NotebookError> {
    let judge = |anchor: &Anchor| {
        if cancel.is_cancelled() {
            return Err(NotebookError::Stopped);
        }
        Ok(told(anchor, anchor.judged(snapshot)))
    };
    // A thread computes the changes of a file just once. Sort the anchors by file, so that those of
    // the same file usually end up on the same thread.
    let mut by_file: Vec<(usize, &Anchor)> = anchors.iter().copied().enumerate().collect();
    by_file.sort_by_key(|(_, anchor)| anchor.evidence.first().map(|at| &at.file));
    let runs = in_parallel(&by_file, snapshot.repo().threads(), PIECE, |run| {
        let judged = run.iter().map(|(nr, anchor)| Ok((*nr, judge(anchor)?)));
        judged.collect::<Result<Vec<(usize, T)>, NotebookError>>()
    });
    let mut items = Vec::with_capacity(anchors.len());
    for run in runs {
        items.extend(run?);
    }
    items.sort_unstable_by_key(|(nr, _)| *nr);
    Ok(items.into_iter().map(|(_, item)| item).collect())
}
