//! Compares citations of different documents or document states.

use crate::cited_document::Document;
use crate::cited_path::candidates;
use crate::scanner::Citation;

/// Returns true if a citation in `document` names the same lines of the same file as `citation` in
/// `other`.
pub(crate) fn has_same(document: &Document, other: &Document, citation: &Citation) -> bool {
    let mut citations = document.citations.iter();
    citations.any(|one| names_same(document, one, other, citation))
}

/// Like [`names_same`], but code blocks must show the same text too.
pub(super) fn is_same(one: &Document, cited: &Citation, other: &Document, also: &Citation) -> bool {
    names_same(one, cited, other, also) && one.shown(cited) == other.shown(also)
}

/// Returns true if two citations name the same lines of the same path or file.
fn names_same(one: &Document, cited: &Citation, other: &Document, also: &Citation) -> bool {
    cited.lines == also.lines
        && (cited.path == also.path || is_of_same_file(one, cited, other, also))
}

/// Like [`names_same`], but the paths must resolve to the same file. Equal paths in different
/// folders may not.
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
