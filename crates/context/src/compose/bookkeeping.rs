//! Bookkeeping files. They change with every task but say nothing about it.

use windlass_base::RepoPath;
use windlass_memory::{FEEDBACK, FOLDER, IMPRESSIONS, INDEX, SUMMARY};

/// True for the ledger's own files, which every claim changes. Formulas are documents, so they do not count.
pub(super) fn is_ledger(path: &RepoPath) -> bool {
    let rest = path.as_str().strip_prefix(".beads/");
    rest.is_some_and(|rest| !rest.starts_with("formulas/"))
}

/// True for files that only record activity: those of the ledger, and the lists, indexes and events of the memory. The
/// records of the memory do not count. They enter a pack by recall.
pub(super) fn is_bookkeeping(path: &RepoPath) -> bool {
    let lists = [IMPRESSIONS, FEEDBACK, INDEX, SUMMARY];
    let path_text = path.as_str();
    is_ledger(path) || lists.contains(&path_text) || path_text.starts_with("memory/events/")
}

/// True if the file is in the folder of the memory.
pub(super) fn is_of_memory(path: &RepoPath) -> bool {
    let rest = path.as_str().strip_prefix(FOLDER);
    rest.is_some_and(|rest| rest.starts_with('/'))
}
