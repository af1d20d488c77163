//! Rows of which text shows so many.

use windlass::packs::{Style, Styled};

/// The most rows of one sort that text names; JSON names all of them.
pub(crate) const MAX_SHOWN: usize = 100;

/// Says how many of `count` rows are not shown.
pub(crate) fn push_rest(out: &mut Styled, count: usize) {
    if count > MAX_SHOWN {
        let more = count - MAX_SHOWN;
        let text = format!("… {more} more; `--format json` names all");
        out.push(Style::Dim, text).end_line();
    }
}
