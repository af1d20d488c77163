//! Counts the words of a question in files, stretches and passages.

use std::collections::BTreeMap;

use windlass_base::{Cancel, RepoPath};
use windlass_repo::Snapshot;
use windlass_search::{Term, TermKind, WordCounts};

use crate::file_passages::{Passage, passages};
use crate::question_words::{Question, each_word};
use crate::read_files::{Read, Reading, is_too_large};

/// Number of lines per stretch. Stretches are a cheap substitute for passages, for which we would
/// have to parse every file.
const STRETCH: usize = 30;
/// Weight of the words in a file's path, when they're added to one of its stretches or passages.
const OF_NAME: f64 = 0.5;
/// Weight of the words in a title, which is the path of a file or the symbol of a passage.
const OF_TITLE: f64 = 3.0;

/// For each word that we've seen (in lower case), the number of the matching word of the question.
#[expect(
    clippy::disallowed_types,
    reason = "asked by word alone: nothing depends on its order"
)]
type Known = std::collections::HashMap<String, Option<u32>>;

/// Counts the words of a question in texts. We cache which word of the question matches, because
/// stemming every occurrence of a word would take much longer.
pub(crate) struct Counter<'a> {
    question: &'a Question,
    known: Known,
}

impl<'a> Counter<'a> {
    /// Maximum number of words in the cache. A file full of random identifiers shouldn't use up our
    /// memory.
    const MOST: usize = 1 << 14;

    pub(crate) fn of(question: &'a Question) -> Self {
        Self {
            question,
            known: Known::default(),
        }
    }

    fn counts(&mut self, text: &str) -> WordCounts {
        let mut counts = WordCounts::default();
        self.add(text, &mut counts);
        counts
    }

    fn add(&mut self, text: &str, counts: &mut WordCounts) {
        each_word(text, |term| {
            counts.length += 1.0;
            if let Some(at) = self.asked(&term) {
                *counts.of_words.entry(at).or_default() += 1.0;
            }
        });
    }

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
                if windlass_base::is_on("find.name") {
                    counts.add(&named, OF_NAME);
                }
                stretches.push(counts);
            }
        }
        // The path often names the subject of a file whose text doesn't mention it at all.
        if windlass_base::is_on("find.title") {
            whole.add(&named, OF_TITLE);
        }
        Reading::Read(Box::new(Read {
            path: path.clone(),
            counts: whole,
            stretches,
            having,
            stretch_count,
        }))
    }

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
            if let Some(symbol) = &passage.symbol
                && windlass_base::is_on("find.symbol_title")
            {
                counts.add(&self.counts(symbol), OF_TITLE);
            }
            if windlass_base::is_on("find.name") {
                counts.add(&named, OF_NAME);
            }
            (passage, counts)
        };
        let passages = passages(path.as_str(), &lines, &bytes, &|| cancel.is_cancelled());
        passages.into_iter().map(counted).collect()
    }
}
