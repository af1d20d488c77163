//! Reciprocal check: is a location that looks like the text better explained by other text of the old file?
//!
//! No other single check prevents as many wrong claims.

use crate::alignment::Alignment;
use crate::old_text::OldText;
use crate::text::{Part, Range, Text};
use crate::windows::windows;
use windlass_base::is_on;

/// Margin, in percentage points, by which the text has to explain a location better than any other text of its file.
pub(crate) const AHEAD: u32 = 15;

/// Maximum number of other parts of the old file to compare.
const OTHERS: usize = 3;

/// True if no other text of the old file explains the lines `place` of `new` nearly as well as the captured text, which
/// explains `own` percent of them. Only lines for which `free` is true are considered.
pub(crate) fn is_best_explained_by(
    old: &OldText,
    own: u32,
    new: &Text,
    place: Range,
    free: impl Fn(usize) -> bool,
) -> bool {
    !is_on("evidence.reciprocal") || explained_by_others(old, new, place, free) + AHEAD <= own
}

/// Returns the largest share of the lines `place` of `new` that some other text of the old file explains, in percent.
/// Only lines for which `free` is true are considered.
pub(crate) fn explained_by_others(
    old: &OldText,
    new: &Text,
    place: Range,
    free: impl Fn(usize) -> bool,
) -> u32 {
    let place = Part {
        text: new,
        lines: place,
    };
    let open = |at: usize| !old.lines.contains(at) && free(at);
    let others = windows(place, &old.text, open, OTHERS);
    let explained = others.into_iter().map(|lines| {
        let other = Part {
            text: &old.text,
            lines,
        };
        Alignment::of(place, other, open).share_of_one(place)
    });
    explained.max().unwrap_or(0)
}
