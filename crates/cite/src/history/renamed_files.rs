//! Files that got another name, and the citations whose paths were mended as they did.
//!
//! Who mends the path has seen that it leads nowhere, not what the lines are: they mean what they meant in the file as it was called
//! before.

use crate::scanner::Citation;
use windlass_base::RepoPath;
use windlass_repo::Snapshot;

use crate::cited_document::Document;
use crate::cited_path::candidates;

/// The file that `citation` of `document` means at `commit` (a full id), in the working tree where there is none; `None` where it means no
/// file that is there.
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

/// Whether `new`, which `now` has since `commit` (the working tree where there is none), is `old` of `before` with another path, because the
/// file that it named is not there any more.
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
