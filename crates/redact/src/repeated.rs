//! Finds the other occurrences of a found value in the same text.
//!
//! We only search for distinctive values. Otherwise, `password = test` would hide every `test`.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::rules::{Found, RuleId};
use crate::scanned_text::is_line_end;
use crate::value::language::is_method;
use crate::value::letters::{has_digit, has_letter, has_sign, is_wordy};
use crate::value::random::is_mixed;

/// Minimum length of a value to search for, in bytes.
const SHORTEST: usize = 8;
const LONGEST: usize = 4 << 10;

/// Maximum size of all values of one search, in bytes.
///
/// Beyond it, the first values in byte order are taken. The order of finding them therefore does
/// not matter.
const MAX_VALUES: usize = 1 << 20;

/// Returns true for a value unlikely to occur by chance, unlike a word or name.
///
/// Its letters and digits are more mixed, or it contains a sign not used in names.
pub(crate) fn is_distinctive(value: &str) -> bool {
    (SHORTEST..=LONGEST).contains(&value.len())
        && has_digit(value)
        && has_letter(value)
        && ((!is_wordy(value) && is_mixed(value)) || has_sign(value))
        && !is_method(value)
}

/// The values of secrets, each with the first rule that found it.
#[derive(Debug, Default)]
pub(crate) struct Values {
    rules: BTreeMap<Vec<u8>, RuleId>,
    bytes: usize,
    /// The smallest value dropped for lack of room. Larger values are dropped as well.
    end: Option<Vec<u8>>,
}

impl Values {
    /// Adds the distinctive values among `found`, given as ranges of `bytes`.
    ///
    /// Each line of a value is added by itself, both plain and as escaped in JSON. Returns false if
    /// all were known.
    pub(crate) fn add(
        &mut self,
        bytes: &[u8],
        found: &[Found],
        is_mark: impl Fn(&Found) -> bool,
    ) -> bool {
        let mut is_changed = false;
        for one in found.iter().filter(|found| !is_mark(found)) {
            let lines = bytes[one.range.clone()].split(|b| is_line_end(*b));
            let values = lines.filter_map(|line| std::str::from_utf8(line).ok());
            for value in values.map(str::trim).filter(|value| is_distinctive(value)) {
                is_changed |= self.insert(value.as_bytes(), one.rule);
                if value.contains(['"', '\\']) {
                    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
                    is_changed |= self.insert(escaped.as_bytes(), one.rule);
                }
            }
        }
        is_changed
    }

    fn insert(&mut self, value: &[u8], rule: RuleId) -> bool {
        let is_after = |end: &Vec<u8>| value >= end.as_slice();
        if self.end.as_ref().is_some_and(is_after) || self.rules.contains_key(value) {
            return false;
        }
        self.bytes += value.len();
        self.rules.insert(value.to_vec(), rule);
        while self.bytes > MAX_VALUES
            && let Some((last, _)) = self.rules.pop_last()
        {
            if self.end.is_none() {
                tracing::debug!(
                    "more than {MAX_VALUES} bytes of secret values: some are hidden only where they are found"
                );
            }
            self.bytes -= last.len();
            self.end = Some(last);
        }
        true
    }

    pub(crate) fn search(&self) -> Search {
        let mut builder = AhoCorasick::builder();
        builder.match_kind(MatchKind::LeftmostLongest);
        let is_empty = self.rules.is_empty();
        Search {
            // [`MAX_VALUES`] keeps the number of states far below the automaton's limit, so
            // building it can't fail.
            automaton: (!is_empty)
                .then(|| builder.build(self.rules.keys()).ok())
                .flatten(),
            rules: self.rules.values().copied().collect(),
        }
    }
}

/// A search in time proportional to the length of the text, regardless of the number of values.
pub(crate) struct Search {
    automaton: Option<AhoCorasick>,
    rules: Vec<RuleId>,
}

impl Search {
    /// Finds all locations of the values in `bytes`, in order and without overlaps.
    pub(crate) fn places(&self, bytes: &[u8]) -> Vec<Found> {
        let places = self.automaton.iter().flat_map(|it| it.find_iter(bytes));
        places
            .map(|place| Found {
                range: place.range(),
                rule: self.rules[place.pattern().as_usize()],
            })
            .collect()
    }
}

/// Finds the other locations of the values in `found`, except inside marks.
pub(crate) fn other_locations(
    bytes: &[u8],
    found: &[Found],
    is_mark: impl Fn(&Found) -> bool,
) -> Vec<Found> {
    let mut values = Values::default();
    values.add(bytes, found, is_mark);
    let mut places = values.search().places(bytes);
    places.retain(|place| {
        let at = found.partition_point(|known| known.range.end <= place.range.start);
        let is_within = |known: &Found| {
            known.range.start <= place.range.start && place.range.end <= known.range.end
        };
        !found.get(at).is_some_and(is_within)
    });
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_above_limit_ignore_order() {
        let rest = "kN0wn!".repeat(600);
        let texts: Vec<String> = (0..400).map(|at| format!("{at:03}{rest}")).collect();
        let of = |texts: &mut dyn Iterator<Item = &String>| {
            let mut values = Values::default();
            for text in texts {
                values.insert(text.as_bytes(), RuleId::ASSIGNED);
            }
            values.rules.into_keys().collect::<Vec<_>>()
        };
        let kept = of(&mut texts.iter());
        assert_eq!(kept.len(), MAX_VALUES / texts[0].len());
        assert!(kept.iter().zip(&texts).all(|(a, b)| a == b.as_bytes()));
        assert_eq!(of(&mut texts.iter().rev()), kept);
        let (even, odd): (Vec<_>, Vec<_>) =
            texts.iter().partition(|text| text.as_bytes()[2] % 2 == 0);
        assert_eq!(of(&mut even.into_iter().chain(odd)), kept);
    }

    #[test]
    fn value_is_telling_where_no_word_is_like_it() {
        for value in [
            "Zq81-xk29-Tr0ub4dor",
            "hT7!kq2Zw9",
            "Sommer2024!",
            "9f86d081884c7d659a2f",
        ] {
            assert!(is_distinctive(value), "{value}");
        }
        for value in [
            "test",
            "swordfish",
            "admin_2024",
            "user1234",
            "AES-256-GCM!",
            "AtomicU32Provider",
            "12345678",
            "h7!",
        ] {
            assert!(!is_distinctive(value), "{value}");
        }
    }
}
