//! Documents that have words of a question, by how well they answer it.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::bm25::Rarity;
use crate::index::{Counts, Posting, SearchIndex};
use crate::params::{
    COMMON, COMMON_WEIGHT, CORRECTED_WEIGHT, ORDINARY, OTHERS, RANKING, SUCCESSION,
};
use crate::query::{Query, QueryWord};

/// Answer of an index to a question.
#[derive(Debug)]
pub struct Search<'a> {
    pub(crate) index: &'a SearchIndex,
    /// The question, with its misspelt words corrected.
    pub query: Cow<'a, Query>,
    pub(crate) words: Vec<LookedUp>,
    /// The documents that are found, each once, in no order.
    pub found: Vec<FoundDocument>,
    /// Number of documents that have words of the question, those included that are not found.
    pub total: usize,
}

/// Word of a question as it is in an index.
#[derive(Debug)]
pub(crate) struct LookedUp {
    pub(crate) postings: Vec<Posting>,
    /// Number of documents that have it.
    pub(crate) documents: u32,
    /// Weight of its rarity, in nats.
    pub(crate) rarity: f64,
    /// Weight of an occurrence.
    weight: f64,
}

/// Document that has words of a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoundDocument {
    /// Its number.
    pub document: u32,
    /// The document that has the words: itself, or one that it is found in place of.
    pub source: u32,
    /// The best passage of that.
    pub passage: u32,
    /// Score; it compares only within a search.
    pub score: f64,
    /// Part of the question that was learned to lead to it, 0 to 1; below 0 if it was learned to lead elsewhere.
    pub learned: f64,
    /// Words of the question that were learned to lead to it, a bit for each.
    pub taught: u64,
}

/// Word of a question that a document has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WordMatch {
    /// Number of the word in the question.
    pub word: usize,
    /// Occurrences by field.
    pub counts: Counts,
    /// Contribution to the score.
    pub score: f64,
}

impl SearchIndex {
    /// Finds the documents that have words of `query`.
    #[must_use]
    pub fn search<'a>(&'a self, query: &'a Query) -> Search<'a> {
        let query = self.corrected(query);
        let words = query.words.iter().map(|word| self.look_up(word));
        let mut search = Search {
            words: words.collect(),
            index: self,
            query,
            found: Vec::new(),
            total: 0,
        };
        search.find();
        search
    }

    fn look_up(&self, word: &QueryWord) -> LookedUp {
        let mut postings = self.postings(&word.stem);
        let mut documents = self.documents_with(&word.stem);
        // A name of code that is written so counts twice: PyPy is not PyPI, though both have one stem.
        if let Some(lower) = &word.lower {
            documents += self.documents_with(lower);
            for mut exact in self.postings(lower) {
                exact.counts = exact.counts.map(|count| count.saturating_mul(2));
                match postings.binary_search_by_key(&exact.passage, |posting| posting.passage) {
                    Err(at) => postings.insert(at, exact),
                    Ok(at) => {
                        let counts = postings[at].counts.iter_mut().zip(exact.counts);
                        counts.for_each(|(own, more)| *own = own.saturating_add(more));
                    }
                }
            }
        }
        let rarity = self.rarity(documents, word.is_common);
        let factor = match &word.corrected {
            _ if word.is_common => COMMON_WEIGHT,
            Some(_) => CORRECTED_WEIGHT,
            None => 1.0,
        };
        LookedUp {
            postings,
            documents,
            rarity,
            weight: rarity * factor * f64::from(word.times),
        }
    }

    /// Weight of a word that so many documents have, in nats.
    #[must_use]
    pub fn rarity(&self, documents: u32, is_common: bool) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a number of documents")]
        let all = self.len() as f64 + OTHERS;
        let share = if is_common { COMMON } else { ORDINARY };
        Rarity::Odds.weight(f64::from(documents) + OTHERS * share, all)
    }
}

