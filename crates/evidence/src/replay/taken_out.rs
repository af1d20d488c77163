//! What the commits that took a text out put in instead.
//!
//! A commit that rewrites a text puts something like it in at the same time. One that takes it out does not, whatever comes
//! to stand there or elsewhere later.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_base::RepoPath;
use windlass_repo::{BlobAt, CommitStep, Snapshot};

use super::contents::{Readable, read};
use super::moves::FileStep;
use super::sweep::MAX_FILES;
use super::{Followed, uncommitted};
use crate::alignment::{Alignment, Part};
use crate::old_text::OldText;
use crate::text::{Range, Text};

/// The most commits that may have taken the text out, one part each.
const MAX_COMMITS: usize = 4;

/// How much of it may have left in commits that are not looked at, as hardly anything left in them, in percent.
const MAX_ASIDE: u32 = 10;

/// The most pairs of lines that are compared.
const MAX_PAIRS: usize = 1_000_000;

/// How much of the text, in percent, is like anything that the commits put in which took it out.
///
/// # Errors
/// Where that cannot be said; in words.
pub(super) fn likeness(
    snapshot: &Snapshot,
    old: &OldText,
    followed: &Followed,
) -> Result<u32, String> {
    let mut most = 0;
    let mut pairs = MAX_PAIRS;
    for (nr, commit) in commits(old, followed)? {
        let step = step(snapshot, old, nr, &commit)?;
        if !step.complete || step.changes.len() > MAX_FILES {
            return Err("one of the commits that took it out cannot be looked at".to_owned());
        }
        for change in &step.changes {
            let Some(to) = &change.to else { continue };
            let text = |at: &BlobAt| match read(snapshot, at) {
                Readable::Text(text) => Ok(Some((at.path.clone(), text))),
                Readable::Binary => Ok(None),
                Readable::No => Err(format!("`{}` cannot be looked at", at.path)),
            };
            let from = change.from.as_ref().map(text).transpose()?.flatten();
            most = most.max(likeness_in(old, from, text(to)?, &mut pairs)?);
        }
    }
    Ok(most)
}

/// The commits that took most of the text out, by number.
fn commits(old: &OldText, followed: &Followed) -> Result<Vec<(u32, String)>, String> {
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
        return Err("it left bit by bit".to_owned());
    }
    let named = lost.into_iter().take(MAX_COMMITS).map(|(nr, _)| {
        let commit = followed.commits.get(&nr)?;
        Some((nr, commit.clone()))
    });
    let named: Option<Vec<(u32, String)>> = named.collect();
    named.ok_or_else(|| "the commits that took it out are not known".to_owned())
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
    let step = snapshot.step_of(commit).map_err(|why| why.to_string())?;
    // Who came in by a merge was compared with that, not with what the merge went on from.
    match nr == 1 && *step.parent != *old.commit {
        true => Err("it came in by a merge that took it out".to_owned()),
        false => Ok(step),
    }
}

/// The same for one file of a commit.
fn likeness_in(
    old: &OldText,
    from: Option<(RepoPath, Arc<Text>)>,
    to: Option<(RepoPath, Arc<Text>)>,
    pairs: &mut usize,
) -> Result<u32, String> {
    let step = FileStep::new(from, to);
    let Some((_, text)) = &step.to else {
        return Ok(0);
    };
    let wanted = old.part();
    let reach = wanted.lines.len() * 2 + 8;
    let (mut most, mut next) = (0, 0);
    for at in (0..text.len()).filter(|at| step.is_added(*at)) {
        if at < next {
            continue;
        }
        next = at + wanted.lines.len();
        let there = Range {
            start: at,
            end: (at + reach).min(text.len()),
        };
        let there = Part { text, lines: there };
        *pairs = pairs
            .checked_sub(wanted.lines.len() * there.lines.len())
            .ok_or("the commits that took it out put too much in")?;
        let alignment = Alignment::of(wanted, there, |at| step.is_added(at));
        most = most.max(alignment.share_of_one(wanted));
    }
    Ok(most)
}
