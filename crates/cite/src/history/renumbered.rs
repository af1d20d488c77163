//! Finds commits that changed nothing in a document but its citations, or moved them below other
//! headings.
//!
//! Lines that only differ in their citations, such as those of a list of links, mislead
//! `git blame`. If the lines cite `a.rs:10`, `a.rs:20` and `a.rs:30` and all of them move by ten,
//! git reports the two lines that occur before and after as unchanged, although each of them now
//! refers to other text.

use std::collections::{BTreeMap, BTreeSet};

use crate::scanner::Citation;
use windlass_repo::{Git, Snapshot};

use super::counterparts::{bare_lines, counterparts};
use super::renamed_files::{file_at, follows_its_file};
use super::same_citations::is_same;
use super::sentences::line_above;
use super::writer::Writer;
use crate::cited_document::Document;
use crate::params::MAX_COMMITS;

/// The commit that wrote a citation, or `None` for an uncommitted change.
pub(super) type WrittenBy = Option<Writer>;

/// Finds the citations of `document` that were rewritten by a change to nothing but citations, by
/// index, each with the newest such commit. `at` is the commit of this state, or `None` for the
/// working tree. If no two of its lines can be confused, the result is empty and git isn't called.
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
    let commits = git
        .commits()
        .log(at, paths, MAX_COMMITS)
        .unwrap_or_default();
    let committed = |id: &str| Document::at(snapshot, id, &document.name);
    // The uncommitted changes come first, because they're the newest.
    if at.is_none()
        && let Some(before) = commits.first().and_then(|newest| committed(&newest.id))
    {
        let changed = rewritten_citations(snapshot, None, &before, document).into_iter();
        found.extend(changed.map(|index| (index, None)));
    }
    for commit in &commits {
        let Some(parent) = commit.parents.first() else {
            continue;
        };
        let (Some(before), Some(then)) = (committed(parent), committed(&commit.id)) else {
            continue;
        };
        let changed = rewritten_citations(snapshot, Some(&commit.id), &before, &then);
        if changed.is_empty() {
            continue;
        }
        // Find these citations in the present document, unless a newer commit rewrote them again.
        for (index, old) in counterparts(&then, document) {
            let (now, cited) = (&document.citations[index], &then.citations[old]);
            if !changed.contains(&old) || found.contains_key(&index) {
                continue;
            }
            let writer = |renamed_from| Writer {
                commit: commit.id.clone(),
                is_cut_off: false,
                renamed_from,
            };
            if is_same(&then, cited, document, now) {
                found.insert(index, Some(writer(None)));
            } else if cited.lines == now.lines && then.shown(cited) == document.shown(now) {
                // Take the path from this commit. A later update of just the path doesn't count as
                // writing the citation.
                let file = file_at(snapshot, Some(&commit.id), &then, cited);
                found.extend(file.map(|file| (index, Some(writer(Some(file))))));
            }
        }
    }
    found
}

/// Finds the citations in `now` rewritten since `before`, by index.
///
/// If the documents differ in more than their citations, only those moved below another heading
/// count. `now` is the state at `commit`, or in the working tree for `None`.
fn rewritten_citations(
    snapshot: &Snapshot,
    commit: Option<&str>,
    before: &Document,
    now: &Document,
) -> BTreeSet<usize> {
    let (old_bare, new_bare) = (bare_lines(before), bare_lines(now));
    if before.citations.len() != now.citations.len() || old_bare != new_bare {
        return below_other_words(before, now, &new_bare);
    }
    let pairs = before.citations.iter().zip(&now.citations).enumerate();
    let stayed = |old, new| {
        is_same(before, old, now, new)
            || follows_its_file(snapshot, commit, (before, old), (now, new))
    };
    let changed = pairs.filter(|(_, (old, new))| !stayed(old, new));
    changed.map(|(index, _)| index).collect()
}

/// Finds the citations in `now` that were below another heading in `before`, by index.
///
/// Only considers lines that can be confused (`bare` lists them without citations). A renamed
/// heading isn't a new one, so the new heading must have existed before, or the old one must still
/// exist.
fn below_other_words(before: &Document, now: &Document, bare: &[String]) -> BTreeSet<usize> {
    let mut alike: BTreeMap<&String, BTreeSet<u32>> = BTreeMap::new();
    for citation in &now.citations {
        if let Some(line) = bare.get(citation.line as usize - 1) {
            alike.entry(line).or_default().insert(citation.line);
        }
    }
    let mut old: BTreeMap<&str, Vec<&Citation>> = BTreeMap::new();
    for citation in &before.citations {
        let line = old.entry(before.line_of(citation)).or_default();
        line.push(citation);
    }
    let had: BTreeSet<&str> = before.text.lines().map(str::trim_end).collect();
    let has: BTreeSet<&str> = now.text.lines().map(str::trim_end).collect();
    let is_anew = |citation: &Citation| {
        let line = bare.get(citation.line as usize - 1);
        let is_alike = line.is_some_and(|line| alike[line].len() > 1);
        let Some(own) = line_above(now, citation).filter(|_| is_alike) else {
            return false;
        };
        let same = old.get(now.line_of(citation)).into_iter().flatten();
        let same = same.filter(|old| is_same(before, old, now, citation));
        let above = same.map(|old| line_above(before, old));
        let above: Vec<Option<&str>> = above.collect();
        let others_stay = || {
            let mut above = above.iter();
            above.all(|line| line.is_some_and(|line| has.contains(line)))
        };
        !above.is_empty() && !above.contains(&Some(own)) && (had.contains(own) || others_stay())
    };
    let citations = now.citations.iter().enumerate();
    citations
        .filter(|(_, citation)| is_anew(citation))
        .map(|(index, _)| index)
        .collect()
}

/// Returns true if two lines of `document` only differ in their citations.
fn has_lines_alike(document: &Document) -> bool {
    let lines = document.citations.iter().map(|citation| citation.line);
    let lines: BTreeSet<u32> = lines.collect();
    let bare = bare_lines(document);
    let bare = lines.iter().filter_map(|line| bare.get(*line as usize - 1));
    let different: BTreeSet<&String> = bare.collect();
    different.len() < lines.len()
}