impl LookedUp {
    /// Score of an occurrence of the word in passage `posting.passage`.
    fn score(&self, index: &SearchIndex, posting: &Posting) -> f64 {
        let counts = posting.counts.map(u32::from);
        let lengths = index.lengths(posting.passage);
        RANKING.term(self.weight, &counts, &lengths, &index.averages)
    }
}

impl Search<'_> {
    /// Scores the passages; a document scores as its best one does.
    fn find(&mut self) {
        let mut scores = vec![0.0; self.index.passage_count() as usize];
        for word in &self.words {
            for posting in &word.postings {
                if let Some(score) = scores.get_mut(posting.passage as usize) {
                    *score += word.score(self.index, posting);
                }
            }
        }
        let mut places = vec![0; self.index.len()];
        let mut last = None;
        for (passage, score) in (0u32..).zip(scores).filter(|(_, score)| *score > 0.0) {
            let Some(source) = self.index.document_of(passage) else {
                continue;
            };
            self.total += usize::from(last != Some(source));
            last = Some(source);
            let Some(document) = self.index.found_as(source) else {
                continue;
            };
            let factor = if source == document { 1.0 } else { SUCCESSION };
            let found = FoundDocument {
                document,
                source,
                passage,
                score: score * factor * self.index.boost(source),
                learned: 0.0,
                taught: 0,
            };
            match places[document as usize] {
                0 => {
                    self.found.push(found);
                    places[document as usize] = self.found.len();
                }
                place if self.found[place - 1].score < found.score => self.found[place - 1] = found,
                _ => {}
            }
        }
    }

    /// Documents that have word `word` of the question.
    #[must_use]
    pub fn documents_with(&self, word: usize) -> BTreeSet<u32> {
        let postings = self.words.get(word).into_iter();
        let postings = postings.flat_map(|word| &word.postings);
        let documents = postings.filter_map(|posting| self.index.document_of(posting.passage));
        documents.collect()
    }

    /// What is found of `document`; it is added without a score if it has no word of the question.
    pub fn found_or_added(&mut self, document: u32) -> &mut FoundDocument {
        let place = self.found.iter().position(|one| one.document == document);
        let place = place.unwrap_or_else(|| {
            self.found.push(FoundDocument {
                document,
                source: document,
                passage: u32::MAX,
                score: 0.0,
                learned: 0.0,
                taught: 0,
            });
            self.found.len() - 1
        });
        &mut self.found[place]
    }

    /// The best `limit` of what is found, the best first; of equals that with the greatest `tie` key, then the first.
    #[must_use]
    pub fn ranked<K: Ord>(&self, limit: usize, tie: impl Fn(u32) -> K) -> Vec<FoundDocument> {
        let key = |found: &FoundDocument| Reverse(thousandths(found.score));
        let mut all = self.found.clone();
        if let Some(last) = limit.checked_sub(1).filter(|last| *last < all.len()) {
            let least = key(all.select_nth_unstable_by_key(last, key).1);
            all.retain(|found| key(found) <= least);
        }
        all.sort_by_cached_key(|found| (key(found), Reverse(tie(found.document)), found.document));
        all.truncate(limit);
        all
    }

    /// The words of the question that a document has, and what each adds to its score.
    #[must_use]
    pub fn matches(&self, found: &FoundDocument) -> Vec<WordMatch> {
        let words = self.words.iter().enumerate();
        let matches = words.filter_map(|(at, word)| {
            let place = word
                .postings
                .binary_search_by_key(&found.passage, |it| it.passage);
            let posting = word.postings.get(place.ok()?)?;
            Some(WordMatch {
                word: at,
                counts: posting.counts,
                score: word.score(self.index, posting),
            })
        });
        matches.collect()
    }

    /// Number of documents that have word `word` of the question, and its weight in nats.
    #[must_use]
    pub fn rarity_of(&self, word: usize) -> (u32, f64) {
        let word = self.words.get(word);
        word.map_or((0, 0.0), |word| (word.documents, word.rarity))
    }
}

/// Rounds to thousandths.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "scores are small and not below zero; others saturate"
)]
pub fn thousandths(number: f64) -> u32 {
    (number * 1000.0).round() as u32
}
