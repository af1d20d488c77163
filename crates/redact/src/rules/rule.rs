//! What a rule says.

use std::ops::Range;

use crate::scanned_text::Text;

/// One kind of secret.
pub(crate) struct Rule {
    /// What the mark says, in kebab case.
    pub(crate) name: &'static str,
    /// One of them stands in every text the pattern matches. Lower case ones are found in any case,
    /// others as they are written.
    pub(crate) keywords: &'static [&'static str],
    /// Whether a keyword that stands at a place may be one of a secret.
    pub(crate) likely: fn(&Text<'_>, Range<usize>) -> bool,
    /// A regular expression.
    pub(crate) pattern: &'static str,
    /// Where it is tried, seen from a keyword.
    pub(crate) reach: Reach,
    /// Where the secret is.
    pub(crate) secret: Secret,
}

/// Where a pattern is tried. On the whole text each would take as long as to look for all keywords together, or longer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reach {
    /// From the keyword on, which it begins with but for at most two bytes. Nothing else bounds it, so what it matches
    /// without an end has to end where the keyword could stand once more.
    Onward,
    /// On the line of the keyword, with the ends of lines on both sides.
    Line,
    /// On the lines around, which it begins and ends on at most [`crate::engine::attempt::AROUND`] bytes away.
    Around,
    /// On the lines of all places that a function gives, the next of some bytes from one on: the keyword, wherever it
    /// stands, only says whose token it would be.
    Text(fn(&[u8], usize) -> Option<usize>),
}

/// Where the secret is that a pattern found.
pub(crate) enum Secret {
    /// It is what matched, or the first group of it, if it is accepted.
    Matched(fn(&str) -> bool),
    /// They are found by a function, given the text and what matched, which stands in front of them. It
    /// gives where to go on.
    After(fn(&Text<'_>, Range<usize>, &mut Vec<Range<usize>>) -> usize),
}
