//! Renamed files, and citations whose paths were updated accordingly.
//!
//! An updated path shows only that its author noticed the broken path, not that the lines were checked: the
//! citation keeps the meaning that it had under the former name.

use crate::scanner::Citation;
use windlass_base::RepoPath;
use windlass_repo::Snapshot;

use crate::cited_document::Document;
use crate::cited_path::candidates;

/// Returns the file that `citation` of `document` means at `commit` (a full id), or in the working tree for
/// `None`; `None` if it means no existing file.
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

/// True if `new` of `now` is `old` of `before` with another path, because the old file is gone at `commit` (the
/// working tree for `None`).
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
