//! The question turned round: is a place that looks like the text better explained by other text of the old file?
//!
//! No other single question keeps as many wrong places from being claimed.

use crate::alignment::{Alignment, Part};
use crate::old_text::OldText;
use crate::text::{Range, Text};
use crate::windows::windows;

/// By how many percent the text has to explain a place better than any other text of its file.
const AHEAD: u32 = 15;

/// How many other parts of the old file are tried.
const OTHERS: usize = 3;

/// Whether no other text of the old file that is `free` to have become lines `place` of `new` explains them nearly
/// as well as the `own` percent that the captured text does.
pub(crate) fn is_best_explained_by(
    old: &OldText,
    own: u32,
    new: &Text,
    place: Range,
    free: impl Fn(usize) -> bool,
) -> bool {
    let place = Part {
        text: new,
        lines: place,
    };
    let open = |at: usize| !old.lines.contains(at) && free(at);
    let others = windows(place, &old.text, open, OTHERS);
    others.into_iter().all(|lines| {
        let other = Part {
            text: &old.text,
            lines,
        };
        let explained = Alignment::of(place, other, open).share_of_one(place);
        explained + AHEAD <= own
    })
}
