//! Second algorithm. It pairs the lines that are unique in both texts, and then the ranges between them as `diff` does.

use std::convert::Infallible;

use similar::algorithms::{DiffHook, myers};

use super::NONE;
use super::part::Part;
use crate::text::Text;

/// Maximum number of lines in a range that is compared. The time grows with the square of this number.
const MAX_STRETCH: usize = 4_000;

/// Maximum sum of the squared lengths of all ranges.
const MAX_SQUARES: usize = 400_000_000;

/// Pairs that were found so far.
struct Stretches<'a> {
    to: &'a mut [u32],
}

/// Returns the line in `new` that is paired with each line in `old`.
pub(super) fn pairs(old: &Text, new: &Text) -> Vec<u32> {
    let mut to = vec![NONE; old.len()];
    let whole = Part::whole(old, new).trimmed(old.keys(), new.keys(), &mut to);
    let mut left = MAX_SQUARES;
    let mut open = vec![whole];
    if stretch(whole) > MAX_STRETCH {
        open = between_unique(whole, old, new, &mut to);
    }
    for part in open {
        let part = part.trimmed(old.keys(), new.keys(), &mut to);
        let lines = stretch(part);
        if part.is_empty() || lines > MAX_STRETCH || lines * lines > left {
            continue;
        }
        left -= lines * lines;
        let mut pairs = Stretches { to: &mut to };
        let (a, b) = (part.old.0..part.old.1, part.new.0..part.new.1);
        let Ok(()) = myers::diff_deadline_raw(&mut pairs, old.keys(), a, new.keys(), b, None);
    }
    to
}

fn stretch(part: Part) -> usize {
    (part.old.1 - part.old.0) + (part.new.1 - part.new.0)
}

impl DiffHook for Stretches<'_> {
    type Error = Infallible;

    fn equal(&mut self, old: usize, new: usize, lines: usize) -> Result<(), Infallible> {
        for at in 0..lines {
            self.to[old + at] = (new + at) as u32;
        }
        Ok(())
    }
}

/// Pairs as many as possible of the lines that are unique in both texts while keeping their order. Returns the ranges
/// between them.
fn between_unique(part: Part, old: &Text, new: &Text, to: &mut [u32]) -> Vec<Part> {
    let unique = |at: usize| {
        if old.alike(at) != 1 {
            return None;
        }
        let &[new] = new.lines_like(old.keys()[at]) else {
            return None;
        };
        let new = new as usize;
        let is_inside = part.new.0 <= new && new < part.new.1;
        is_inside.then_some((at, new))
    };
    let pairs: Vec<(usize, usize)> = (part.old.0..part.old.1).filter_map(unique).collect();
    let mut parts = Vec::new();
    let (mut a, mut b) = (part.old.0, part.new.0);
    for (old, new) in in_order(&pairs) {
        to[old] = new as u32;
        parts.push(Part {
            old: (a, old),
            new: (b, new),
        });
        (a, b) = (old + 1, new + 1);
    }
    parts.push(Part {
        old: (a, part.old.1),
        new: (b, part.new.1),
    });
    parts
}

/// Returns a longest sequence of pairs in which both numbers increase.
fn in_order(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends` has, for each length, the pair with the smallest end. `before` has the predecessor of each pair.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, (_, new)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *new);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut kept = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        kept.push(pairs[at]);
        next = before[at];
    }
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_other_order_is_carried_by_one_side_only() {
        let pairs = [(0, 5), (1, 1), (2, 2), (3, 0), (4, 7)];
        assert_eq!(in_order(&pairs), [(1, 1), (2, 2), (4, 7)]);
    }
}
