//! Whether two citations say the same.

use crate::cited_document::Document;
use crate::cited_path::candidates;
use crate::scanner::Citation;

/// Whether `document` has a citation of the same lines as `citation` of `other`.
pub(crate) fn has_same(document: &Document, other: &Document, citation: &Citation) -> bool {
    let mut citations = document.citations.iter();
    citations.any(|one| names_same(document, one, other, citation))
}

/// Whether two citations say the same: of the same lines, and with the same text in their blocks of code.
pub(super) fn is_same(one: &Document, cited: &Citation, other: &Document, also: &Citation) -> bool {
    names_same(one, cited, other, also) && one.shown(cited) == other.shown(also)
}

/// Whether two citations name the same lines, and write the same path or mean the same file.
fn names_same(one: &Document, cited: &Citation, other: &Document, also: &Citation) -> bool {
    cited.lines == also.lines
        && (cited.path == also.path || is_of_same_file(one, cited, other, also))
}

/// Whether two citations name the same lines of the same file, however they write its path.
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
