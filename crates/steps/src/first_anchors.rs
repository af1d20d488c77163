use windlass_base::{NextAction, RepoPath};
use windlass_notebook::{SHARED_ANCHORS, SharedAnchors};
use windlass_repo::{Refusal, Snapshot};

use crate::services::SharedNotebook;

/// Returns the call that imports the repository's anchors.
pub(crate) fn import() -> NextAction {
    NextAction::new(
        "notebook import",
        "import the anchors shared in the repository",
    )
}

/// Reads the shared anchors of the repository; returns `None` if there is no such file.
///
/// # Errors
/// If the file must not be read, or is damaged; as a message.
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

/// Returns the call that saves the first anchors, if the notebook has none. It does not check for suggestions,
/// which would take longer than a run; the call itself reports that there are none.
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
