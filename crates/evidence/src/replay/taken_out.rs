//! Lines that were added by the commits that removed a text.
//!
//! A commit that rewrites a text adds similar lines at the same time, and a commit that deletes it does not. Later
//! additions do not matter.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_base::{RepoPath, is_on};
use windlass_repo::{CommitStep, Snapshot};

use super::commit_files::{CommitFiles, files_of};
use super::file_steps::{FileStep, Side};
use super::heirs::{Heir, Looking, PutIn, Shares, replaced_one_to_one};
use super::{Followed, uncommitted};
use crate::in_file::MAX_COPIES;
use crate::old_text::OldText;
use crate::reshaped::is_packed;
use crate::text::Text;
use crate::vestige::may_be_in;

/// Maximum number of commits to inspect. Each of them removed a part of the text.
const MAX_COMMITS: usize = 4;

/// Maximum share of the text, in percent, that may have been removed by commits that are not inspected. Each of them
/// removed hardly any of it.
const MAX_ASIDE: u32 = 10;

/// Returns the lines that were added by the commits that removed the text. Those that have more than `limits` of it may
/// be its successors.
///
/// # Errors
/// Returns the reason if the commits cannot be inspected.
pub(super) fn put_in(
    snapshot: &Snapshot,
    old: &OldText,
    followed: &Followed,
    limits: Shares,
) -> Result<PutIn, String> {
    let mut looking = Looking::new(old, limits);
    let Some(commits) = commits(old, followed)? else {
        looking.found.more = Some("it left bit by bit".to_owned());
        return Ok(looking.found);
    };
    for (nr, commit) in commits {
        let step = step(snapshot, old, nr, &commit)?;
        let files = files_of(snapshot, &step)?;
        for (path, source) in files
            .without_lines
            .iter()
            .filter(|_| is_on("evidence.without_lines"))
        {
            if is_packed(source.bytes()) {
                let more = format!("`{path}` may have it, and nobody can look into that");
                looking.found.more = Some(more);
            } else if may_be_in(old, source) {
                let more = format!("`{path}` has lines of it, but is no text to compare");
                looking.found.more = Some(more);
            }
        }
        if let Some(path) = files.unread.first() {
            looking.found.more = Some(format!("`{path}` may have it, and cannot be looked at"));
        }
        for step in &files.steps {
            looking.look_at(step, &commit)?;
        }
    }
    Ok(looking.found)
}

/// Returns the files that were added by the commits that removed the text. The result is empty if these commits are
/// unknown.
pub(super) fn files_added(
    snapshot: &Snapshot,
    old: &OldText,
    followed: &Followed,
) -> Vec<(RepoPath, Arc<Text>)> {
    let mut added = Vec::new();
    for (nr, commit) in commits(old, followed).ok().flatten().unwrap_or_default() {
        let files = step(snapshot, old, nr, &commit).and_then(|step| files_of(snapshot, &step));
        let steps = files.iter().flat_map(|files| &files.steps);
        let new = steps.filter(|step| step.from.is_none());
        added.extend(new.filter_map(|step| step.to.clone()));
    }
    added
}

/// Returns the lines with which the commits that removed the text replaced it one for one. The result is empty if these
/// commits are unknown.
pub(super) fn put_in_place(snapshot: &Snapshot, old: &OldText, followed: &Followed) -> Vec<Heir> {
    let mut found = Vec::new();
    for (nr, commit) in commits(old, followed).ok().flatten().unwrap_or_default() {
        let files = step(snapshot, old, nr, &commit).and_then(|step| files_of(snapshot, &step));
        for step in files.iter().flat_map(|files| &files.steps) {
            let (Some(lines), Some((file, text))) = (replaced_one_to_one(old, step), &step.to)
            else {
                continue;
            };
            found.push(Heir {
                file: file.clone(),
                text: OldText {
                    text: text.clone(),
                    lines,
                    commit: commit.clone(),
                    blob: None,
                },
            });
        }
    }
    found
}

/// True if a commit removed or edited lines of the text while its file contained another copy of the whole text, which
/// stayed. The copy is newer than the capture and may be what is left of the text.
pub(super) fn was_lost_beside_a_copy(
    snapshot: &Snapshot,
    old: &OldText,
    followed: &Followed,
) -> bool {
    let captured = old.text.places_of(old.keys(), MAX_COPIES).len();
    let count = |side: Option<&Side>| {
        side.map_or(0, |(_, text)| text.places_of(old.keys(), MAX_COPIES).len())
    };
    let was_left =
        |step: &Arc<FileStep>| count(step.from.as_ref()) > captured && count(step.to.as_ref()) > 0;
    let mut commits = commits_that_changed(snapshot, old, followed);
    commits.any(|files| files.steps.iter().any(was_left))
}

/// Returns the files to which a commit that removed or edited lines of the text added all of it, and the files that it
/// renamed.
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
        let starts = text.places_of(old.keys(), MAX_COPIES).into_iter();
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

/// Returns the changes of the first commits that removed or edited lines of the text. Unreadable commits are skipped.
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
    commits.take(MAX_COMMITS).filter_map(|(nr, commit)| {
        let step = step(snapshot, old, nr, commit).ok()?;
        files_of(snapshot, &step).ok()
    })
}

/// Returns the commits that removed most of the text, by number. Returns `None` if there are too many.
fn commits(old: &OldText, followed: &Followed) -> Result<Option<Vec<(u32, String)>>, String> {
    let mut lost: BTreeMap<u32, u32> = BTreeMap::new();
    for (at, line) in (old.lines.start..).zip(&followed.lines) {
        if line.at.is_none() {
            *lost.entry(line.when).or_default() += old.text.weight(at);
        }
    }
    let mut lost: Vec<(u32, u32)> = lost.into_iter().collect();
    lost.sort_by_key(|(nr, weight)| (std::cmp::Reverse(*weight), *nr));
    let aside: u32 = lost
        .iter()
        .skip(MAX_COMMITS)
        .map(|(_, weight)| weight)
        .sum();
    if lost.is_empty() || old.percent(aside) > MAX_ASIDE {
        return Ok(None);
    }
    let named = lost.into_iter().take(MAX_COMMITS).map(|(nr, _)| {
        let commit = followed.commits.get(&nr)?;
        Some((nr, commit.clone()))
    });
    let named: Option<Vec<(u32, String)>> = named.collect();
    let unknown = || "the commits that took it out are not known".to_owned();
    named.map(Some).ok_or_else(unknown)
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
    // The step compares a merged branch with the merge and not with its first parent, so it does not show which commit
    // removed the text.
    match nr == 1 && *step.parent != *old.commit {
        true => Err("it came in by a merge that took it out".to_owned()),
        false => Ok(step),
    }
}
