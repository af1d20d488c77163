use windlass_base::{Cancel, Item, in_parallel};
use windlass_repo::Snapshot;

use crate::{Anchor, NotebookError};

/// Number of anchors judged by a thread at a time.
const PIECE: usize = 25;

/// Judges `anchors` in `snapshot` and converts each result with `told`. The results are in the
/// order of `anchors`, regardless of the number of threads.
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
    // Keep anchors in the same file on one thread, so that we compute the file's changes only once.
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
