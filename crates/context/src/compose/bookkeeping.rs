//! Files that change with every task, but do not tell anything about it.

use windlass_base::RepoPath;
use windlass_memory::{FEEDBACK, FOLDER, IMPRESSIONS, INDEX, SUMMARY};

/// True for files of the ledger, which change whenever somebody claims something. The formulas are
/// in the same folder, but they are documents.
pub(super) fn is_ledger(path: &RepoPath) -> bool {
    let rest = path.as_str().strip_prefix(".beads/");
    rest.is_some_and(|rest| !rest.starts_with("formulas/"))
}

/// True for files of the ledger, and for the lists, indexes and events of the memory. Its records
/// get into a pack if they are recalled.
pub(super) fn is_bookkeeping(path: &RepoPath) -> bool {
    let lists = [IMPRESSIONS, FEEDBACK, INDEX, SUMMARY];
    let path_text = path.as_str();
    is_ledger(path) || lists.contains(&path_text) || path_text.starts_with("memory/events/")
}

/// True for all files of the memory, including records.
pub(super) fn is_of_memory(path: &RepoPath) -> bool {
    let rest = path.as_str().strip_prefix(FOLDER);
    rest.is_some_and(|rest| rest.starts_with('/'))
}
