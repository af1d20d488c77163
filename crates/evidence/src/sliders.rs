//! Sliders, which is git's name for lines that were inserted next to equal ones. A comparison then has two equally good
//! results, one of which splits the text.
//!
//! For `A B` and `A X A B`, either the first or the second `A` can be the unchanged one. No line is removed in either
//! case, and the lines around the text are at the same location, so the result that does not split the text is
//! preferred. This applies to a text that is aligned with a location. [`crate::line_map`] decides where the blocks of a
//! commit begin.

use crate::text::Text;

/// Moves an end of the text that an insertion has split off next to the rest of the text. There must be equal lines for
/// which `open` is true.
///
/// `pairs` are lines of the text and the lines of `new` that they are paired with, in order.
pub(crate) fn join_ends(pairs: &mut [(usize, usize)], new: &Text, open: impl Fn(usize) -> bool) {
    for at in 1..pairs.len() {
        let (before, after) = (pairs[at - 1], pairs[at]);
        if after.0 != before.0 + 1 || after.1 <= before.1 + 1 {
            continue;
        }
        let put_in = after.1 - before.1 - 1;
        let keys = new.keys();
        let is_again = |line: usize, there: usize| {
            let equals = keys.get(line).zip(keys.get(there));
            equals.is_some_and(|(one, other)| one == other) && open(there)
        };
        let (head, tail) = pairs.split_at_mut(at);
        let head_slides =
            is_one_piece(head) && head.iter().all(|(_, to)| is_again(*to, to + put_in));
        let tail_slides =
            is_one_piece(tail) && tail.iter().all(|(_, to)| is_again(*to, to - put_in));
        match (head_slides, tail_slides) {
            // The longer part stays where it is.
            (true, true) if tail.len() < head.len() => slide(tail, |to| to - put_in),
            (true, _) => slide(head, |to| to + put_in),
            (false, true) => slide(tail, |to| to - put_in),
            (false, false) => {}
        }
    }
}

/// True if the lines are adjacent in both texts.
fn is_one_piece(pairs: &[(usize, usize)]) -> bool {
    let mut steps = pairs.windows(2);
    steps.all(|two| two[1] == (two[0].0 + 1, two[0].1 + 1))
}

fn slide(pairs: &mut [(usize, usize)], to: impl Fn(usize) -> usize) {
    for (_, line) in pairs {
        *line = to(*line);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windlass_repo::SourceFile;

    use super::*;

    /// Returns `pairs` after joining. Each text has one line per letter.
    fn joined(new: &str, pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let lines: Vec<String> = new.chars().map(|line| format!("line {line};\n")).collect();
        let source = SourceFile::from_bytes(lines.concat().into_bytes());
        let text = Text::new(Arc::new(source)).unwrap();
        let mut pairs = pairs.to_vec();
        join_ends(&mut pairs, &text, |_| true);
        pairs
    }

    #[test]
    fn an_end_goes_to_where_the_rest_is() {
        let whole = [(0, 2), (1, 3), (2, 4)];
        assert_eq!(joined("axabc", &[(0, 0), (1, 3), (2, 4)]), whole);
        assert_eq!(
            joined("abcxc", &[(5, 0), (6, 1), (7, 4)]),
            [(5, 0), (6, 1), (7, 2)]
        );
        // If both ends can move, the shorter one moves.
        assert_eq!(
            joined("ababa", &[(0, 0), (1, 1), (2, 4)]),
            [(0, 0), (1, 1), (2, 2)]
        );
    }

    #[test]
    fn what_is_not_equal_or_lost_a_line_stays() {
        for (new, pairs) in [
            ("axybc", [(0, 0), (1, 3), (2, 4)]),
            // A line between them was removed, so the inserted lines may have replaced it.
            ("axabc", [(0, 0), (2, 3), (3, 4)]),
            ("abc", [(0, 0), (1, 1), (2, 2)]),
            // The two lines were swapped, so nothing can be joined.
            ("abca", [(0, 3), (1, 1), (2, 2)]),
        ] {
            assert_eq!(joined(new, &pairs), pairs, "{new}");
        }
    }
}
