//! Renamed files, and citations with paths updated to the new name.
//!
//! An author who fixes a broken path has not necessarily checked the lines, so the citation still
//! means the same as under the former name.

use crate::scanner::Citation;
use windlass_base::RepoPath;
use windlass_repo::Snapshot;

use crate::cited_document::Document;
use crate::cited_path::candidates;

/// Finds the existing file behind `citation` in `document`, either in `commit` (a full id) or, for
/// `None`, in the working tree.
pub(super) fn file_at(
    snapshot: &Snapshot,
    commit: Option<&str>,
    document: &Document,
    citation: &Citation,
) -> Option<RepoPath> {
    let is_there = |file: &RepoPath| match commit {
        Some(commit) => snapshot.history().blob(commit, file).is_some(),
        None => snapshot.read(file).is_ok(),
    };
    let files = candidates(&document.name, citation).into_iter();
    files.map(|(_, file)| file).find(is_there)
}

/// Returns true if `new` in `now` is the citation `old` of `before` with an updated path.
///
/// At `commit` (or in the working tree, for `None`), the old file must be gone and the new one
/// exist.
pub(super) fn follows_its_file(
    snapshot: &Snapshot,
    commit: Option<&str>,
    (before, old): (&Document, &Citation),
    (now, new): (&Document, &Citation),
) -> bool {
    old.lines.is_some()
        && old.lines == new.lines
        && before.shown(old) == now.shown(new)
        && file_at(snapshot, commit, before, old).is_none()
        && file_at(snapshot, commit, now, new).is_some()
}
