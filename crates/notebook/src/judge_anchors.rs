use windlass_base::{Cancel, Item, in_parallel};
use windlass_repo::Snapshot;

use crate::{Anchor, NotebookError};

/// Anchors that a thread judges at a time.
const PIECE: usize = 25;

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
    let judge = |anchor: &Anchor| {
        if cancel.is_cancelled() {
            return Err(NotebookError::Stopped);
        }
        Ok(told(anchor, anchor.judged(snapshot)))
    };
    // Those of one file by one thread, one after the other: what became of the file is worked out for all of them.
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
