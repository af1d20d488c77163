//! Terms by which texts and questions are compared.

use windlass_search::{Term, each_file_name, each_path};

/// Calls `take` with the terms of `text`. They are the terms of the search crate, paths joined by `::`, and file names.
/// Without these, `Test::new` would consist of common words, and the word `read` would match `read.c`.
pub(crate) fn each_term(text: &str, mut take: impl FnMut(Term<'_>)) {
    windlass_search::each_term(text, &mut take);
    each_path(text, &mut take);
    each_file_name(text, take);
}
