//! Selects the files to search.

use windlass_base::RepoPath;
use windlass_repo::ListQuery;

/// Folders with data of tools: anchors, tasks, earlier questions and vendored programs. This data
/// describes code elsewhere, so it has many words of a question and would push the code itself out
/// of the answer.
const KEPT_BY_TOOLS: [&str; 3] = [".beads", ".windlass", ".yarn"];

/// Makes the query for the files below `paths`, or for the whole repository if there are none.
///
/// This includes hidden folders, since they configure builds and tests, but not ignored files. The
/// data of tools is only searched if one of `paths` names the folder, e.g. `.beads`.
pub fn scope(paths: &[RepoPath]) -> ListQuery {
    let is_named = |folder: &str| {
        let mut parts = paths.iter().flat_map(|path| path.as_str().split('/'));
        parts.any(|part| part == folder)
    };
    let kept = KEPT_BY_TOOLS.iter().filter(|folder| !is_named(folder));
    ListQuery {
        paths: paths.to_vec(),
        globs: kept.map(|folder| format!("!{folder}/")).collect(),
        hidden: true,
        ..ListQuery::default()
    }
}
