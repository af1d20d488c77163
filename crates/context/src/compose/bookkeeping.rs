//! Files that keep account of the work, and tell nothing of it.

use windlass_base::RepoPath;
use windlass_memory::{FEEDBACK, FOLDER, IMPRESSIONS, INDEX, SUMMARY};

/// Whether a file is the ledger's own, which every claim changes: it tells nothing of the work.
pub(super) fn is_ledger(path: &RepoPath) -> bool {
    let rest = path.as_str().strip_prefix(".beads/");
    rest.is_some_and(|rest| !rest.starts_with("formulas/"))
}

/// Whether a file only keeps account of something: it changes with everything, and tells nothing of the work. Of the memory, what
/// leads to records and lists them; what these say is recalled.
pub(super) fn is_bookkeeping(path: &RepoPath) -> bool {
    let lists = [IMPRESSIONS, FEEDBACK, INDEX, SUMMARY];
    let path_text = path.as_str();
    is_ledger(path) || lists.contains(&path_text) || path_text.starts_with("memory/events/")
}

/// Whether a file belongs to the memory.
pub(super) fn is_of_memory(path: &RepoPath) -> bool {
    let rest = path.as_str().strip_prefix(FOLDER);
    rest.is_some_and(|rest| rest.starts_with('/'))
}
