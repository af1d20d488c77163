use super::candidates::Match;
use super::confidence::{Features, confidence};
use super::hit::{Hit, TermShare};
use super::query_term::{QueryTerm, is_in_names};
use super::search::Search;
use super::thousandths;
use crate::recall::index::Entry;
use crate::recall::question::QueryWord;
use crate::recall::{FIELD_NAMES, FIELDS};
use windlass_base::is_on;

struct MatchedTerm {
    /// The word's index in the question.
    at: usize,
    /// Number of occurrences by field.
    counts: [u32; FIELDS],
    score: f64,
}

/// An entry with the words of the question that it contains, to be turned into a [`Hit`].
pub(super) struct MatchedEntry<'s> {
    search: &'s Search<'s>,
    number: u32,
    entry: Entry<'s>,
    found: Match,
    terms: Vec<MatchedTerm>,
}

impl<'s> MatchedEntry<'s> {
    /// Decodes the entry. Returns `None` if it's damaged.
    pub(super) fn of(search: &'s Search<'s>, number: u32, found: Match) -> Option<Self> {
        let mut matched = Self {
            search,
            number,
            entry: search.index.segment.entry(number)?,
            found,
            terms: Vec::new(),
        };
        matched.terms = matched.matched_terms();
        Some(matched)
    }

    /// The words of the question in this entry or, if it replaced one that matched, in that one.
    fn matched_terms(&self) -> Vec<MatchedTerm> {
        let number = self.found.instead_of.unwrap_or(self.number);
        let Some(stats) = self.search.index.segment.stats(number) else {
            return Vec::new();
        };
        let weighting = self.search.weighting;
        let terms = self.search.terms.iter().enumerate();
        let matched = terms.filter_map(|(at, term)| {
            let posting = term.posting(number)?;
            let Some(passage) = self.found.passage else {
                let counts = posting.counts;
                let score = term.score(weighting, &stats.lengths, &counts);
                return Some(MatchedTerm { at, counts, score });
            };
            let own = posting.counts_within(&stats, passage);
            let score = term.score(weighting, &stats.lengths_within(passage), &own);
            let counts = match stats.has_independent_passages {
                true => own,
                false => posting.counts,
            };
            (counts != [0; FIELDS]).then_some(MatchedTerm { at, counts, score })
        });
        matched.collect()
    }

    fn has(&self, word: usize) -> bool {
        self.terms.iter().any(|term| term.at == word)
    }

    /// Completes the features that the confidence is based on. `expected` is the information that
    /// we expect in a single record.
    fn features(&self, lead: f64, expected: f64) -> Features {
        let (search, query) = (self.search, self.search.query);
        let learned = self.found.learned;
        let mut features = self.found.features;
        if expected > 0.0 {
            features.share = (features.matched / expected).min(1.0);
        }
        features.lead = lead;
        let max_information = search.weighting.max_information();
        features.matched_words = features.matched / max_information;
        features.second_share = features.second / max_information;
        features.subject_words = query.subject_words();
        features.entries = search.index.len() + search.index.beside;
        let mut words = query.words.iter().enumerate();
        let mut numbers = words.clone().filter(|(_, word)| word.is_number());
        features.lacks_number =
            is_on("recall.number") && numbers.any(|(at, word)| word.is_required() && !self.has(at));
        if learned > 0.0 {
            // Feedback has confirmed the entry, so don't doubt the corrections anymore.
            features.corrected = 0;
        } else {
            let mut names = query.code_names();
            features.lacks_name =
                is_on("recall.name") && names.any(|name| !name.is_met(|at| self.has(at)));
            features.lacks_aspect =
                is_on("recall.aspect") && words.any(|(at, word)| word.is_aspect && !self.has(at));
        }
        features.is_named_by_common =
            is_on("recall.named") && learned >= 0.0 && self.is_named_by_common();
        features
    }

    /// True if the question consists of common words and fillers, and the title, the keywords or
    /// the aliases contain all of them.
    fn is_named_by_common(&self) -> bool {
        let in_names = |word: usize| {
            let mut own = self.terms.iter().filter(|term| term.at == word);
            own.any(|term| is_in_names(&term.counts))
        };
        let words = self.search.query.words.iter().enumerate();
        let required = words.filter(|(_, word)| word.is_required());
        required.clone().any(|(_, word)| word.is_common)
            && required
                .clone()
                .all(|(at, word)| !word.is_distinctive() && in_names(at))
    }

    fn query_term(&self, matched: &MatchedTerm) -> &'s QueryTerm<'s> {
        &self.search.terms[matched.at]
    }

    fn explained(&self) -> Vec<TermShare> {
        let shares = self.terms.iter().map(|matched| {
            let term = self.query_term(matched);
            let fields = (0..FIELDS).filter(|field| matched.counts[*field] > 0);
            TermShare {
                word: term.word.word.clone(),
                stem: term.word.lookup_stem().to_owned(),
                is_spelt_otherwise: term.word.corrected_stem.is_some(),
                entries: term.entries,
                tells: thousandths(term.information),
                places: fields
                    .map(|field| (FIELD_NAMES[field], matched.counts[field]))
                    .collect(),
                score: thousandths(matched.score),
            }
        });
        shares.collect()
    }

    /// Creates the hit. `lead` is the lead over the next entry, and `expected` is the information
    /// that we expect in a single record.
    pub(super) fn hit(&self, lead: f64, expected: f64) -> Hit {
        let features = self.features(lead, expected);
        let words = self.terms.iter().map(|term| self.query_term(term).word);
        let words = words.filter(|word| word.is_required());
        let (near, matched): (Vec<&QueryWord>, Vec<&QueryWord>) =
            words.partition(|word| word.corrected_stem.is_some());
        let shown = |words: &[&QueryWord]| words.iter().map(|word| word.shown()).collect();
        let old = self.found.instead_of;
        let old = old.and_then(|old| self.search.index.segment.entry(old));
        #[expect(clippy::cast_possible_truncation, reason = "from -1000 to 1000")]
        let learned = (self.found.learned * 1000.0).round() as i32;
        let entry = &self.entry;
        Hit {
            id: entry.id.to_owned(),
            title: entry.title.to_owned(),
            kind: entry.kind,
            status: entry.stats.status,
            path: entry.path.to_owned(),
            updated: entry.updated.to_owned(),
            score: thousandths(self.found.score),
            confidence: thousandths(confidence(features)),
            matched: shown(&matched),
            near: shown(&near),
            instead_of: old.map(|old| old.id.to_owned()),
            explained: self.explained(),
            learned,
            share: thousandths(features.share),
            information: thousandths(features.matched),
            distinctive: features.distinctive,
            lead: thousandths(features.lead),
        }
    }
}
