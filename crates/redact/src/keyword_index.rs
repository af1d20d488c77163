//! Finds all keywords in one pass over a text, by a bucketed shift-or.
//!
//! This is the filter of Hyperscan (Wang et al., NSDI 2019). Keywords are divided into buckets, and
//! a table has the buckets in which a pair of neighboring bytes occurs at a certain distance from
//! the end of a keyword. We only compare keywords where the last pairs all occur in one bucket.
//! Building an Aho-Corasick automaton for the same keywords would take milliseconds, longer than
//! most scans. This table takes microseconds.

use std::ops::Range;

/// Number of groups of keywords that the filter distinguishes.
const BUCKETS: usize = u16::BITS as usize;
/// Number of pairs checked at the end of a keyword, and of positions checked in one step.
const LANES: usize = u64::BITS as usize / BUCKETS;
/// Number of pairs. Bytes that only differ in their highest bit share a pair.
const PAIRS: usize = 1 << 14;
/// The bit that distinguishes the two cases of a letter.
const CASE: u8 = 0x20;
/// Number of bytes at the end of a keyword compared in one step.
const TAIL: usize = size_of::<u64>();

/// A keyword, and everything to try at its occurrences.
pub(crate) struct Keyword<T> {
    pub(crate) word: &'static str,
    pub(crate) owner: T,
    /// True if case matters, i.e. for a word with a capital.
    is_exact: bool,
}

/// The end of a keyword.
struct End {
    /// The keyword's last eight bytes, and the bits of a text to compare with them.
    tail: u64,
    mask: u64,
    /// Index into [`KeywordIndex::keywords`].
    keyword: usize,
}

pub(crate) struct KeywordIndex<T> {
    keywords: Vec<Keyword<T>>,
    /// One bit per pair, lane and bucket. It is 0 if the pair may stand at the distance of the lane
    /// from the end of a keyword in the bucket.
    table: Box<[u64; PAIRS]>,
    /// Ordered by last pair.
    ends: Vec<End>,
    /// One element per pair, the index of its first element in `ends`, and one more for the end.
    starts: Vec<u16>,
}

impl<T> Keyword<T> {
    /// Returns both cases of the byte at `at` of the word, or twice the same if case matters.
    fn cases(&self, at: usize) -> [u8; 2] {
        let byte = self.word.as_bytes()[at];
        let has_cases = !self.is_exact && byte.is_ascii_alphabetic();
        [byte, if has_cases { byte ^ CASE } else { byte }]
    }

    /// Lists the pairs of bytes that may stand `distance` bytes before the word's end. Pairs may
    /// occur twice. The list is empty if the word is too short.
    fn pairs(&self, distance: usize) -> impl Iterator<Item = usize> {
        let first = self.word.len().checked_sub(2 + distance);
        let pairs = first.map(|first| {
            let seconds = self.cases(first + 1);
            let of_first = |a| seconds.map(|b| pair(a, b));
            self.cases(first).map(of_first)
        });
        pairs.into_iter().flatten().flatten()
    }

    fn is_equal(&self, text: &[u8]) -> bool {
        let word = self.word.as_bytes();
        text == word || (!self.is_exact && text.eq_ignore_ascii_case(word))
    }

    /// Creates the entry for the keyword with this `number`.
    fn end(&self, number: usize) -> End {
        let masks = (0..self.word.len()).map(|at| {
            let [byte, other] = self.cases(at);
            !(byte ^ other)
        });
        let mask = last_bytes(&masks.collect::<Vec<_>>());
        End {
            tail: last_bytes(self.word.as_bytes()) & mask,
            mask,
            keyword: number,
        }
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
        let mut keywords: Vec<_> = keywords.collect();
        keywords.sort_by(|a, b| a.word.bytes().rev().cmp(b.word.bytes().rev()));
        let mut ends: Vec<(usize, usize)> = Vec::new();
        for (number, keyword) in keywords.iter().enumerate() {
            ends.extend(keyword.pairs(0).map(|pair| (pair, number)));
        }
        ends.sort_unstable();
        ends.dedup();
        let mut starts = vec![0; PAIRS + 1];
        for (pair, _) in &ends {
            starts[pair + 1] += 1;
        }
        // So far, `starts` has the number of elements of each pair, one index further on. Add them
        // up to get the index of each pair's first element.
        for pair in 0..PAIRS {
            starts[pair + 1] += starts[pair];
        }
        let ends = ends
            .iter()
            .map(|(_, number)| keywords[*number].end(*number));
        Self {
            table: table(&keywords),
            ends: ends.collect(),
            starts,
            keywords,
        }
    }

