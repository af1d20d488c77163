//! Documents that a new one was written from: what is copied, or moved there piece by piece, means what it meant.

use windlass_base::RepoPath;
use windlass_cite::Citation;
use windlass_repo::{Git, Snapshot};

use super::Document;
use super::around::line_above;
use super::document::is_document;
use super::writers::is_of_same_file;

/// The most documents that are read.
const MAX_DOCUMENTS: usize = 40;
/// By how many pieces of the new document they are looked for.
const MAX_PIECES: usize = 64;
/// The fewest letters and digits of a piece that is looked for.
const MIN_PIECE: usize = 4;
/// The fewest letters and digits of a line, without what it cites, that tells by itself where it is from.
const MIN_LINE: usize = 12;

/// The other documents that `commit` changed, as they were in the commit before it.
pub(super) fn changed_with(
    git: &Git,
    snapshot: &Snapshot,
    (commit, parent): (&str, &str),
    document: &Document,
) -> Vec<Document> {
    let files = git.files_changed_by(commit).unwrap_or_default().into_iter();
    let others = files.filter(|file| is_document(file) && *file != document.name);
    others
        .take(MAX_DOCUMENTS)
        .filter_map(|file| Document::at(snapshot, parent, &file))
        .collect()
}

/// The documents of `commit` that have words of the lines on which `document` cites, in the order of their names.
pub(super) fn sources(
    git: &Git,
    snapshot: &Snapshot,
    commit: &str,
    document: &Document,
) -> Vec<Document> {
    let piece = |citation: &Citation| {
        let own = longest_piece(&document.line_without_citations(citation));
        own.or_else(|| longest_piece(line_above(document, citation)?))
    };
    let mut pieces: Vec<String> = document.citations.iter().filter_map(piece).collect();
    pieces.sort();
    pieces.dedup();
    pieces.truncate(MAX_PIECES);
    if pieces.is_empty() {
        return Vec::new();
    }
    let is_other = |file: &RepoPath| is_document(file) && *file != document.name;
    let files = git.files_with_any(commit, is_other, &pieces);
    let files = files.unwrap_or_default().into_iter().take(MAX_DOCUMENTS);
    files
        .filter_map(|file| Document::at(snapshot, commit, &file))
        .collect()
}

/// The line of `source` from which `citation` of `document` was copied: the same but for how it writes the path, below the same words where it
/// says too little by itself.
pub(super) fn line_in(source: &Document, document: &Document, citation: &Citation) -> Option<u32> {
    let line = document.line_without_citations(citation);
    let is_line = |old: &&Citation| {
        is_of_same_file(source, old, document, citation)
            && source.shown(old) == document.shown(citation)
            && source.line_without_citations(old) == line
    };
    let tells = letters(&line) >= MIN_LINE;
    let above = line_above(document, citation);
    let mut same = source.citations.iter().filter(is_line);
    let found = same.find(|old| tells || (above.is_some() && above == line_above(source, old)));
    found.map(|old| old.line)
}

fn longest_piece(line: &str) -> Option<String> {
    let pieces = line.split('\n').map(str::trim);
    let piece = pieces.max_by_key(|piece| letters(piece))?;
    (letters(piece) >= MIN_PIECE).then(|| piece.to_owned())
}

fn letters(text: &str) -> usize {
    text.chars()
        .filter(|letter| letter.is_alphanumeric())
        .count()
}
