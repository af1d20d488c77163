//! Equality of citations in two documents.

use crate::cited_document::Document;
use crate::cited_path::candidates;
use crate::scanner::Citation;

/// True if `document` cites the same lines as `citation` in `other`.
pub(crate) fn has_same(document: &Document, other: &Document, citation: &Citation) -> bool {
    let mut citations = document.citations.iter();
    citations.any(|one| names_same(document, one, other, citation))
}

/// True if two citations have the same lines and the same text in their code blocks.
pub(super) fn is_same(one: &Document, cited: &Citation, other: &Document, also: &Citation) -> bool {
    names_same(one, cited, other, also) && one.shown(cited) == other.shown(also)
}

/// True if two citations name the same lines, with equal paths or paths to the same file.
fn names_same(one: &Document, cited: &Citation, other: &Document, also: &Citation) -> bool {
    cited.lines == also.lines
        && (cited.path == also.path || is_of_same_file(one, cited, other, also))
}

/// True if two citations name the same lines in the same file. Their paths may differ in style.
pub(super) fn is_of_same_file(
    one: &Document,
    cited: &Citation,
    other: &Document,
    also: &Citation,
) -> bool {
    let file = |document: &Document, citation| {
        let files = candidates(&document.name, citation).into_iter();
        files.map(|(_, file)| file).next()
    };
    cited.lines == also.lines && file(one, cited).is_some_and(|one| file(other, also) == Some(one))
}
