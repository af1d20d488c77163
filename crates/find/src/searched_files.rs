//! Selects the files to search.

use windlass_base::RepoPath;
use windlass_repo::ListQuery;

/// Folders where tools keep their own data: anchors, tasks, earlier questions and vendored
/// programs. That data describes code elsewhere, and would push the code itself out of the results.
const KEPT_BY_TOOLS: [&str; 3] = [".beads", ".windlass", ".yarn"];

/// Returns the query for all searchable files below `paths`, or in the whole repository if `paths`
/// is empty. Hidden folders are included, since they configure builds and tests. Ignored files are
/// excluded. So are the folders in `KEPT_BY_TOOLS`, unless they are named by one of `paths`.
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
