//! The words by which texts and questions are compared.

use windlass_search::{Term, each_file_name, each_path};

/// Gives the terms of `text`, as everything that searches takes it apart, and names of code that are joined by `::` as a whole besides:
/// of `Test::new` both parts are words that anybody says. So are the names of files: the word `read` says nothing of `read.c`.
pub(super) fn each_term(text: &str, mut take: impl FnMut(Term<'_>)) {
    windlass_search::each_term(text, &mut take);
    each_path(text, &mut take);
    each_file_name(text, take);
}