    /// Calls `found` with each keyword in `text` and its range, ordered by the ends of these. A
    /// keyword may therefore be reported before one that begins earlier, within that keyword's
    /// length.
    pub(crate) fn for_each(&self, text: &[u8], mut found: impl FnMut(&Keyword<T>, Range<usize>)) {
        let mut previous = 0;
        // In the first step, nothing is known of the pairs before the text, so all may be there.
        let mut lanes = 0;
        let mut step = |start: usize, block: &[u8; LANES]| {
            for (lane, byte) in block.iter().enumerate() {
                let buckets = self.table[pair(previous, *byte)];
                lanes |= u128::from(buckets) << (lane * BUCKETS);
                previous = *byte;
            }
            // The lower half has the positions of this block, the upper one those of the next.
            if lanes as u64 != u64::MAX {
                self.compare(text, start, lanes as u64, &mut found);
            }
            lanes >>= u64::BITS;
        };
        let (blocks, rest) = text.as_chunks();
        for (start, block) in (0..).step_by(LANES).zip(blocks) {
            step(start, block);
        }
        let mut last = [0; LANES];
        last[..rest.len()].copy_from_slice(rest);
        step(text.len() - rest.len(), &last);
    }

    /// Calls `found` with each keyword that ends in the block at `start`, at a position allowed by
    /// `lanes`.
    #[inline(never)]
    fn compare(
        &self,
        text: &[u8],
        start: usize,
        lanes: u64,
        found: &mut impl FnMut(&Keyword<T>, Range<usize>),
    ) {
        let is_allowed = |lane: &usize| (lanes >> (lane * BUCKETS)) as u16 != u16::MAX;
        for end in (0..LANES).filter(is_allowed).map(|lane| start + lane + 1) {
            let Some(&[.., first, second]) = text.get(..end) else {
                continue;
            };
            let pair = pair(first, second);
            let ends = usize::from(self.starts[pair])..usize::from(self.starts[pair + 1]);
            let last = last_bytes(&text[..end]);
            let ends = self.ends[ends].iter();
            for entry in ends.filter(|entry| last & entry.mask == entry.tail) {
                let keyword = &self.keywords[entry.keyword];
                let length = keyword.word.len();
                let Some(start) = end.checked_sub(length) else {
                    continue;
                };
                if length <= TAIL || keyword.is_equal(&text[start..end]) {
                    found(keyword, start..end);
                }
            }
        }
    }
}

/// Reads the last eight bytes as a number. A shorter text is padded with zeros.
fn last_bytes(text: &[u8]) -> u64 {
    if let Some(last) = text.last_chunk() {
        return u64::from_le_bytes(*last);
    }
    let mut last = [0; TAIL];
    last[TAIL - text.len()..].copy_from_slice(text);
    u64::from_le_bytes(last)
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(first & 0x7F) << 7 | usize::from(second & 0x7F)
}

/// Computes [`KeywordIndex::table`].
///
/// Keywords share a bucket with others of similar ends, so that few combinations of their pairs are
/// no keyword. Those too short for all lanes have buckets of their own, because the lanes they
/// don't reach allow all pairs.
fn table<T>(keywords: &[Keyword<T>]) -> Box<[u64; PAIRS]> {
    let mut table = Box::new([u64::MAX; PAIRS]);
    let mut checked = u64::MAX;
    let mut first_bucket = 0;
    for length in 2..=LANES + 1 {
        let group = keywords.iter();
        let group = group.filter(|keyword| keyword.word.len().min(LANES + 1) == length);
        let group: Vec<_> = group.collect();
        let room = BUCKETS - first_bucket - (LANES + 1 - length);
        let buckets = match length > LANES {
            true => room,
            false => (group.len() * BUCKETS / keywords.len()).clamp(1, room),
        };
        for (number, keyword) in group.iter().enumerate() {
            let bucket = first_bucket + number * buckets / group.len();
            for distance in 0..LANES {
                let others = !(1 << (distance * BUCKETS + bucket));
                let mut pairs = keyword.pairs(distance).peekable();
                if pairs.peek().is_none() {
                    checked &= others;
                }
                pairs.for_each(|pair| table[pair] &= others);
            }
        }
        first_bucket += buckets;
    }
    table.iter_mut().for_each(|buckets| *buckets &= checked);
    table
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
