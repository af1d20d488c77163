//! Reciprocal check: lines that look like the text may be better explained by other text of its old
//! file.
//!
//! No other single check prevents as many wrong claims.

use crate::alignment::Alignment;
use crate::old_text::OldText;
use crate::params;
use crate::text::{Part, Range, Text};
use crate::windows::windows;

/// Returns how much of the lines `place` of `new` the best other text of the old file explains, in
/// percent. Only old lines for which `free` is true are considered.
pub(crate) fn explained_by_others(
    old: &OldText,
    new: &Text,
    place: Range,
    free: impl Fn(usize) -> bool,
) -> u32 {
    let place = Part::new(new, place);
    let open = |at: usize| !old.lines.contains(at) && free(at);
    let others = windows(place, &old.text, open, params::MAX_LOCATIONS);
    let explained = others.into_iter().map(|lines| {
        let other = Part::new(&old.text, lines);
        Alignment::of(place, other, open).share_of_one(place)
    });
    explained.max().unwrap_or(0)
}
