//! Renamed files, and citations whose paths were updated after a renaming.
//!
//! An updated path only shows that its author noticed the broken path. Nobody need have checked the
//! lines, so the citation keeps the meaning it had under the former name.

use crate::scanner::Citation;
use windlass_base::RepoPath;
use windlass_repo::Snapshot;

use crate::cited_document::Document;
use crate::cited_path::candidates;

/// Returns the file that `citation` in `document` refers to, or `None` if there's no such file. We
/// look at `commit` (a full id), or at the working tree if that's `None`.
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

/// True if `new` in `now` is the citation `old` of `before` with an updated path. The old file must
/// be gone at `commit`, or in the working tree if that's `None`.
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
