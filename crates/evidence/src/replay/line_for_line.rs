//! Edits line for line: a commit replaced lines by the same number of lines, between unchanged
//! neighbors.
//!
//! Only in such an edit can a line that changed almost completely be located. The two lines of a
//! pair still need to have most of their words in common, because a line may have been replaced by
//! an unrelated one.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::stands::Stands;
use super::track::{Edit, Line};
use crate::old_text::OldText;
use crate::params;
use crate::text::{Range, Text, is_letter};

/// Returns true if the text may be located although its other lines were edited: it is short, or at
/// least [`params::MIN_PREFERRED`] percent of it (`same`) are unchanged.
pub(super) fn is_enough(old: &OldText, same: u32) -> bool {
    let telling = old.part().telling();
    same >= params::MIN_PREFERRED
        || telling.take(params::MAX_SHORT_TEXT + 1).count() <= params::MAX_SHORT_TEXT
}

/// Pairs the lines of `gap`, in order, with those of `place`, which is between the same unchanged
/// neighbors after a commit. Nothing is paired unless their numbers are equal and all of them are
/// new or removed.
pub(super) fn pairs(
    (old, gap): (&Text, Range),
    (new, place): (&Text, Range),
    is_open: impl Fn(usize) -> bool,
    stayed: impl Fn(usize) -> bool,
) -> BTreeSet<(usize, usize)> {
    let telling = |text: &Text, lines: Range| -> Vec<usize> {
        let lines = lines.start..lines.end;
        lines.filter(|at| !text.is_trivial(*at)).collect()
    };
    let (before, after) = (telling(old, gap), telling(new, place));
    let is_whole_file = gap.start == 0 && gap.end == old.len();
    let is_clear = before.len() == after.len()
        && before.iter().all(|at| stayed(*at))
        && after.iter().all(|at| is_open(*at));
    // If the whole file was replaced, there are no unchanged neighbors to show that the lines
    // correspond.
    if is_whole_file || !is_clear {
        return BTreeSet::new();
    }
    let pairs = before.into_iter().zip(after);
    pairs
        .filter(|(from, to)| shares_words(&old.bytes(*from), &new.bytes(*to)))
        .collect()
}

/// Returns true if all non-trivial lines of `old` are as far apart as before, each of them
/// unchanged or edited line for line.
pub(super) fn is_all(old: &OldText, text: &Text, lines: &[Line], stands: &[Stands]) -> bool {
    let edits = (old.lines.start..).zip(lines);
    let mut edits = edits.filter(|(at, _)| !old.text.is_trivial(*at));
    let mut start = None;
    edits.all(|(at, line)| {
        let Some(there) = stands.iter().find(|there| there.old == at) else {
            return false;
        };
        let from = (there.new + old.lines.start).checked_sub(at);
        let is_it = match line.edit {
            Edit::None => true,
            Edit::InPlace => {
                there.alike > 0 && shares_words(&old.text.bytes(at), &text.bytes(there.new))
            }
            Edit::Loose => false,
        };
        is_it && from.is_some() && *start.get_or_insert(from) == from
    })
}

/// Returns true if two lines share at least half of their words, at least one of which is more than
/// a number or a short word.
fn shares_words(one: &[u8], other: &[u8]) -> bool {
    let (ours, theirs) = (words(one), words(other));
    let (mut a, mut b) = (0, 0);
    let mut shared = Vec::new();
    while a < ours.len() && b < theirs.len() {
        match ours[a].cmp(theirs[b]) {
            Ordering::Less => a += 1,
            Ordering::Greater => b += 1,
            Ordering::Equal => {
                shared.push(ours[a]);
                (a, b) = (a + 1, b + 1);
            }
        }
    }
    let says = |word: &&[u8]| {
        word.iter().filter(|byte| !byte.is_ascii_digit()).count() >= params::MIN_WORD
    };
    shared.len() * 4 >= ours.len() + theirs.len() && shared.iter().any(says)
}

/// Returns the sorted words in the first [`params::MAX_LINE_BYTES`] bytes of `line`.
fn words(line: &[u8]) -> Vec<&[u8]> {
    let line = &line[..line.len().min(params::MAX_LINE_BYTES)];
    let words = line.split(|byte| !is_letter(byte));
    let mut words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_words_edit_is_told_from_replacement() {
        let share = |one: &str, other: &str| shares_words(one.as_bytes(), other.as_bytes());
        assert!(share("version = \"1.2.3\"", "version = \"1.2.4\""));
        assert!(share("let total = count(x);", "let total = sum(x);"));
        assert!(!share(
            "pub const MAX_RETRIES: u32 = 5;",
            "pub const LIMIT: Limit = Limit::of(7);"
        ));
        assert!(!share("1, 2, 3,", "1, 2, 4,"), "digits alone say nothing");
    }

    #[test]
    fn repeated_word_counts_once_for_each_pair() {
        let share = |one: &str, other: &str| shares_words(one.as_bytes(), other.as_bytes());
        assert!(share("beta alpha beta", "alpha beta beta"));
        // Only one of the four has a counterpart in the other line.
        assert!(!share("alpha alpha alpha alpha", "alpha other words here"));
    }

    #[test]
    fn words_are_those_of_the_start_of_a_long_line() {
        let line = "word ".repeat(80_000);
        assert_eq!(words(line.as_bytes()).len(), params::MAX_LINE_BYTES / 5);
    }
}
