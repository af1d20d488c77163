//! Finds the origins of copied text. A citation keeps its meaning when copied or moved to another
//! document.

use std::collections::BTreeSet;

use crate::scanner::Citation;
use windlass_base::RepoPath;
use windlass_repo::{Git, Snapshot};

use super::same_citations::is_of_same_file;
use super::sentences::{line_above, sentence};
use crate::cited_document::Document;
use crate::cited_document::is_document;
use crate::params::{MAX_DOCUMENTS, MAX_PIECES, MIN_LINE};

/// Reads the other documents changed by `commit`, in their state before it.
pub(super) fn changed_with(
    git: &Git,
    snapshot: &Snapshot,
    (commit, parent): (&str, &str),
    document: &Document,
) -> Vec<Document> {
    let files = git
        .commits()
        .files_changed_by(commit)
        .unwrap_or_default()
        .into_iter();
    let others = files.filter(|file| is_document(file) && *file != document.name);
    others
        .take(MAX_DOCUMENTS)
        .filter_map(|file| Document::at(snapshot, parent, &file))
        .collect()
}

/// Reads the documents in `commit` from which citations in `document` may have been copied, sorted
/// by name. Citations on lines that `before` has too are not new, so they are ignored.
pub(super) fn sources(
    git: &Git,
    snapshot: &Snapshot,
    commit: &str,
    document: &Document,
    before: Option<&Document>,
) -> Vec<Document> {
    let had = before.map(|before| before.text.lines().collect::<BTreeSet<_>>());
    let had = had.unwrap_or_default();
    let is_new = |citation: &&Citation| !had.contains(document.line_of(citation));
    let new = document.citations.iter().filter(is_new);
    let mut pieces: Vec<String> = new
        .flat_map(|citation| written(document, citation))
        .collect();
    pieces.sort();
    pieces.dedup();
    pieces.truncate(MAX_PIECES);
    if pieces.is_empty() {
        return Vec::new();
    }
    let is_other = |file: &RepoPath| is_document(file) && *file != document.name;
    let files = git.commit_files().files_with_any(commit, is_other, &pieces);
    let files = files.unwrap_or_default().into_iter().take(MAX_DOCUMENTS);
    files
        .filter_map(|file| Document::at(snapshot, commit, &file))
        .collect()
}

/// Finds the original in `source` of the copied `citation` in `document`, by index.
///
/// Both must cite the same lines and have the same words around them, on their line or in their
/// sentence. Short lines such as `- see` occur in many documents, so they only count if the lines
/// above are equal as well. Short sentences do not count at all.
pub(super) fn index_in(
    source: &Document,
    document: &Document,
    citation: &Citation,
) -> Option<usize> {
    let line = document.line_without_citations(citation);
    let line_tells = letters(&line) >= MIN_LINE;
    let own_sentence = sentence(document, citation);
    let sentence_tells = own_sentence.0.iter().map(|word| word.len()).sum::<usize>() >= MIN_LINE;
    let above = line_above(document, citation);
    let is_it = |old: &Citation| {
        let is_line = source.line_without_citations(old) == line;
        is_line && (line_tells || (above.is_some() && above == line_above(source, old)))
            || sentence_tells && sentence(source, old) == own_sentence
    };
    let is_same = |old: &Citation| {
        is_of_same_file(source, old, document, citation)
            && source.shown(old) == document.shown(citation)
    };
    let mut all = source.citations.iter();
    all.position(|old| is_same(old) && is_it(old))
}

/// Makes strings for finding documents with the same citation.
///
/// They start at the file name, since the path may be relative to another folder there. They
/// include the first line number if it directly follows the path.
fn written(document: &Document, citation: &Citation) -> Vec<String> {
    let name = citation.path.rsplit('/').next().unwrap_or_default();
    let own = &document.text[citation.range.clone()];
    match citation.lines.filter(|_| own.contains(name)) {
        Some(lines) => [":", "#L"]
            .map(|sign| format!("{name}{sign}{}", lines.start()))
            .into(),
        None => vec![name.to_owned()],
    }
}

fn letters(text: &str) -> usize {
    text.chars()
        .filter(|letter| letter.is_alphanumeric())
        .count()
}
