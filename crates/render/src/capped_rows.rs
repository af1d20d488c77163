//! Keeps lists on the screen short.

use windlass::packs::{Style, Styled};

/// Maximum number of rows to show for each kind of result. JSON output includes all of them.
pub(crate) const MAX_SHOWN: usize = 100;

/// Returns the line for the omitted rows, or `None` for up to [`MAX_SHOWN`] rows.
pub(crate) fn rest(count: usize) -> Option<String> {
    let more = count.checked_sub(MAX_SHOWN).filter(|more| *more > 0)?;
    Some(format!("… {more} more; `--format json` lists all"))
}

/// Like [`rest`], but adds the line to `out`.
pub(crate) fn push_rest(out: &mut Styled, count: usize) {
    if let Some(text) = rest(count) {
        out.push(Style::Dim, text).end_line();
    }
}
