use windlass_base::{Cancel, Item, in_parallel};
use windlass_repo::Snapshot;

use crate::{Anchor, NotebookError};

/// Number of anchors in one unit of work.
const PIECE: usize = 25;

/// Judges `anchors` in `snapshot` and returns the result of `told` for each anchor and its item, in their
/// order.
///
/// The number of threads does not change the result.
///
/// # Errors
/// [`NotebookError::Stopped`] if `cancel` was raised before all were judged.
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
    // Anchors of one file stay on one thread: the changes of the file are computed once for all of them.
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
