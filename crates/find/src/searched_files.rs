//! Where answers are looked for.

use windlass_base::RepoPath;
use windlass_repo::ListQuery;

/// What tools keep for themselves: the words of anchors, of what is to be done, of what was asked, and programs of others. What is
/// meant by them stands elsewhere.
const KEPT_BY_TOOLS: [&str; 3] = [".beads", ".windlass", ".yarn"];

/// The files below `paths`, or all, in which something may stand that somebody asks for: in hidden folders as in others, since what
/// builds and tests a project is said there. What git ignores is none, nor what tools keep for themselves, unless it is named.
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
