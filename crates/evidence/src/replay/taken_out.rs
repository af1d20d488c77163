//! Checks which lines were added by the commits that removed a text.
//!
//! A commit that rewrites a text adds similar lines at the same time, whereas one that deletes it
//! usually does not. Only these commits count. Similar lines that a later commit adds are not a
//! successor of the text.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_base::{RepoPath, is_on};
use windlass_repo::{CommitStep, Snapshot};

use super::commit_files::{CommitFiles, files_of};
use super::file_steps::{FileStep, Side};
use super::successors::{Shares, Successors};
use super::{Followed, uncommitted};
use crate::old_text::OldText;
use crate::other_forms::is_packed;
use crate::params;
use crate::vestige::may_be_in;

/// Returns how much of the text was added again by the commits that removed it. That may be up to
/// `limit` percent.
///
/// # Errors
/// Returns the reason if something that they added may be the text, or if this is unknown.
pub(super) fn added_again(
    snapshot: &Snapshot,
    old: &OldText,
    followed: &Followed,
    limit: u32,
) -> Result<Shares, String> {
    let mut successors = Successors::new(old, limit);
    for (nr, commit) in commits(old, followed)? {
        let step = step(snapshot, old, nr, &commit)?;
        let files = files_of(snapshot, &step)?;
        if is_on("evidence.without_lines") {
            for (path, source) in &files.without_lines {
                if is_packed(source.bytes()) {
                    return Err(format!("`{path}` may have it, and is compressed"));
                }
                if may_be_in(old, source) {
                    return Err(format!(
                        "`{path}` has lines of it, but is no text to compare"
                    ));
                }
            }
        }
        if let Some(path) = files.unread.first() {
            return Err(format!("`{path}` may have it, and cannot be read"));
        }
        for step in &files.steps {
            successors.rule_out(step, &commit)?;
        }
    }
    Ok(successors.most)
}

/// Returns true if a commit removed or edited lines of the text while its file had another copy of
/// all of it, which remained. That copy is newer than the capture and may be what is left of the
/// text.
pub(super) fn was_lost_beside_a_copy(
    snapshot: &Snapshot,
    old: &OldText,
    followed: &Followed,
) -> bool {
    let captured = old.text.places_of(old.keys(), params::MAX_LOCATIONS).len();
    let count = |side: Option<&Side>| {
        side.map_or(0, |(_, text)| {
            text.places_of(old.keys(), params::MAX_LOCATIONS).len()
        })
    };
    let was_left =
        |step: &Arc<FileStep>| count(step.from.as_ref()) > captured && count(step.to.as_ref()) > 0;
    let mut commits = commits_that_changed(snapshot, old, followed);
    commits.any(|files| files.steps.iter().any(was_left))
}

/// Returns the files to which a commit that changed lines of the text added all of it, including
/// files that it renamed.
pub(super) fn files_with_all_of_it(
    snapshot: &Snapshot,
    old: &OldText,
    followed: &Followed,
) -> BTreeSet<RepoPath> {
    let has_it = |step: &&Arc<FileStep>| {
        let Some((path, text)) = &step.to else {
            return false;
        };
        let is_renamed = step.from.as_ref().is_some_and(|(from, _)| from != path);
        let starts = text
            .places_of(old.keys(), params::MAX_LOCATIONS)
            .into_iter();
        let mut lines = starts.flat_map(|start| start..start + old.lines.len());
        lines.any(|at| (is_renamed || step.is_added(at)) && !text.is_trivial(at))
    };
    let mut found = BTreeSet::new();
    for files in commits_that_changed(snapshot, old, followed) {
        let with_it = files.steps.iter().filter(has_it);
        found.extend(with_it.filter_map(|step| Some(step.to.as_ref()?.0.clone())));
    }
    found
}

/// Returns the changes of the first [`params::MAX_LOCATIONS`] commits that removed or edited lines
/// of the text. Unreadable commits are skipped.
fn commits_that_changed<'a>(
    snapshot: &'a Snapshot,
    old: &'a OldText,
    followed: &'a Followed,
) -> impl Iterator<Item = Arc<CommitFiles>> + 'a {
    let changed = followed
        .lines
        .iter()
        .filter(|line| line.at.is_none() || !line.is_same());
    let numbers: BTreeSet<u32> = changed.map(|line| line.when).collect();
    let commits = numbers
        .into_iter()
        .filter_map(|nr| Some((nr, followed.commits.get(&nr)?)));
    commits
        .take(params::MAX_LOCATIONS)
        .filter_map(|(nr, commit)| {
            let step = step(snapshot, old, nr, commit).ok()?;
            files_of(snapshot, &step).ok()
        })
}

/// Returns the commits that removed most of the text, with their numbers in the track.
///
/// # Errors
/// Returns the reason if there are too many, or if one is unknown.
fn commits(old: &OldText, followed: &Followed) -> Result<Vec<(u32, String)>, String> {
    let mut lost: BTreeMap<u32, u32> = BTreeMap::new();
    for (at, line) in (old.lines.start..).zip(&followed.lines) {
        if line.at.is_none() {
            *lost.entry(line.when).or_default() += old.text.weight(at);
        }
    }
    let mut lost: Vec<(u32, u32)> = lost.into_iter().collect();
    lost.sort_by_key(|(nr, weight)| (std::cmp::Reverse(*weight), *nr));
    // The commits that we don't look at may only have removed a negligible share. Otherwise, a
    // successor could be among their lines.
    let aside: u32 = lost
        .iter()
        .skip(params::MAX_LOCATIONS)
        .map(|(_, weight)| weight)
        .sum();
    if lost.is_empty() || old.percent(aside) > params::NEGLIGIBLE {
        return Err("it left bit by bit".to_owned());
    }
    let named = lost.into_iter().take(params::MAX_LOCATIONS).map(|(nr, _)| {
        let commit = followed.commits.get(&nr)?;
        Some((nr, commit.clone()))
    });
    let named: Option<Vec<(u32, String)>> = named.collect();
    let unknown = || "the commits that took it out are not known".to_owned();
    named.ok_or_else(unknown)
}

fn step(
    snapshot: &Snapshot,
    old: &OldText,
    nr: u32,
    commit: &str,
) -> Result<Arc<CommitStep>, String> {
    if commit.is_empty() {
        let step = uncommitted(snapshot).ok_or("git cannot say what is not committed")?;
        return Ok(Arc::new(step));
    }
    let step = snapshot
        .history()
        .step_of(commit)
        .map_err(|why| why.to_string())?;
    // The step compares the merged branch with the merge, not the first parent, so it does not show
    // which commit removed the text.
    match nr == 1 && *step.parent != *old.commit {
        true => Err("it came in by a merge that took it out".to_owned()),
        false => Ok(step),
    }
}
