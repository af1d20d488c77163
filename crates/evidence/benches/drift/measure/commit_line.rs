//! First-parent line of commits along which git tracks lines.

use std::path::Path;

use super::edits::Error;
use super::edits::git::{git, text};

/// Ensures that the first parents of `new` lead to `old`, because git's tracking follows them. The
/// clone in `dir` is changed for this.
///
/// A tag may be on a branch that was merged or never merged, and then it is not on that line. In
/// this case, `old` becomes the parent of a commit on the line. This is the first commit that has
/// `old` among its ancestors or, if there is none, the first that `old` does not have among its
/// own. The changes of that commit are then all differences between the two states. Only git's
/// replacement in this clone records the new parent.
///
/// # Errors
/// Returns an error if there is no way from `old` to `new`, because they are the same commit or
/// `old` is newer.
pub(super) fn follow(dir: &Path, (old, new): (&str, &str)) -> Result<(), Error> {
    let range = format!("{old}..{new}");
    let line = git(dir, &["rev-list", "--first-parent", "--reverse", &range])?;
    let line = String::from_utf8_lossy(&line).into_owned();
    let line: Vec<&str> = line.lines().collect();
    let Some(first) = line.first() else {
        let message = format!("no commit lies between `{old}` and `{new}`, in this order");
        return Err(message.into());
    };
    let parent = text(dir, &["rev-parse", "--verify", "-q", &format!("{first}^1")]);
    if parent.is_ok_and(|parent| parent == old) {
        return Ok(());
    }
    let comes_after = |commit: &str| {
        let asked = ["merge-base", "--is-ancestor", old, commit];
        git(dir, &asked).is_ok()
    };
    let at = match comes_after(new) {
        // All commits after the first one that has `old` as an ancestor also have it.
        true => line.partition_point(|commit| !comes_after(commit)),
        false => 0,
    };
    let joined = line.get(at).copied().unwrap_or(first);
    git(dir, &["replace", "--graft", joined, old]).map(drop)
}
