//! The question turned round: is a place that looks like the text better explained by other text of the old file?
//!
//! No other single question keeps as many wrong places from being claimed.

use crate::alignment::Alignment;
use crate::old_text::OldText;
use crate::text::{Part, Range, Text};
use crate::windows::windows;

/// By how many percent the text has to explain a place better than any other text of its file.
pub(crate) const AHEAD: u32 = 15;

/// Number of other parts of the old file that are tried.
const OTHERS: usize = 3;

/// True if no other text of the old file that is `free` to have become lines `place` of `new` explains them nearly
/// as well as the `own` percent that the captured text does.
pub(crate) fn is_best_explained_by(
    old: &OldText,
    own: u32,
    new: &Text,
    place: Range,
    free: impl Fn(usize) -> bool,
) -> bool {
    explained_by_others(old, new, place, free) + AHEAD <= own
}

/// Share of lines `place` of `new` that other text of the old file explains, which is `free` to have become them, in percent.
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
