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

/// The citations of `document`, by their indices, that were written anew by the newest change that did nothing else; the document is as it
/// is in the working tree, or at the commit `at`. Nothing where no two of its lines can be taken for one another.
pub(super) fn renumbered(
    git: &Git,
    snapshot: &Snapshot,
    document: &Document,
    at: Option<&str>,
) -> BTreeMap<usize, WrittenBy> {
    if !has_lines_alike(document) {
        return BTreeMap::new();
    }
    let paths = std::slice::from_ref(&document.name);
    let commits = git.log(at, paths, MAX_COMMITS).unwrap_or_default();
    if at.is_none()
        && let Some(newest) = commits.first()
        && let Some(before) = Document::at(snapshot, &newest.id, &document.name)
        && let Some(changed) = written_anew(&before, document)
    {
        return changed.into_iter().map(|index| (index, None)).collect();
    }
    for commit in &commits {
        let states = commit.parents.first().and_then(|parent| {
            let before = Document::at(snapshot, parent, &document.name)?;
            Some((before, Document::at(snapshot, &commit.id, &document.name)?))
        });
        let Some((before, then)) = states else {
            continue;
        };
        let Some(changed) = written_anew(&before, &then) else {
            continue;
        };
        let writer = Writer {
            commit: commit.id.clone(),
            is_cut_off: false,
        };
        let since = counterparts(&then, document).into_iter();
        let stayed = since.filter(|(now, old)| {
            let (now, old) = (&document.citations[*now], &then.citations[*old]);
            is_same(&then, old, document, now)
        });
        let own = stayed.filter(|(_, old)| changed.contains(old));
        return own.map(|(now, _)| (now, Some(writer.clone()))).collect();
    }
    BTreeMap::new()
}

/// The citations of `now` that say something else than in `before`, if the two differ by citations alone.
fn written_anew(before: &Document, now: &Document) -> Option<BTreeSet<usize>> {
    if before.citations.len() != now.citations.len() || bare_lines(before) != bare_lines(now) {
        return None;
    }
    let pairs = before.citations.iter().zip(&now.citations).enumerate();
    let changed = pairs.filter(|(_, (old, new))| !is_same(before, old, now, new));
    let changed: BTreeSet<usize> = changed.map(|(index, _)| index).collect();
    (!changed.is_empty()).then_some(changed)
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
