//! What whoever reads a pack should know of what it was made of: each in a sentence, said of a file as it is, so that it can be said again.

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

/// What a note begins with on files that were not looked into.
const TOO_LARGE: &str =
    "not looked into for places that answer the goal, as a file of more than 1 MiB: ";
/// So many files are named by it.
const NAMED: usize = 3;
/// Of so many of them the text is hashed, as it takes time by their size: that they are as large as that is all that is said of them.
const MOST_HASHED: usize = 16;
/// The largest of those, in bytes.
const MOST_HASHED_BYTES: usize = 8 << 20;

/// On a document that was named and has no text.
pub(super) fn empty_document(path: &RepoPath) -> String {
    format!(
        "`{}` is empty: it is named, and says nothing",
        safe(path.as_str())
    )
}

/// On a document with both sides of a merge in it.
pub(super) fn unmerged_document(path: &RepoPath) -> String {
    format!(
        "a merge of `{}` was not brought to an end: what both sides say is taken; keep one, and build the pack again",
        safe(path.as_str())
    )
}

/// On a document by a usual name that is no text; `why_no_text` follows "it is", `reason` is what it would have been taken for.
pub(super) fn document_without_text(path: &RepoPath, why_no_text: &str, reason: &str) -> String {
    format!(
        "`{}` is {why_no_text}: nothing of it is taken, though {reason}",
        safe(path.as_str())
    )
}

/// On a file that was named and is no text.
pub(super) fn file_without_text(path: &RepoPath, why_no_text: &str) -> String {
    format!(
        "`{}` is {why_no_text}: it is named, and not shown",
        safe(path.as_str())
    )
}

/// On files that were not looked into; the first of them are named.
fn too_large(files: &[RepoPath]) -> String {
    let shown = |path: &RepoPath| format!("`{}`", safe(path.as_str()));
    let mut named: Vec<String> = files.iter().take(NAMED).map(shown).collect();
    if files.len() > NAMED {
        named.push(format!("{} more", files.len() - NAMED));
    }
    format!(
        "{TOO_LARGE}{}; `--file` and `--search` take lines of it all the same",
        named.join(", ")
    )
}

/// On results, called `shown`, that do not say what fails.
pub(crate) fn on_results(shown: &str, text: &str, found: &Results) -> Option<String> {
    if found.tests.is_some() || found.is_recognised {
        return None;
    }
    let what = match text.trim().is_empty() {
        true => "empty",
        false => "not recognised as what a test or compiler said",
    };
    Some(format!(
        "`{shown}` is {what}: it is named, and nothing is known of what fails"
    ))
}

/// Why nothing of a file is in a pack, though it is named.
pub(super) fn why_not_shown(file: &SourceFile) -> Option<&'static str> {
    match file.why_no_text() {
        None if file.is_lfs_pointer() => Some("kept by Git LFS elsewhere"),
        why => why,
    }
}

/// Whether a file has no text to be read.
pub(super) fn is_empty(file: &SourceFile) -> bool {
    String::from_utf8_lossy(file.bytes()).trim().is_empty()
}

/// Whether both sides of a merge stand in a file.
pub(super) fn is_unmerged(file: &SourceFile) -> bool {
    has_conflict_marks(&String::from_utf8_lossy(file.bytes()))
}

/// Whether `note` can be said of the file at `path`, which is none of results.
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

/// A file of the repository as what a note is on.
pub(super) fn file_source(path: &RepoPath, file: &SourceFile) -> Source {
    Source {
        kind: SourceKind::File,
        path: Some(path.to_string()),
        hash: Some(whole_text(file).1),
        ..Source::default()
    }
}

/// The hash of a file that is not too large for that.
fn hash_of(file: &SourceFile) -> Option<String> {
    let is_hashed = file.bytes().len() <= MOST_HASHED_BYTES;
    is_hashed.then(|| whole_text(file).1)
}

/// Tells which files have words of the goal, or changed, and were not looked into: whoever reads the pack would take it that they say
/// nothing.
pub(super) fn tell_too_large(ground: &Ground<'_>, draft: &mut Draft, files: &[RepoPath]) {
    // A pack names no such file: that nothing of it was taken is told in another way.
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
