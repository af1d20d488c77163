//! Finds all keywords in one pass over a text.
//!
//! We file each keyword under its rarest trigram: three bytes, with letters regardless of case. The
//! pass looks up the trigram at each offset in a bit set of 4 KiB, and only compares keywords where
//! the bit is set. Building an Aho-Corasick automaton for the same keywords would take
//! milliseconds, longer than most scans. This set takes microseconds.

use std::ops::Range;

/// Number of byte classes. A byte's class is its lower five bits, the same for both cases of a
/// letter.
const CLASSES: usize = 32;
const TRIGRAMS: usize = CLASSES.pow(3);
/// The bit that distinguishes the two cases of a letter.
const CASE: u8 = 0x20;
/// Number of bytes of a keyword compared in one step.
const HEAD: usize = size_of::<u64>();

/// Number of bytes of each class per 10,000 bytes of source and documents (20 repositories, 49 MB,
/// 2026-11-29).
const FREQUENCIES: [u64; CLASSES] = [
    1882, 431, 241, 254, 202, 676, 158, 140, 252, 499, 297, 64, 378, 293, 504, 445, 265, 96, 507,
    475, 603, 230, 88, 93, 110, 101, 124, 269, 57, 113, 30, 120,
];

/// A keyword, and everything to try at its occurrences.
pub(crate) struct Keyword<T> {
    pub(crate) word: &'static str,
    pub(crate) owner: T,
    /// True if case matters, i.e. for a word with a capital.
    is_exact: bool,
}

/// A keyword filed under one of its trigrams.
struct Entry {
    /// The keyword's first eight bytes, and the bits of a text to compare with them.
    head: u64,
    mask: u64,
    /// Offset of the trigram in the keyword.
    offset: u8,
    /// Index into [`KeywordIndex::keywords`].
    keyword: u16,
}

pub(crate) struct KeywordIndex<T> {
    keywords: Vec<Keyword<T>>,
    /// One bit per trigram, set if a keyword is filed under it.
    filter: Box<[u64; TRIGRAMS / 64]>,
    /// Entries ordered by trigram. `starts` stores the index of each trigram's first entry.
    entries: Vec<Entry>,
    /// One element per trigram, and one more for the end.
    starts: Vec<u16>,
}

impl<T> Keyword<T> {
    /// The word's first bytes, and a mask for comparing them with text. The mask ignores case
    /// unless it matters for this word.
    fn head(&self) -> (u64, u64) {
        let bits = |b: u8| match !self.is_exact && b.is_ascii_alphabetic() {
            true => !CASE,
            false => u8::MAX,
        };
        let masks: Vec<u8> = self.word.bytes().map(bits).collect();
        let mask = first_bytes(&masks);
        (first_bytes(self.word.as_bytes()) & mask, mask)
    }
}

