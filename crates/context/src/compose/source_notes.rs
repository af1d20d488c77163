//! Notes on a pack's sources. A note is one sentence about a file, and follows from nothing but
//! that file, so that a rebuild can check it. The notes are part of the pack, because an agent that
//! gets its pack over MCP or in a step doesn't see standard error.

use windlass_base::{RepoPath, in_parallel};
use windlass_memory::has_conflict_marks;
use windlass_packs::context::{Source, SourceKind};
use windlass_repo::SourceFile;
use windlass_results::Results;

use super::ground::Ground;
use super::nameable::safe;
use super::pack_draft::Draft;
use super::usual_documents::usual_reasons;
use crate::compose::picked_lines::whole_text;
use windlass_find::is_too_large;

/// Beginning of the note on files too large to search.
const TOO_LARGE: &str = "not searched for the goal, because files above 1 MiB are skipped: ";
/// Maximum number of files named in that note.
const NAMED: usize = 3;
/// Maximum number of files in that note to hash. Hashing takes time, and the note is only about
/// their size.
const MOST_HASHED: usize = 16;
/// Maximum size in bytes of a file to hash.
const MOST_HASHED_BYTES: usize = 8 << 20;

/// Returns the note on a named document that's empty.
pub(super) fn empty_document(path: &RepoPath) -> String {
    format!("`{}` is empty", safe(path.as_str()))
}

/// Returns the note on a document with merge conflict marks.
pub(super) fn unmerged_document(path: &RepoPath) -> String {
    format!(
        "`{}` has merge conflict marks, and the pack has the text of both sides; resolve the merge and build the pack again",
        safe(path.as_str())
    )
}

/// Returns the note on a usual document that isn't text. `why_no_text` completes "it is …", and
/// `reason` is the document's role.
pub(super) fn document_without_text(path: &RepoPath, why_no_text: &str, reason: &str) -> String {
    format!(
        "`{}` is {why_no_text}, so the pack has no text of it, although {reason}",
        safe(path.as_str())
    )
}

/// Returns the note on a named file that isn't text.
pub(super) fn file_without_text(path: &RepoPath, why_no_text: &str) -> String {
    format!(
        "`{}` is {why_no_text}, so only its name is shown",
        safe(path.as_str())
    )
}

/// Returns the note on files that weren't searched, naming the first ones.
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

/// Returns the note on the results `shown`, if we can't read any failures from them.
pub(crate) fn on_results(shown: &str, text: &str, found: &Results) -> Option<String> {
    if found.tests.is_some() || found.is_recognised {
        return None;
    }
    let what = match text.trim().is_empty() {
        true => "empty",
        false => "not in a known format of test or compiler output",
    };
    Some(format!("`{shown}` is {what}, so its failures are unknown"))
}

/// Returns the reason why we can't show a named file's contents, or `None` if we can.
pub(super) fn why_not_shown(file: &SourceFile) -> Option<&'static str> {
    match file.why_no_text() {
        None if file.is_lfs_pointer() => Some("stored in Git LFS, and not in this checkout"),
        why => why,
    }
}

/// Returns true if a file has no text.
pub(super) fn is_empty(file: &SourceFile) -> bool {
    String::from_utf8_lossy(file.bytes()).trim().is_empty()
}

/// Returns true if a file has merge conflict marks.
pub(super) fn is_unmerged(file: &SourceFile) -> bool {
    has_conflict_marks(&String::from_utf8_lossy(file.bytes()))
}

/// Returns true if `note` applies to the file at `path`, which must not be a result file.
pub(crate) fn holds(note: &str, path: &RepoPath, file: &SourceFile) -> bool {
    if note.starts_with(TOO_LARGE) {
        return is_too_large(file);
    }
    let without_text = file.why_no_text().into_iter();
    let mut of_documents = without_text.flat_map(|why| {
        usual_reasons().map(move |reason| document_without_text(path, why, reason))
    });
    of_documents.any(|it| it == note)
        || why_not_shown(file).is_some_and(|why| file_without_text(path, why) == note)
        || is_empty(file) && empty_document(path) == note
        || is_unmerged(file) && unmerged_document(path) == note
}

/// Returns the file as the source of a note on it.
pub(super) fn file_source(path: &RepoPath, file: &SourceFile) -> Source {
    Source {
        kind: SourceKind::File,
        path: Some(path.to_string()),
        hash: Some(whole_text(file).1),
        ..Source::default()
    }
}

/// Returns a file's hash, or `None` if it's too large to hash.
fn hash_of(file: &SourceFile) -> Option<String> {
    let is_hashed = file.bytes().len() <= MOST_HASHED_BYTES;
    is_hashed.then(|| whole_text(file).1)
}

/// Reports files that changed or contain words of the goal, but were too large to search. Without
/// this note, readers would assume that they don't matter.
pub(super) fn tell_too_large(ground: &Ground<'_>, draft: &mut Draft, files: &[RepoPath]) {
    // If we can't name a file, report it as withheld instead.
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
