//! Terms by which texts and questions are compared.

use windlass_search::{Term, each_file_name, each_path};

/// Calls `take` with the terms of `text`: those of the search crate, plus paths joined by `::`, and
/// file names. Without the latter two, `Test::new` would be nothing but common words, and `read`
/// would match `read.c`.
pub(crate) fn each_term(text: &str, mut take: impl FnMut(Term<'_>)) {
    windlass_search::each_term(text, &mut take);
    each_path(text, &mut take);
    each_file_name(text, take);
}
