//! Suggestions for a repository in which no anchors are saved yet.

use windlass_base::{NextAction, RepoPath};
use windlass_notebook::{Notebook, SHARED_ANCHORS, SharedAnchors};
use windlass_repo::{Refusal, Snapshot};

use crate::services::SharedNotebook;

pub(crate) fn import() -> NextAction {
    NextAction::new(
        "notebook import",
        "import the anchors shared in the repository",
    )
}

/// Reads the repository's shared anchors, or returns `None` if it doesn't share any. The error says
/// why they can't be read.
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

/// True if the notebook has no anchors. If it's damaged, we don't know that, since the lost entries
/// may have been anchors.
pub(crate) fn lacks_anchors(notebook: &SharedNotebook) -> bool {
    let is_empty = |read: &Notebook| read.anchors().len() == 0 && read.damage().is_empty();
    notebook.is_enabled() && notebook.get().is_ok_and(|read| is_empty(&read))
}

/// Suggests a call that saves a notebook's first anchors: `notebook import` if the repository
/// shares anchors, or otherwise the call that lists suggestions.
///
/// Returns `None` if the notebook already has anchors, or if the user has declined suggestions.
/// Whether there are any suggestions isn't checked, because that may require reading all files.
#[must_use]
pub fn first_anchors(notebook: &SharedNotebook, snapshot: &Snapshot) -> Option<NextAction> {
    let read = notebook.get().ok().filter(|_| lacks_anchors(notebook))?;
    let handed_over =
        RepoPath::parse(SHARED_ANCHORS).is_ok_and(|file| snapshot.read(&file).is_ok());
    if handed_over {
        return Some(import());
    }
    read.declined().is_empty().then(|| {
        NextAction::new(
            "suggest",
            "look for lines worth saving as the first anchors",
        )
    })
}