impl<T> KeywordIndex<T> {
    /// Builds an index of distinct `words` of at least two bytes. A word with a capital is only
    /// found as written, any other in upper and lower case.
    pub(crate) fn new(words: impl IntoIterator<Item = (&'static str, T)>) -> Self {
        let keywords = words.into_iter().map(|(word, owner)| Keyword {
            word,
            owner,
            is_exact: word.bytes().any(|b| b.is_ascii_uppercase()),
        });
        let keywords: Vec<_> = keywords.collect();
        let mut order: Vec<_> = keywords.iter().zip(0..).collect();
        // Short words have the smallest choice of trigrams, so let them choose first.
        order.sort_by_key(|(keyword, _)| keyword.word.len());
        let mut filter = Box::new([0; TRIGRAMS / 64]);
        let mut starts = vec![0; TRIGRAMS + 1];
        let mut entries = Vec::new();
        for (keyword, number) in order {
            let (head, mask) = keyword.head();
            let (offset, trigrams) = rarest(keyword.word.as_bytes(), &starts);
            for trigram in trigrams {
                starts[trigram + 1] += 1;
                filter[trigram / 64] |= 1 << (trigram % 64);
                let entry = Entry {
                    head,
                    mask,
                    offset,
                    keyword: number,
                };
                entries.push((trigram, entry));
            }
        }
        entries.sort_by_key(|(trigram, _)| *trigram);
        // So far, `starts` has the number of entries of each trigram, one index further on. Add
        // them up to get the index of each trigram's first entry.
        for trigram in 0..TRIGRAMS {
            starts[trigram + 1] += starts[trigram];
        }
        Self {
            keywords,
            filter,
            entries: entries.into_iter().map(|(_, entry)| entry).collect(),
            starts,
        }
    }

    /// Calls `found` with each keyword in `text` and its range, ordered by the ends of their
    /// trigrams. A keyword may therefore be reported before one that begins earlier, within that
    /// keyword's length.
    pub(crate) fn for_each(&self, text: &[u8], mut found: impl FnMut(&Keyword<T>, Range<usize>)) {
        // In the first two steps, the trigram still begins with zeros that aren't in the text. If
        // it's in the filter anyway, `compare` notices that the keyword would start before the
        // text.
        let mut trigram = 0;
        let mut step = |end: usize, byte: u8| {
            trigram = (trigram * CLASSES + class(byte)) % TRIGRAMS;
            if self.filter[trigram / 64] >> (trigram % 64) & 1 == 1 {
                self.compare(text, end, trigram, &mut found);
            }
        };
        for (end, byte) in text.iter().enumerate() {
            step(end, *byte);
        }
        // A two-byte keyword at the end of the text has no third byte, so add one.
        step(text.len(), 0);
    }

    #[inline(never)]
    fn compare(
        &self,
        text: &[u8],
        end: usize,
        trigram: usize,
        found: &mut impl FnMut(&Keyword<T>, Range<usize>),
    ) {
        let filed = usize::from(self.starts[trigram])..usize::from(self.starts[trigram + 1]);
        for entry in &self.entries[filed] {
            let Some(start) = (end + 1).checked_sub(3 + usize::from(entry.offset)) else {
                continue;
            };
            if first_bytes(&text[start..]) & entry.mask != entry.head {
                continue;
            }
            let keyword = &self.keywords[usize::from(entry.keyword)];
            let word = keyword.word.as_bytes();
            // The first eight bytes match. Compare the rest of the keyword, if any.
            let is_here = text.get(start..start + word.len()).is_some_and(|here| {
                let (here, word) = (here.get(HEAD..), word.get(HEAD..));
                let rest = here.zip(word);
                rest.is_none_or(|(here, word)| {
                    here == word || (!keyword.is_exact && here.eq_ignore_ascii_case(word))
                })
            });
            if is_here {
                found(keyword, start..start + word.len());
            }
        }
    }
}

fn class(byte: u8) -> usize {
    usize::from(byte) % CLASSES
}

/// Reads the first eight bytes as a number. A shorter text is padded with zeros.
fn first_bytes(text: &[u8]) -> u64 {
    if let Some(first) = text.first_chunk() {
        return u64::from_le_bytes(*first);
    }
    let mut first = [0; HEAD];
    first[..text.len()].copy_from_slice(text);
    u64::from_le_bytes(first)
}

/// Chooses the trigram to file `word` under, as a range of one, and returns its offset as well. For
/// a word of two bytes, the range contains all trigrams with these first bytes. `counts` is the
/// number of keywords filed under each trigram, one index further on.
fn rarest(word: &[u8], counts: &[u16]) -> (u8, Range<usize>) {
    let number = |part: &[u8]| part.iter().fold(0, |sum, b| sum * CLASSES + class(*b));
    let weight = |part: &[u8]| {
        let frequency: u64 = part.iter().map(|b| FREQUENCIES[class(*b)]).product();
        frequency * u64::from(1 + counts[number(part) + 1])
    };
    match (0..)
        .zip(word.windows(3))
        .min_by_key(|(_, part)| weight(part))
    {
        Some((offset, part)) => (offset, number(part)..number(part) + 1),
        None => (0, number(word) * CLASSES..(number(word) + 1) * CLASSES),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(words: &[&'static str], text: &str) -> Vec<(String, usize)> {
        let index = KeywordIndex::new(words.iter().map(|word| (*word, ())));
        let mut found = Vec::new();
        index.for_each(text.as_bytes(), |keyword, at| {
            found.push((keyword.word.to_owned(), at.start));
        });
        found.sort();
        found
    }

    #[test]
    fn keywords_match_at_both_ends_and_overlap() {
        let expected = [("ab", 3), ("abc", 0), ("abcab", 0), ("cab", 2)];
        let expected: Vec<_> = expected
            .map(|(word, at)| (word.to_owned(), at))
            .into_iter()
            .collect();
        let mut all = found(&["ab", "abc", "abcab", "cab"], "aBcab");
        all.retain(|(word, at)| word != "ab" || *at > 0);
        assert_eq!(all, expected);
        assert!(found(&["abc", "ab"], "a").is_empty());
        assert!(found(&["abc", "ab"], "").is_empty());
    }

    #[test]
    fn keyword_with_capital_keeps_its_case() {
        assert!(found(&["SK", "AKIA"], "sk akia").is_empty());
        assert_eq!(found(&["SK", "AKIA"], "SK-AKIA").len(), 2);
        // A digit and a letter share a class.
        assert!(found(&["123"], "qrs").is_empty());
    }
}
