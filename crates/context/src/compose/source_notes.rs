//! Notes about the sources of a pack.
//!
//! A note is a sentence that only depends on certain files, so it's true as long as they don't
//! change. Notes are part of the pack because an agent that gets the pack over MCP, or in a step,
//! doesn't see standard error.

use windlass_base::{RepoPath, in_parallel};
use windlass_memory::has_conflict_marks;
use windlass_packs::context::{Source, SourceKind};
use windlass_repo::SourceFile;
use windlass_results::Results;

use super::ground::Ground;
use super::nameable::safe;
use super::pack_draft::Draft;
use crate::compose::picked_lines::whole_text;

/// The note about files that were too large to be searched starts like this.
const TOO_LARGE: &str = "not searched for the goal, because files above 1 MiB are skipped: ";
/// We name this many files, followed by "N more".
const NAMED: usize = 3;
/// We compute the hashes of at most this many files for a note. All that matters is their size, so
/// it isn't worth the time to read them all.
const MOST_HASHED: usize = 16;
/// Larger files aren't hashed, in bytes.
const MOST_HASHED_BYTES: usize = 8 << 20;

pub(super) fn empty_document(path: &RepoPath) -> String {
    format!("`{}` is empty", safe(path.as_str()))
}

pub(super) fn unmerged_document(path: &RepoPath) -> String {
    format!(
        "`{}` has merge conflict marks, and the pack has the text of both sides; resolve the merge and build the pack again",
        safe(path.as_str())
    )
}

/// Creates a note about a usual document. `why_no_text` completes "it is …", and `reason` is the
/// role of the document.
pub(super) fn document_without_text(path: &RepoPath, why_no_text: &str, reason: &str) -> String {
    format!(
        "`{}` is {why_no_text}, so the pack has no text of it, although {reason}",
        safe(path.as_str())
    )
}

pub(super) fn file_without_text(path: &RepoPath, why_no_text: &str) -> String {
    format!(
        "`{}` is {why_no_text}, so only its name is shown",
        safe(path.as_str())
    )
}

fn too_large(files: &[RepoPath]) -> String {
    let shown = |path: &RepoPath| format!("`{}`", safe(path.as_str()));
    let mut named: Vec<String> = files.iter().take(NAMED).map(shown).collect();
    if files.len() > NAMED {
        named.push(format!("{} more", files.len() - NAMED));
    }
    format!(
        "{TOO_LARGE}{}; `--file` and `--search` can still select lines of it",
        named.join(", ")
    )
}

/// Creates a note about results, or returns `None` if we know their format. It doesn't matter if
/// there are failures.
pub(super) fn on_results(shown: &str, text: &str, found: &Results) -> Option<String> {
    if found.tests.is_some() || found.is_recognised {
        return None;
    }
    let what = match text.trim().is_empty() {
        true => "empty",
        false => "not in a known format of test or compiler output",
    };
    Some(format!("`{shown}` is {what}, so its failures are unknown"))
}

/// The reason why a file isn't shown. In addition to `why_no_text`, that may be because it's in Git
/// LFS.
pub(super) fn why_not_shown(file: &SourceFile) -> Option<&'static str> {
    match file.why_no_text() {
        None if file.is_lfs_pointer() => Some("stored in Git LFS, and not in this checkout"),
        why => why,
    }
}

/// True if there's nothing but blanks.
pub(super) fn is_empty(file: &SourceFile) -> bool {
    String::from_utf8_lossy(file.bytes()).trim().is_empty()
}

pub(super) fn is_unmerged(file: &SourceFile) -> bool {
    has_conflict_marks(&String::from_utf8_lossy(file.bytes()))
}

pub(super) fn file_source(path: &RepoPath, file: &SourceFile) -> Source {
    Source {
        kind: SourceKind::File,
        path: Some(path.to_string()),
        hash: Some(whole_text(file).1),
        ..Source::default()
    }
}

/// Returns the hash of a file, unless it's too large.
fn hash_of(file: &SourceFile) -> Option<String> {
    let is_hashed = file.bytes().len() <= MOST_HASHED_BYTES;
    is_hashed.then(|| whole_text(file).1)
}

/// Leaves a note about files that have changed, or that contain words of the goal, but that we
/// couldn't search. If they were just missing, it would look as if they didn't matter.
pub(super) fn tell_too_large(ground: &Ground<'_>, draft: &mut Draft, files: &[RepoPath]) {
    let (files, unnameable): (Vec<RepoPath>, Vec<RepoPath>) = files
        .iter()
        .cloned()
        .partition(|path| !ground.unnameable.contains(path));
    let withheld = unnameable.iter().map(|path| safe(path.as_str()));
    draft.withheld.extend(withheld);
    if files.is_empty() {
        return;
    }
    let threads = ground.threads();
    let snapshot = &ground.snapshot;
    let hashed = files.get(..MOST_HASHED).unwrap_or(&files);
    let hashed = in_parallel(hashed, threads, 1, |some| {
        let hash = |path: &RepoPath| hash_of(&*snapshot.read(path).ok()?);
        some.iter().map(hash).collect::<Vec<_>>()
    });
    let hashes = hashed.into_iter().flatten().chain(std::iter::repeat(None));
    let sources = files.iter().zip(hashes).map(|(path, hash)| Source {
        kind: SourceKind::File,
        path: Some(path.to_string()),
        hash,
        ..Source::default()
    });
    let sources = sources.collect();
    draft.tell(ground.site, too_large(&files), sources);
}
