use windlass_search::{Term, each_file_name, each_path};

/// Calls `take` with each term of `text`. Adds paths joined by `::` and file names to the terms of
/// the search crate. Otherwise, `Test::new` would be nothing but common words, and `read` would
/// match `read.c`.
pub(crate) fn each_term(text: &str, mut take: impl FnMut(Term<'_>)) {
    windlass_search::each_term(text, &mut take);
    each_path(text, &mut take);
    each_file_name(text, take);
}
