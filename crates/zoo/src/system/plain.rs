//! An index for the plain tools, which is built once for all questions. BM25 should be a fair
//! competitor, so we split words and names in the same way as `windlass find`, and the names of
//! files count as text.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use windlass_base::LineSpan;
use windlass_search::{Bm25, Rarity, average_length};

use crate::metric::weight;
use crate::recipe::{Files, is_of_memory};

/// The usual parameters of BM25.
const OKAPI: Bm25 = Bm25 { k1: 1.2, b: 0.75 };
/// Number of lines in a passage.
const STRETCH: usize = 40;

/// The files that plain tools search. The index is only built if one of them needs it.
#[derive(Debug)]
pub struct Plain {
    files: Arc<Files>,
    index: OnceLock<Index>,
    /// The tokens of each line, as soon as somebody has asked for them.
    weights: BTreeMap<String, OnceLock<Vec<u64>>>,
}

/// An index that maps words to passages.
#[derive(Debug, Default)]
struct Index {
    /// The text of each file in lower case, in the order of their names.
    lower: Vec<String>,
    stretches: Vec<Stretch>,
    /// For each stem, the passages that have it and the number of times, in order.
    words: BTreeMap<String, Vec<(usize, u32)>>,
    /// The average number of words in a passage.
    average: f64,
}

#[derive(Debug)]
struct Stretch {
    file: usize,
    span: LineSpan,
    /// Number of words.
    length: f64,
}

impl Plain {
    /// Creates an index without reading anything.
    #[must_use]
    pub fn of(files: Arc<Files>) -> Self {
        let weights = files.keys().map(|file| (file.clone(), OnceLock::new()));
        Self {
            weights: weights.collect(),
            index: OnceLock::new(),
            files,
        }
    }

    /// Returns all files by path.
    #[must_use]
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Returns the same for the files of the memory only.
    #[must_use]
    pub fn of_memory(&self) -> Self {
        let mut files = Files::clone(&self.files);
        files.retain(|path, _| is_of_memory(path));
        Self::of(Arc::new(files))
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::of(&self.files))
    }

    /// Finds the files that have words of `question` in their text or name, with the number of
    /// these words. The file with most of them comes first.
    pub(crate) fn ranked(&self, question: &str) -> Vec<(&str, usize)> {
        let index = self.index();
        let mut found: BTreeMap<usize, usize> = BTreeMap::new();
        for word in terms(question).keys() {
            let stretches = index.words.get(word).into_iter().flatten();
            let files: BTreeSet<usize> = stretches
                .map(|(stretch, _)| index.stretches[*stretch].file)
                .collect();
            for file in files {
                *found.entry(file).or_default() += 1;
            }
        }
        let names: Vec<&str> = self.files.keys().map(String::as_str).collect();
        let mut ranked: Vec<(&str, usize)> = found
            .into_iter()
            .map(|(file, count)| (names[file], count))
            .collect();
        ranked.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        ranked
    }

    /// Finds all passages that have a word of `question`, with their scores. The highest score
    /// comes first.
    pub(crate) fn bm25(&self, question: &str) -> Vec<(&str, LineSpan, f64)> {
        let index = self.index();
        let total = index.stretches.len() as f64;
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for word in terms(question).keys() {
            let Some(stretches) = index.words.get(word) else {
                continue;
            };
            let having = stretches.len() as f64;
            let rare = Rarity::Odds.weight(having, total);
            for (at, count) in stretches {
                let (count, length) = (f64::from(*count), index.stretches[*at].length);
                *scores.entry(*at).or_default() += OKAPI.term(rare, count, length, index.average);
            }
        }
        let names: Vec<&str> = self.files.keys().map(String::as_str).collect();
        let place = |(at, score): (usize, f64)| {
            let stretch = &index.stretches[at];
            (names[stretch.file], stretch.span, score)
        };
        let mut places: Vec<_> = scores.into_iter().map(place).collect();
        places.sort_by(|one, other| other.2.total_cmp(&one.2));
        places
    }

    /// Lines that have one of `words` in any case, by file. If a file has none, it is left out.
    pub(crate) fn lines_with(&self, words: &[String]) -> Vec<(&str, Vec<u32>)> {
        let has = |text: &str| words.iter().any(|word| text.contains(word.as_str()));
        let files = self.files.keys().zip(&self.index().lower);
        let found = files.filter(|(_, text)| has(text)).map(|(name, text)| {
            let lines = (1..).zip(text.lines()).filter(|(_, line)| has(line));
            (name.as_str(), lines.map(|(at, _)| at).collect())
        });
        found.collect()
    }

    /// The tokens in each line, plus one for the line break. Empty if we do not know the file.
    pub(crate) fn weights(&self, file: &str) -> &[u64] {
        let (weights, lines) = (self.weights.get(file), self.files.get(file));
        weights.zip(lines).map_or(&[], |(weights, lines)| {
            weights.get_or_init(|| lines.iter().map(|line| weight(line)).collect())
        })
    }

    /// The tokens in a file. 0 if we do not know it.
    pub(crate) fn tokens(&self, file: &str) -> u64 {
        self.weights(file).iter().sum()
    }

    /// The lines of a file. 0 if we do not know it.
    pub(crate) fn count(&self, file: &str) -> u32 {
        self.files.get(file).map_or(0, Vec::len) as u32
    }
}

