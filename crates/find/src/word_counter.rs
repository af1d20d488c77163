//! Counts the question's words in files, stretches and passages.

use std::collections::BTreeMap;

use windlass_base::{Cancel, RepoPath};
use windlass_repo::Snapshot;
use windlass_search::{Term, TermKind, WordCounts};

use crate::file_passages::{Passage, passages};
use crate::question_words::{Question, each_word};
use crate::read_files::{Read, Reading, is_too_large};

/// Number of lines in a stretch. We rank files by stretches because passages would require parsing
/// all files.
const STRETCH: usize = 30;
/// Weight of the words in a file's path when they are added to a stretch or passage.
const OF_NAME: f64 = 0.5;
/// Weight of words in a title. A file's title is its path, and a passage's title is its symbol.
const OF_TITLE: f64 = 3.0;

/// Lowercase words, each with the number of the matching word of the question. `None` means that no
/// word matches.
#[expect(
    clippy::disallowed_types,
    reason = "asked by word alone: nothing depends on its order"
)]
type Known = std::collections::HashMap<String, Option<u32>>;

/// Counts the question's words in texts. Texts use the same words over and over, so we cache the
/// match of each word.
pub(crate) struct Counter<'a> {
    question: &'a Question,
    known: Known,
}

impl<'a> Counter<'a> {
    /// Maximum number of cached words. It limits the memory for files full of random identifiers.
    const MOST: usize = 1 << 14;

    /// Creates a counter with an empty cache.
    pub(crate) fn of(question: &'a Question) -> Self {
        Self {
            question,
            known: Known::default(),
        }
    }

    /// Counts the question's words in `text`.
    fn counts(&mut self, text: &str) -> WordCounts {
        let mut counts = WordCounts::default();
        self.add(text, &mut counts);
        counts
    }

    /// Adds the counts of `text` to `counts`.
    fn add(&mut self, text: &str, counts: &mut WordCounts) {
        each_word(text, |term| {
            counts.length += 1.0;
            if let Some(at) = self.asked(&term) {
                *counts.of_words.entry(at).or_default() += 1.0;
            }
        });
    }

    /// Returns the number of the question's word matching `term`.
    fn asked(&mut self, term: &Term<'_>) -> Option<u32> {
        let Question {
            words, initials, ..
        } = self.question;
        if !initials.contains(&term.lower.chars().next()?) {
            return None;
        }
        if term.kind != TermKind::Word {
            return words.get(term.lower).copied();
        }
        if let Some(known) = self.known.get(term.lower) {
            return *known;
        }
        let at = words.get(&*term.stem()).copied();
        if self.known.len() < Self::MOST {
            self.known.insert(term.lower.to_owned(), at);
        }
        at
    }

    /// Reads a file and counts its words.
    pub(crate) fn read(&mut self, snapshot: &Snapshot, path: &RepoPath) -> Reading {
        let source = match snapshot.read(path) {
            Ok(source) => source,
            Err(refusal) => return Reading::Refused(refusal),
        };
        if source.why_no_text().is_some() {
            return Reading::NotText;
        }
        if is_too_large(&source) {
            return Reading::TooLarge(path.clone());
        }
        let bytes = source.shown().bytes();
        let text = String::from_utf8_lossy(&bytes);
        let named = self.counts(path.as_str());
        let (mut whole, mut stretches) = (WordCounts::default(), Vec::new());
        let (mut having, mut stretch_count) = (BTreeMap::new(), 0);
        for stretch in windlass_search::stretches(&text, STRETCH) {
            let mut counts = self.counts(stretch);
            whole.add(&counts, 1.0);
            stretch_count += 1;
            for word in counts.of_words.keys() {
                *having.entry(*word).or_default() += 1;
            }
            if !counts.of_words.is_empty() {
                counts.add(&named, OF_NAME);
                stretches.push(counts);
            }
        }
        // The path often names a file's subject, which the text itself may never mention.
        whole.add(&named, OF_TITLE);
        Reading::Read(Box::new(Read {
            path: path.clone(),
            counts: whole,
            stretches,
            having,
            stretch_count,
        }))
    }

    /// Splits a file into passages and counts each passage's words.
    pub(crate) fn cut(
        &mut self,
        snapshot: &Snapshot,
        path: &RepoPath,
        cancel: &Cancel,
    ) -> Vec<(Passage, WordCounts)> {
        let Ok(source) = snapshot.read(path) else {
            return Vec::new();
        };
        let bytes = source.shown().bytes();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        let named = self.counts(path.as_str());
        let counted = |passage: Passage| {
            let mut counts = WordCounts::default();
            let (first, last) = (
                passage.span.start() as usize - 1,
                passage.span.end() as usize,
            );
            for line in lines.get(first..last).unwrap_or_default() {
                self.add(line, &mut counts);
            }
            if let Some(symbol) = &passage.symbol {
                counts.add(&self.counts(symbol), OF_TITLE);
            }
            counts.add(&named, OF_NAME);
            (passage, counts)
        };
        let passages = passages(path.as_str(), &lines, &bytes, &|| cancel.is_cancelled());
        passages.into_iter().map(counted).collect()
    }
}
