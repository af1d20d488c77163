//! Lines put into a text next to equal ones: a comparison may say so in two ways that are as good, and tears the text apart in one of
//! them. Git calls these sliders.
//!
//! Of `A B` and `A X A B` it may keep the first `A` or the second. No line was lost, and where the lines around the text are is the
//! same in both: the one that leaves the text in one piece is taken. That is for a text that is aligned with a place; where blocks of a
//! commit begin, [`crate::line_map`] says.

use crate::text::Text;

/// Puts each end of a text that other lines were put next to where the rest of it is, if equal lines are there that are `open`.
///
/// `pairs` are lines of the text and their counterparts in `new`, in order.
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
            // The longer part stays.
            (true, true) if tail.len() < head.len() => slide(tail, |to| to - put_in),
            (true, _) => slide(head, |to| to + put_in),
            (false, true) => slide(tail, |to| to - put_in),
            (false, false) => {}
        }
    }
}

/// True if nothing was lost between the lines, and nothing put in.
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

    /// `pairs` joined in a text with one line per letter.
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
        // If both ends may go, the shorter one does.
        assert_eq!(
            joined("ababa", &[(0, 0), (1, 1), (2, 4)]),
            [(0, 0), (1, 1), (2, 2)]
        );
    }

    #[test]
    fn what_is_not_equal_or_lost_a_line_stays() {
        for (new, pairs) in [
            ("axybc", [(0, 0), (1, 3), (2, 4)]),
            // A line between them was taken out: what was put in may have taken its place.
            ("axabc", [(0, 0), (2, 3), (3, 4)]),
            ("abc", [(0, 0), (1, 1), (2, 2)]),
            // They changed places.
            ("abca", [(0, 3), (1, 1), (2, 2)]),
        ] {
            assert_eq!(joined(new, &pairs), pairs, "{new}");
        }
    }
}
