//! The classes of characters that the splitting pattern distinguishes (see `split`).

use std::sync::LazyLock;

use regex_syntax::hir::{Class, HirKind};

/// A class of characters, all of which the pattern treats alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Letters in upper or title case: `\p{Lu}\p{Lt}`.
    Upper,
    /// Letters in lower case: `\p{Ll}`.
    Lower,
    /// Letters without case: `\p{Lm}\p{Lo}`.
    Caseless,
    /// Combining marks: `\p{M}`. They may be part of a word, but aren't in `\p{L}`.
    Mark,
    /// Numbers: `\p{N}`.
    Number,
    /// Line breaks: `[\r\n]`.
    NewLine,
    /// Other whitespace.
    Space,
    Other,
}

impl Sort {
    /// Determines the class of a character. Most texts are nearly all ASCII, which doesn't need the
    /// table.
    pub(crate) fn of(char: char) -> Self {
        match char {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Number,
            '\r' | '\n' => Self::NewLine,
            _ if char.is_whitespace() => Self::Space,
            _ if char.is_ascii() => Self::Other,
            _ => Self::beyond_ascii(char),
        }
    }

    fn beyond_ascii(char: char) -> Self {
        let after = RANGES.partition_point(|range| range.first <= char);
        match after.checked_sub(1).map(|at| &RANGES[at]) {
            Some(range) if char <= range.last => range.sort,
            _ => Self::Other,
        }
    }

    /// True for `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`, the first part of a word.
    pub(crate) fn is_in_upper(self) -> bool {
        matches!(self, Self::Upper | Self::Caseless | Self::Mark)
    }

    /// True for `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`, the second part of a word.
    pub(crate) fn is_in_lower(self) -> bool {
        matches!(self, Self::Lower | Self::Caseless | Self::Mark)
    }

    /// True for `\p{L}`.
    pub(crate) fn is_letter(self) -> bool {
        matches!(self, Self::Upper | Self::Lower | Self::Caseless)
    }

    /// True for `\s`.
    pub(crate) fn is_space(self) -> bool {
        matches!(self, Self::Space | Self::NewLine)
    }

    /// True for `[^\s\p{L}\p{N}]`.
    pub(crate) fn is_sign(self) -> bool {
        matches!(self, Self::Mark | Self::Other)
    }
}

struct Range {
    first: char,
    last: char,
    sort: Sort,
}

/// The ranges of all classes, sorted and without overlaps. We only build them on first use, since
/// most texts don't need them.
static RANGES: LazyLock<Vec<Range>> = LazyLock::new(|| {
    let sorts = [
        (r"[\p{Lu}\p{Lt}]", Sort::Upper),
        (r"\p{Ll}", Sort::Lower),
        (r"[\p{Lm}\p{Lo}]", Sort::Caseless),
        (r"\p{M}", Sort::Mark),
        (r"\p{N}", Sort::Number),
    ];
    let ranges = sorts.into_iter().flat_map(|(class, sort)| {
        let ranges = ranges_of(class).into_iter();
        ranges.map(move |(first, last)| Range { first, last, sort })
    });
    let mut ranges: Vec<Range> = ranges.collect();
    ranges.sort_by_key(|range| range.first);
    ranges
});

fn ranges_of(class: &str) -> Vec<(char, char)> {
    let parsed = regex_syntax::parse(class).map(regex_syntax::hir::Hir::into_kind);
    match parsed {
        Ok(HirKind::Class(Class::Unicode(class))) => {
            let ranges = class.ranges().iter();
            ranges.map(|range| (range.start(), range.end())).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sort_of_every_class_of_character() {
        for (chars, sort) in [
            ("AZÄǅΩ", Sort::Upper),
            ("azßſω", Sort::Lower),
            ("ªʰ中あא", Sort::Caseless),
            ("\u{301}\u{20dd}\u{903}", Sort::Mark),
            ("09²٣Ⅷ〇", Sort::Number),
            ("\r\n", Sort::NewLine),
            (" \t\u{b}\u{c}\u{85}\u{a0}\u{2003}\u{3000}", Sort::Space),
            ("!'/_\0\u{7f}€😀\u{200d}\u{e000}", Sort::Other),
        ] {
            for char in chars.chars() {
                assert_eq!(Sort::of(char), sort, "{char:?}");
            }
        }
    }

    #[test]
    fn ranges_are_disjoint() {
        assert!(RANGES.windows(2).all(|two| two[0].last < two[1].first));
        assert!(RANGES.len() > 1_000);
    }
}