impl Index {
    fn of(files: &Files) -> Self {
        let mut index = Self::default();
        for (at, (name, lines)) in files.iter().enumerate() {
            index.lower.push(lines.join("\n").to_lowercase());
            let named = terms(name);
            for (stretch, lines) in lines.chunks(STRETCH).enumerate() {
                let first = (stretch * STRETCH) as u32 + 1;
                if let Ok(span) = LineSpan::new(first, first + lines.len() as u32 - 1) {
                    index.add(at, span, lines, &named);
                }
            }
        }
        let lengths = index.stretches.iter().map(|stretch| stretch.length);
        index.average = average_length(lengths.sum(), index.stretches.len());
        index
    }

    /// Adds a passage. The words of the file's name count as well.
    fn add(
        &mut self,
        file: usize,
        span: LineSpan,
        lines: &[String],
        named: &BTreeMap<String, u32>,
    ) {
        let mut counts = named.clone();
        for line in lines {
            count(line, &mut counts);
        }
        let at = self.stretches.len();
        self.stretches.push(Stretch {
            file,
            span,
            length: counts.values().map(|count| f64::from(*count)).sum(),
        });
        for (word, count) in counts {
            self.words.entry(word).or_default().push((at, count));
        }
    }
}

/// Counts stems without stop words. Identifiers count both as a whole and in parts.
fn terms(text: &str) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    count(text, &mut counts);
    counts
}

fn count(text: &str, counts: &mut BTreeMap<String, u32>) {
    windlass_search::each_term(text, |term| {
        *counts.entry(term.stem().into_owned()).or_default() += 1;
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Files {
        let of = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        Files::from([
            ("src/retry.rs".to_owned(), of(&["fn a() {}", "// nothing"])),
            (
                "src/wait.rs".to_owned(),
                of(&["fn retryDelay() {}", "// delays grow"]),
            ),
            ("src/other.rs".to_owned(), of(&["fn b() {}"])),
        ])
    }

    #[test]
    fn names_stems_and_paths_match() {
        let plain = Plain::of(Arc::new(files()));
        let asked = "how do retries get delayed";
        let ranked = plain.ranked(asked);
        assert_eq!(ranked, [("src/wait.rs", 2), ("src/retry.rs", 1)]);
        let best: Vec<&str> = plain.bm25(asked).iter().map(|(file, ..)| *file).collect();
        assert_eq!(best, ["src/wait.rs", "src/retry.rs"]);
    }

    #[test]
    fn word_matches_anywhere_in_line() {
        let plain = Plain::of(Arc::new(files()));
        let found = plain.lines_with(&["delay".to_owned()]);
        assert_eq!(found, [("src/wait.rs", vec![1, 2])]);
    }
}
