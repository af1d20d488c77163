//! Limits the number of rows in text.

use windlass::packs::{Style, Styled};

/// Maximum number of rows of one kind in text. JSON lists all of them.
pub(crate) const MAX_SHOWN: usize = 100;

/// Adds a line with the number of omitted rows, if any of the `count` rows are.
pub(crate) fn push_rest(out: &mut Styled, count: usize) {
    if count > MAX_SHOWN {
        let more = count - MAX_SHOWN;
        let text = format!("… {more} more; `--format json` lists all");
        out.push(Style::Dim, text).end_line();
    }
}
