use std::cmp::Reverse;

use super::candidates::{Candidate, Candidates, Match, PassageMatch};
use super::feedback_pull::FeedbackPulls;
use super::matched_entry::MatchedEntry;
use super::query_term::QueryTerm;
use super::ranking::Ranking;
use super::search::Search;
use super::thousandths;
use crate::recall::FIELDS;
use crate::recall::index::Posting;
use crate::records::kind::Status;

/// A successor gets this fraction of the score of the entry it superseded.
const SUCCESSION: f64 = 0.95;
/// The factor for a score at weight 0, and by how much it grows up to the maximum weight.
const WEIGHT_FACTORS: (f64, f64) = (0.9, 0.2);

impl<'a> Search<'a> {
    /// Ranks the entries, and returns at most `limit` hits.
    pub(crate) fn ranking(&self, limit: usize) -> Ranking {
        let mut candidates = self.candidates();
        let matched = candidates.len();
        self.follow_successors(&mut candidates);
        // The lead of the best entry depends on the second.
        let best = self.best(&candidates, limit.max(2));
        let scores = best.iter().filter_map(|number| candidates.get(*number));
        let scores: Vec<f64> = scores.map(|one| one.found.score).collect();
        let hits = best.into_iter().enumerate().filter_map(|(rank, number)| {
            // The best entry leads over the next one; all others are compared with the best.
            let found = candidates.remove(number)?;
            let other = scores.get(usize::from(rank == 0)).copied();
            let distance = found.score - other.unwrap_or(0.0);
            let lead = self.weighting.relative_lead(distance, self.expected.all);
            let entry = MatchedEntry::of(self, number, found)?;
            Some(entry.hit(lead, self.expected.most))
        });
        Ranking::of(self, matched, hits.collect(), limit)
    }

    /// Finds all candidates and their scores: the entries with a word of the question, and those
    /// that feedback leads to.
    fn candidates(&self) -> Candidates<'a> {
        let mut candidates = Candidates::of(&self.index.segment);
        for term in &self.terms {
            for posting in &term.postings {
                if let Some(candidate) = candidates.add(posting.entry) {
                    self.add_posting(term, posting, candidate);
                }
            }
        }
        candidates.each_mut(|one| one.found.settle(one.stats.has_independent_passages));
        let pulls = FeedbackPulls::of(self);
        pulls.apply(&mut candidates);
        candidates.each_mut(|one| {
            let weight = f64::from(one.stats.weight) / 1000.0;
            one.found.score *= WEIGHT_FACTORS.0 + WEIGHT_FACTORS.1 * weight;
        });
        pulls.apply_same_question(&mut candidates);
        candidates
    }

    /// Adds the occurrences of `term` in an entry to its score, and to the scores of its passages.
    fn add_posting(&self, term: &QueryTerm<'_>, posting: &Posting, candidate: &mut Candidate) {
        let Candidate { stats, found, .. } = candidate;
        let counts = &posting.counts;
        found.score += term.score(self.weighting, &stats.lengths, counts);
        term.add_to(counts, &mut found.features);
        let passages = stats.passages.len();
        found.passages.resize(passages, PassageMatch::default());
        for at in posting.passages(stats) {
            let counts = posting.counts_within(stats, at);
            if counts != [0; FIELDS] {
                let (passage, lengths) = (&mut found.passages[at], stats.lengths_within(at));
                passage.score += term.score(self.weighting, &lengths, &counts);
                term.add_to(&counts, &mut passage.features);
            }
        }
    }

    /// Replaces superseded candidates with their successors. If the successor has words of the
    /// question as well, we keep the better of the two matches.
    fn follow_successors(&self, candidates: &mut Candidates<'_>) {
        let old = candidates.iter().filter_map(|one| {
            let newer = one.stats.successor?;
            Some((
                self.index.segment.entry(one.number)?.path,
                one.number,
                newer,
            ))
        });
        let mut old: Vec<(&str, u32, u32)> = old.collect();
        // Two superseded entries may have the same successor and the same score. Sort them, so that
        // the result doesn't depend on the order of the candidates.
        old.sort_unstable();
        for (_, old, newer) in old {
            let Some(found) = candidates.remove(old) else {
                continue;
            };
            let Some(own) = candidates.add(newer).map(|one| &mut one.found) else {
                continue;
            };
            if found.score * SUCCESSION > own.score {
                *own = Match {
                    score: found.score * SUCCESSION,
                    instead_of: Some(old),
                    ..found
                };
            }
        }
    }

    fn best(&self, candidates: &Candidates<'_>, limit: usize) -> Vec<u32> {
        let active = candidates
            .iter()
            .filter(|one| one.stats.status == Status::Active);
        let mut scores: Vec<(Reverse<u32>, u32)> = active
            .map(|one| (Reverse(thousandths(one.found.score)), one.number))
            .collect();
        // Decoding an entry is slow, so drop all those whose score is too low to be among the best.
        // (There may be more than `limit` left if scores are equal.)
        if let Some(last) = limit.checked_sub(1).filter(|last| *last < scores.len()) {
            let least = scores.select_nth_unstable(last).1.0;
            scores.retain(|(score, _)| *score <= least);
        }
        let keys = scores.into_iter().filter_map(|(score, number)| {
            let entry = self.index.segment.entry(number)?;
            Some((score, Reverse(entry.updated), entry.path, number))
        });
        let mut keys: Vec<_> = keys.collect();
        keys.sort_unstable();
        keys.truncate(limit);
        keys.into_iter().map(|(.., number)| number).collect()
    }
}
