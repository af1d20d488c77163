use windlass_base::{NextAction, RepoPath};
use windlass_notebook::{SHARED_ANCHORS, SharedAnchors};
use windlass_repo::{Refusal, Snapshot};

use crate::services::SharedNotebook;

/// The call that imports the repository's anchors.
pub(crate) fn import() -> NextAction {
    NextAction::new(
        "notebook import",
        "take over the anchors that others handed over",
    )
}

/// The anchors that the repository hands over; nothing where there is no such file.
///
/// # Errors
/// When the file may not be read, or is damaged; in words.
pub(crate) fn shared_anchors(snapshot: &Snapshot) -> Result<Option<SharedAnchors>, String> {
    let file = RepoPath::parse(SHARED_ANCHORS).map_err(|error| error.to_string())?;
    let source = match snapshot.read(&file) {
        Ok(source) => source,
        Err(Refusal::Missing) => return Ok(None),
        Err(refusal) => return Err(format!("`{SHARED_ANCHORS}` cannot be read: {refusal}")),
    };
    let read = SharedAnchors::read(SHARED_ANCHORS, source.bytes());
    read.map(Some)
        .map_err(|_| format!("`{SHARED_ANCHORS}` is damaged"))
}

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
        import()
    } else {
        NextAction::new(
            "notebook apply",
            "save what is suggested for this repository; `windlass notebook suggest` shows it before",
        )
    })
}
