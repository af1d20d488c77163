//! Renamed files, and citations whose paths were updated because of a renaming.
//!
//! An updated path shows only that its author noticed the broken path, not that the lines were checked. The citation
//! therefore keeps the meaning that it had under the former name.

use crate::scanner::Citation;
use windlass_base::RepoPath;
use windlass_repo::Snapshot;

use crate::cited_document::Document;
use crate::cited_path::candidates;

/// Returns the file that `citation` in `document` refers to at `commit` (a full id), or in the working tree if `commit`
/// is `None`. Returns `None` if there is no such file.
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

/// True if `new` in `now` is the citation `old` of `before` with an updated path. This requires that the old file is
/// gone at `commit`, or in the working tree if `commit` is `None`.
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
