use windlass_base::{NextAction, RepoPath};
use windlass_notebook::shared::SHARED_ANCHORS;
use windlass_repo::Snapshot;

use crate::SharedNotebook;

/// The one call that saves the first anchors, where none are saved at all and they might be. Whether there is anything
/// to suggest is not found out, which would take longer than a run; where there is not, the call says so.
#[must_use]
pub fn first_anchors(notebook: &SharedNotebook, snapshot: &Snapshot) -> Option<NextAction> {
    if !notebook.is_enabled() {
        return None;
    }
    let read = notebook.get().ok()?;
    if read.anchors().len() > 0 || !read.damage().is_empty() {
        return None;
    }
    let handed_over =
        RepoPath::parse(SHARED_ANCHORS).is_ok_and(|file| snapshot.read(&file).is_ok());
    Some(if handed_over {
        NextAction::new(
            "notebook import",
            "take over the anchors that others handed over",
        )
    } else {
        NextAction::new(
            "notebook apply",
            "save what is suggested for this repository; `windlass notebook suggest` shows it before",
        )
    })
}
