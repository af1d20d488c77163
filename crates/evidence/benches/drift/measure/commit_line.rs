//! The line of commits that lines are followed along.

use std::path::Path;

use super::edits::Error;
use super::edits::git::{git, text};

/// Sees to it that the first parents of `new` lead to `old`, in a clone of the zoo's own: git's tracking follows them from one to the other.
///
/// A tag on a branch that was merged, or was never, is not on that line. The first commit on it that has `old` among those before it, or
/// the first of those that `old` has not, then gets `old` as its parent, which no other program hears of: what it changed is what differs
/// between the two.
///
/// # Errors
/// Returns an error if there is no way from `old` to `new`: it is the same, or comes after it.
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
        // Once it is among those before, it stays so.
        true => line.partition_point(|commit| !comes_after(commit)),
        false => 0,
    };
    let joined = line.get(at).copied().unwrap_or(first);
    git(dir, &["replace", "--graft", joined, old]).map(drop)
}
