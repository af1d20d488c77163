//! Bookkeeping files, which change with every task but say nothing about it.

use windlass_base::RepoPath;
use windlass_memory::{FEEDBACK, FOLDER, IMPRESSIONS, INDEX, SUMMARY};

/// Returns true for the ledger's own files, which change with every claim. Formulas don't count,
/// because they are documents.
pub(super) fn is_ledger(path: &RepoPath) -> bool {
    let rest = path.as_str().strip_prefix(".beads/");
    rest.is_some_and(|rest| !rest.starts_with("formulas/"))
}

/// Returns true for files that only record activity: the ledger's own, and the memory's lists,
/// indexes and events. The memory's records don't count, since they enter a pack by recall.
pub(super) fn is_bookkeeping(path: &RepoPath) -> bool {
    let lists = [IMPRESSIONS, FEEDBACK, INDEX, SUMMARY];
    let path_text = path.as_str();
    is_ledger(path) || lists.contains(&path_text) || path_text.starts_with("memory/events/")
}

/// Returns true if the file is in the memory's folder.
pub(super) fn is_of_memory(path: &RepoPath) -> bool {
    let rest = path.as_str().strip_prefix(FOLDER);
    rest.is_some_and(|rest| rest.starts_with('/'))
}
