//! Commits that wrote the citations of a document anew, and nothing else in it.
//!
//! Of lines that differ by what they cite alone, as in a list of links, git takes one for another: where each was moved on by as much as
//! lies between them, it says that most of them stayed.

use std::collections::{BTreeMap, BTreeSet};

use windlass_repo::{Git, Snapshot};

use super::Document;
use super::counterparts::{bare_lines, counterparts};
use super::writers::{Writer, is_same};

/// How many commits that touched the document are looked at.
const MAX_COMMITS: u32 = 50;

/// What wrote a citation: a commit, or nothing yet.
pub(super) type WrittenBy = Option<Writer>;

/// The citations of `document`, by their indices, that were written anew by a change that did nothing else, each with the newest one;
/// the document is as it is in the working tree, or at the commit `at`. Nothing where no two of its lines can be taken for one another.
pub(super) fn renumbered(
    git: &Git,
    snapshot: &Snapshot,
    document: &Document,
    at: Option<&str>,
) -> BTreeMap<usize, WrittenBy> {
    let mut found = BTreeMap::new();
    if !has_lines_alike(document) {
        return found;
    }
    let paths = std::slice::from_ref(&document.name);
    let commits = git.log(at, paths, MAX_COMMITS).unwrap_or_default();
    let committed = |id: &str| Document::at(snapshot, id, &document.name);
    if at.is_none()
        && let Some(before) = commits.first().and_then(|newest| committed(&newest.id))
    {
        let changed = written_anew(&before, document).into_iter();
        found.extend(changed.map(|index| (index, None)));
    }
    for commit in &commits {
        let Some(parent) = commit.parents.first() else {
            continue;
        };
        let (Some(before), Some(then)) = (committed(parent), committed(&commit.id)) else {
            continue;
        };
        let changed = written_anew(&before, &then);
        if changed.is_empty() {
            continue;
        }
        let writer = Writer {
            commit: commit.id.clone(),
            is_cut_off: false,
        };
        for (index, old) in counterparts(&then, document) {
            let (now, cited) = (&document.citations[index], &then.citations[old]);
            if changed.contains(&old) && is_same(&then, cited, document, now) {
                found.entry(index).or_insert_with(|| Some(writer.clone()));
            }
        }
    }
    found
}

/// The citations of `now` that say something else than in `before`, if the two differ by citations alone.
fn written_anew(before: &Document, now: &Document) -> BTreeSet<usize> {
    if before.citations.len() != now.citations.len() || bare_lines(before) != bare_lines(now) {
        return BTreeSet::new();
    }
    let pairs = before.citations.iter().zip(&now.citations).enumerate();
    let changed = pairs.filter(|(_, (old, new))| !is_same(before, old, now, new));
    changed.map(|(index, _)| index).collect()
}

/// Whether two lines of `document` are the same but for what they cite.
fn has_lines_alike(document: &Document) -> bool {
    let lines = document.citations.iter().map(|citation| citation.line);
    let lines: BTreeSet<u32> = lines.collect();
    let bare = bare_lines(document);
    let bare = lines.iter().filter_map(|line| bare.get(*line as usize - 1));
    let different: BTreeSet<&String> = bare.collect();
    different.len() < lines.len()
}
