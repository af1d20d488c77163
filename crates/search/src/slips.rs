//! Typos.
//!
//! A *slip* is an extra, missing or replaced letter, or a swap of two letters. For example, both
//! `queu` and `qeuue` are one slip away from `queue`.

/// Maximum length of a word that we compare, in bytes. This is also the size of the buffers.
const LONGEST: usize = crate::terms::MAX_WORD;

/// Kinds of slips, most frequent first. If two kinds are possible, the smaller one is more likely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slip {
    /// Two letters next to each other are swapped.
    Swapped,
    /// A letter is doubled by mistake, or a double letter is only written once.
    Doubled,
    /// There is a letter too much.
    Extra,
    /// A letter is missing.
    Missing,
    /// A letter is replaced by one that sounds similar.
    Other,
}

/// Sets of letters that are mistaken for each other, because they sound alike or are vowels without
/// stress.
const ALIKE: [&str; 4] = ["aeiou", "ck", "sz", "cs"];

/// True if somebody who spells by ear may confuse the two letters. We do not consider other
/// replacements, because `valkey` and `valley`, for example, are simply different names.
fn sound_alike(one: u8, other: u8) -> bool {
    let has = |set: &&str, letter: u8| set.bytes().any(|known| known == letter);
    ALIKE.iter().any(|set| has(set, one) && has(set, other))
}

/// Calls `see` with each word that is one slip away from `word`, assuming that the first letter is
/// right. There are none unless `word` consists of lowercase ASCII letters.
pub fn each_slip(word: &str, see: &mut dyn FnMut(&str, Slip)) {
    let letters = word.as_bytes();
    if !letters.iter().all(u8::is_ascii_lowercase) || letters.len() > LONGEST {
        return;
    }
    let mut all = Vec::with_capacity(LONGEST + 1);
    let mut give = |before: &[u8], between: &[u8], after: &[u8], slip| {
        all.clear();
        for part in [before, between, after] {
            all.extend_from_slice(part);
        }
        if let Ok(other) = std::str::from_utf8(&all) {
            see(other, slip);
        }
    };
    for at in 1..letters.len() {
        let (one, other) = (letters[at - 1], letters[at]);
        if one != other {
            give(
                &letters[..at - 1],
                &[other, one],
                &letters[at + 1..],
                Slip::Swapped,
            );
        }
    }
    for at in 0..=letters.len() {
        let (before, after) = letters.split_at(at);
        let mut give = |before: &[u8], between: &[u8], after: &[u8], slip| {
            // At the start of the word, only doubling keeps the first letter as it is.
            if at > 0 || slip == Slip::Doubled {
                give(before, between, after, slip);
            }
        };
        // Adding or removing one of two equal letters gives the same word for either of them, so
        // only do that once.
        let twin = before.last();
        if let Some((own, rest)) = after.split_first().filter(|(own, _)| twin != Some(own)) {
            let slip = match rest.first() == Some(own) {
                true => Slip::Doubled,
                false => Slip::Extra,
            };
            give(before, &[], rest, slip);
        }
        for letter in (b'a'..=b'z').filter(|letter| twin != Some(letter)) {
            let slip = match after.first() == Some(&letter) {
                true => Slip::Doubled,
                false => Slip::Missing,
            };
            give(before, &[letter], after, slip);
        }
        for letter in b'a'..=b'z' {
            let own = after.first().filter(|own| sound_alike(**own, letter));
            if own.is_some_and(|own| *own != letter) {
                give(before, &[letter], &after[1..], Slip::Other);
            }
        }
    }
}

/// Counts the slips between two words, or returns `None` if there are more than `most` (or a word
/// is too long to compare).
///
/// In contrast to [`each_slip`], this accepts any replaced letter. A letter is never part of more
/// than one slip.
#[must_use]
pub fn slips_between(one: &str, other: &str, most: usize) -> Option<usize> {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len().abs_diff(other.len()) > most || one.len().max(other.len()) > LONGEST {
        return None;
    }
    let mut rows = [[0usize; LONGEST + 1]; 3];
    rows[2] = std::array::from_fn(|at| at);
    for (at, own) in one.iter().enumerate() {
        rows.rotate_left(1);
        // After this, `rows[1]` is the previous row, and `rows[0]` is the one before that.
        rows[2][0] = at + 1;
        for (place, letter) in other.iter().enumerate() {
            let beside = rows[2][place].min(rows[1][place + 1]) + 1;
            let same = rows[1][place] + usize::from(own != letter);
            let is_swapped = at > 0
                && place > 0
                && one[at - 1] == *letter
                && other[place - 1] == *own
                && own != letter;
            let swapped = match is_swapped {
                true => rows[0][place - 1] + 1,
                false => usize::MAX,
            };
            rows[2][place + 1] = beside.min(same).min(swapped);
        }
        // All later rows can only get worse, so we may give up early.
        let least = rows[2][..=other.len()].iter().min();
        if least.is_some_and(|least| *least > most) {
            return None;
        }
    }
    Some(rows[2][other.len()]).filter(|slips| *slips <= most)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn what_was_meant_is_one_slip_away() {
        for (word, meant, slip) in [
            ("teh", "the", Slip::Swapped),
            ("postgress", "postgres", Slip::Doubled),
            ("limmit", "limit", Slip::Doubled),
            ("llimit", "limit", Slip::Doubled),
            ("lama", "llama", Slip::Doubled),
            ("adress", "address", Slip::Doubled),
            ("retrys", "retry", Slip::Extra),
            ("enviroment", "environment", Slip::Missing),
            ("seperate", "separate", Slip::Other),
        ] {
            let mut found = Vec::new();
            each_slip(word, &mut |other, slip| {
                assert_eq!(slips_between(word, other, 1), Some(1), "{word} {other}");
                found.extend((other == meant).then_some(slip));
            });
            assert_eq!(found, [slip], "{word}");
        }
        for none in ["größe", "A1", ""] {
            let mut found = BTreeMap::new();
            each_slip(none, &mut |other, slip| {
                found.insert(other.to_owned(), slip);
            });
            assert!(found.is_empty(), "{none}: {found:?}");
        }
        for (word, other) in [("cmake", "make"), ("react", "preact"), ("valkey", "valley")] {
            each_slip(word, &mut |meant, _| assert_ne!(meant, other, "{word}"));
        }
    }

    #[test]
    fn slips_are_counted_up_to_a_bound() {
        for (one, other, slips) in [
            ("authentification", "authentication", Some(2)),
            ("recieve", "receive", Some(1)),
            ("ca", "abc", None),
            ("", "ab", Some(2)),
            ("ab", "", Some(2)),
            ("connection", "collections", None),
            ("same", "same", Some(0)),
        ] {
            assert_eq!(slips_between(one, other, 2), slips, "{one} {other}");
            assert_eq!(slips_between(other, one, 2), slips, "{other} {one}");
        }
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(slips_between(&long, &long, 2), None);
    }
}
