use windlass_base::{Cancel, Item, in_parallel};
use windlass_repo::Snapshot;

use crate::{Anchor, NotebookError};

/// Anchors that a thread judges at a time.
const PIECE: usize = 100;

/// Judges `anchors` in the state of the files that `snapshot` holds, and gives what `told` makes of each and its item,
/// in their order.
///
/// As many threads work on it as the repository may use and there are pieces of work; the answer does not depend
/// on how many.
///
/// # Errors
/// [`NotebookError::Stopped`] when `cancel` was raised before all were judged.
pub fn judge_all<T: Send>(
    anchors: &[&Anchor],
    snapshot: &Snapshot,
    cancel: &Cancel,
    told: impl Fn(&Anchor, Item) -> T + Sync,
) -> Result<Vec<T>, NotebookError> {
    let judge = |anchor: &&Anchor| {
        if cancel.is_cancelled() {
            return Err(NotebookError::Stopped);
        }
        Ok(told(anchor, anchor.judged(snapshot)))
    };
    let runs = in_parallel(anchors, snapshot.repo().threads(), PIECE, |run| {
        run.iter().map(judge).collect::<Result<Vec<T>, _>>()
    });
    let mut items = Vec::with_capacity(anchors.len());
    for run in runs {
        items.extend(run?);
    }
    Ok(items)
}
