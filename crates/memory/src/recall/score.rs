use std::cmp::Reverse;
use std::collections::BTreeSet;

use windlass_search::{Bm25, Bm25F, Field, Rarity, TermKind, each_term, is_file_name};

use super::layers::RecallIndex;
use super::level::{Answered, Level, STRONG, WEAK, confidence, level_within};
use super::query::{Query, QueryWord};
use super::ranking::{Hit, Ranking, TermShare};
use super::{FIELD_NAMES, FIELDS};
use crate::recall::gathered::{Found, FoundEntry, Gathered, InPassage};
use crate::recall::segment::Posting;
use crate::records::kind::Status;

/// How much a word counts for in each part of an entry, and how much the length of the part counts against it.
const OF_PARTS: Bm25F<FIELDS> = Bm25F {
    k1: SATURATION,
    fields: [
        Field {
            weight: 3.0,
            b: 0.2,
        },
        Field {
            weight: 1.5,
            b: 0.2,
        },
        Field {
            weight: 2.5,
            b: 0.2,
        },
        Field {
            weight: 1.0,
            b: 0.4,
        },
        Field {
            weight: 1.0,
            b: 0.75,
        },
    ],
};
/// How sure it is that an entry is about a word that stands in this part of it.
const STRENGTH: [f64; FIELDS] = [1.0, 1.0, 1.0, 0.85, 0.7];
/// The same of an event of several: a line says what was done, as a heading does.
const OF_ENTRY: f64 = STRENGTH[3];
/// How soon a word that stands there often counts for no more.
const SATURATION: f64 = 1.2;
/// The share of a score that looks at title and body as one text, wherever in it a word stands: what is written to be found by
/// helps where it is good, and costs little where it is not.
const PLAIN: f64 = 0.8;
/// The parts that are one text then.
const TEXT: [usize; 2] = [0, 4];
/// How words count in that text.
const OF_TEXT: Bm25 = Bm25 {
    k1: SATURATION,
    b: 0.75,
};
/// How soon a word that is asked for again and again counts for no more.
const ASKED_AGAIN: f64 = 8.0;
/// How many entries every memory is taken to have beside its own, so that words tell something in a small one, too, where it is said
/// how sure it is.
const OTHERS: f64 = 20.0;
/// The same where entries are ranked: which of two words is the rarer one, the entries that there are say best.
const OTHERS_RANKED: f64 = 5.0;
/// What a common word counts for there.
const COMMON_RANKED: f64 = 0.7;
/// What a word counts for there of which texts are made, whatever they are about: it says less of which one is meant.
const EVERYDAY_RANKED: f64 = 0.7;
/// In which share of these an ordinary word stands.
const ORDINARY: f64 = 0.01;
/// In which share of these a word stands that anybody may say.
const COMMON: f64 = 0.6;
/// What a common word of the question counts for.
pub(super) const COMMON_WEIGHT: f64 = 0.35;
/// What a word of the question counts for that stands nowhere: it may be another word for the same.
const UNKNOWN_WEIGHT: f64 = 0.5;
/// The same for a version, a date and the like: there is no other word for it, so whatever else is known is not what was asked.
const UNKNOWN_NUMBER: f64 = 1.5;
/// What a word counts for that stands there a letter or two otherwise.
const SPELT_OTHERWISE: f64 = 0.8;
/// How many words of a question are expected to be answered at most.
const MOST_ASKED: usize = 5;
/// So many of the best are looked at to say how sure it is, however few are asked for.
const LOOKED_AT: usize = 8;
/// What a record counts for by what it replaced.
const SUCCESSION: f64 = 0.95;
/// The parts that are written to be found by: keywords and aliases.
const CUES: std::ops::Range<usize> = 1..3;

/// A word of the question as it stands in the memory.
pub(super) struct Looked<'a> {
    pub(super) word: &'a QueryWord,
    entries: u32,
    /// What it tells, for who says how sure it is.
    tells: f64,
    /// What it tells one entry from another, for who ranks them.
    weighs: f64,
}

/// What the words of a question tell.
struct Asked {
    /// All of them.
    all: f64,
    /// Those that tell most: of a long question nobody expects that all of it stands in one record.
    most: f64,
    /// What a number tells that it asks for.
    number: f64,
}

impl RecallIndex {
    /// What the memory has to say to `query`, at most `limit` entries.
    #[must_use]
    pub fn recall(&self, query: &Query, limit: usize) -> Ranking {
        let query = &*self.corrected(query);
        let looked = self.look(query);
        let asked = self.asked(query, &looked);
        let mut found = Found::of(self);
        for (one, postings) in &looked {
            for posting in postings {
                let Some(entry) = found.add(posting.entry) else {
                    continue;
                };
                let score = self.share(one, &entry.brief.lengths, &posting.counts);
                let gathered = &mut entry.gathered;
                gathered.score += score;
                gathered.is_named |= one.word.kind == TermKind::Name;
                one.answer(&posting.counts, 0.0, &mut gathered.answered);
                let least = if entry.brief.are_apart { OF_ENTRY } else { 0.0 };
                let several = entry.brief.passages.len();
                gathered.passages.resize(several, InPassage::default());
                for at in posting.passages(&entry.brief) {
                    let counts = posting.within(&entry.brief, at);
                    if counts != [0; FIELDS] {
                        let lengths = entry.brief.lengths_within(at);
                        gathered.passages[at].score += self.share(one, &lengths, &counts);
                        one.answer(&counts, least, &mut gathered.passages[at].answered);
                    }
                }
            }
        }
        for posting in self.numbered(query) {
            if let Some(FoundEntry {
                gathered, brief, ..
            }) = found.get_mut(posting.entry)
            {
                gathered.answered.told += asked.number;
                for (at, passage) in gathered.passages.iter_mut().enumerate() {
                    if posting.within(brief, at) != [0; FIELDS] {
                        passage.answered.told += asked.number;
                    }
                }
            }
        }
        found.each_mut(|brief, gathered| gathered.settle(brief.are_apart));
        self.apply_tuning(query, &looked, &mut found);
        let total = found.len();
        self.follow_successors(&mut found);
        // Some are looked at in any case: one of them may be surer than the best, and the second says how far ahead that is.
        let first = self.first(&found, limit.max(LOOKED_AT));
        let scores = first.iter().filter_map(|number| found.get(*number));
        let scores: Vec<f64> = scores.map(|one| one.gathered.score).collect();
        let hits = first.into_iter().enumerate();
        let hits = hits.filter_map(|(rank, number)| {
            let gathered = found.remove(number)?;
            let other = scores.get(usize::from(rank == 0)).copied();
            let ahead = gathered.score - other.unwrap_or(0.0);
            self.hit(number, &gathered, ahead, &asked, query, &looked)
        });
        let mut hits: Vec<Hit> = hits.collect();
        self.surest_first(&mut hits);
        none_surer_than_the_first(&mut hits);
        hits.truncate(limit.max(1));
        self.ranking(query, hits, total, limit)
    }

    /// Where a number stands near what the question asks the number of.
    fn numbered(&self, query: &Query) -> Vec<Posting> {
        let term = query.quantity.as_deref();
        term.map_or_else(Vec::new, |term| self.postings(term))
    }

    fn asked(&self, query: &Query, looked: &[(Looked<'_>, Vec<Posting>)]) -> Asked {
        let number = match query.quantity {
            Some(_) => self.tells(0, false) * UNKNOWN_WEIGHT,
            None => 0.0,
        };
        let words = looked.iter().filter(|(one, _)| one.word.is_asked());
        let mut values: Vec<f64> = words.map(|(one, _)| one.value()).collect();
        values.extend(query.quantity.iter().map(|_| number));
        values.sort_by(|a, b| b.total_cmp(a));
        Asked {
            all: values.iter().sum(),
            most: values.iter().take(MOST_ASKED).sum(),
            number,
        }
    }

    /// The entries that come first of those that hold, at most so many. Only these are told with all that was found: of a
    /// large memory a common word brings up thousands.
    fn first(&self, found: &Found<'_>, limit: usize) -> Vec<u32> {
        let holding = found
            .iter()
            .filter(|one| one.brief.status == Status::Active);
        let mut scores: Vec<(Reverse<u32>, u32)> = holding
            .map(|one| (Reverse(thousandths(one.gathered.score)), one.number))
            .collect();
        // What else decides between equals is looked up for those alone that may come first.
        if let Some(last) = limit.checked_sub(1).filter(|last| *last < scores.len()) {
            let least = scores.select_nth_unstable(last).1.0;
            scores.retain(|(score, _)| *score <= least);
        }
        let holding = scores.into_iter().filter_map(|(score, number)| {
            let entry = self.entry(number)?;
            Some((score, Reverse(entry.updated), entry.path, number))
        });
        let mut holding: Vec<_> = holding.collect();
        holding.sort_unstable();
        holding.truncate(limit);
        holding.into_iter().map(|(.., number)| number).collect()
    }

    fn look<'a>(&self, query: &'a Query) -> Vec<(Looked<'a>, Vec<Posting>)> {
        let words = query.words.iter().map(|word| {
            let mut postings = self.postings(word.sought());
            if let Some(name) = word.plain.as_ref().filter(|_| word.near.is_none()) {
                Posting::add_all(&mut postings, self.postings(name));
            }
            let entries = u32::try_from(postings.len()).unwrap_or(u32::MAX);
            let counts_for = match word.is_common {
                true => COMMON_RANKED,
                false if word.is_everyday => EVERYDAY_RANKED,
                false if word.near.is_some() => SPELT_OTHERWISE,
                false => 1.0,
            };
            let looked = Looked {
                word,
                entries,
                tells: self.tells(entries, word.is_common),
                weighs: self.tells_beside(OTHERS_RANKED, entries, word.is_common) * counts_for,
            };
            (looked, postings)
        });
        words.collect()
    }

    /// How much a word tells that stands in so many entries, in nats.
    pub(super) fn tells(&self, entries: u32, is_common: bool) -> f64 {
        self.tells_beside(OTHERS, entries, is_common)
    }

    /// The same, if the memory had so many `others` beside its own entries.
    fn tells_beside(&self, others: f64, entries: u32, is_common: bool) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a number of entries")]
        let all = self.len() as f64 + others;
        let with = f64::from(entries) + others * if is_common { COMMON } else { ORDINARY };
        Rarity::Odds.weight(with, all)
    }

    /// What a word of the question gives an entry with parts of such lengths, in which it stands so often.
    fn share(&self, one: &Looked<'_>, lengths: &[u32; FIELDS], counts: &[u32; FIELDS]) -> f64 {
        one.weighs * one.again() * self.saturated(lengths, counts)
    }

    /// BM25F: what stands in each part, weighted, and less for long parts; and then less for each time more. Most of it is
    /// BM25 of title and body as one text.
    fn saturated(&self, lengths: &[u32; FIELDS], counts: &[u32; FIELDS]) -> f64 {
        let of_parts = OF_PARTS.term(1.0, counts, lengths, &self.averages);
        let times: u32 = TEXT.iter().map(|field| counts[*field]).sum();
        let length: u32 = TEXT.iter().map(|field| lengths[*field]).sum();
        let average: f64 = TEXT.iter().map(|field| self.averages[*field]).sum();
        let of_text = OF_TEXT.term(1.0, f64::from(times), f64::from(length), average);
        PLAIN * of_text + (1.0 - PLAIN) * of_parts
    }

    /// What was replaced leads to what replaced it.
    fn follow_successors(&self, found: &mut Found<'_>) {
        let old = found.iter().filter_map(|one| {
            let newer = one.brief.successor?;
            Some((self.entry(one.number)?.path, one.number, newer))
        });
        let mut old: Vec<(&str, u32, u32)> = old.collect();
        // Of two that tell as much the first counts, wherever the index has them.
        old.sort_unstable();
        for (_, old, newer) in old {
            let Some(gathered) = found.remove(old) else {
                continue;
            };
            let Some(own) = found.add(newer).map(|one| &mut one.gathered) else {
                continue;
            };
            if gathered.score * SUCCESSION > own.score {
                *own = Gathered {
                    score: gathered.score * SUCCESSION,
                    instead_of: Some(old),
                    ..gathered
                };
            }
        }
    }

    /// What each word of the question gives entry `number`: the number of the word, the counts, the score.
    fn shares(
        &self,
        number: u32,
        passage: Option<usize>,
        looked: &[(Looked<'_>, Vec<Posting>)],
    ) -> Vec<(usize, [u32; FIELDS], f64)> {
        let Some(brief) = self.brief(number) else {
            return Vec::new();
        };
        let words = looked.iter().enumerate();
        let shares = words.filter_map(|(at, (one, postings))| {
            let place = postings.binary_search_by_key(&number, |posting| posting.entry);
            let posting = postings.get(place.ok()?)?;
            let whole = self.share(one, &brief.lengths, &posting.counts);
            let Some(passage) = passage else {
                return Some((at, posting.counts, whole));
            };
            let counts = posting.within(&brief, passage);
            let own = self.share(one, &brief.lengths_within(passage), &counts);
            match brief.are_apart {
                true => (counts != [0; FIELDS]).then_some((at, counts, own)),
                false => Some((at, posting.counts, f64::midpoint(whole, own))),
            }
        });
        shares.collect()
    }

    /// `ahead` is how much better its score is than that of the best other one.
    fn hit(
        &self,
        number: u32,
        gathered: &Gathered,
        ahead: f64,
        asked: &Asked,
        query: &Query,
        looked: &[(Looked<'_>, Vec<Posting>)],
    ) -> Option<Hit> {
        let entry = self.entry(number)?;
        // By what it replaced, if that is how it was found.
        let shares = self.shares(
            gathered.instead_of.unwrap_or(number),
            gathered.passage,
            looked,
        );
        let mut answered = gathered.answered;
        if asked.most > 0.0 {
            answered.share = (answered.told / asked.most).min(1.0);
        }
        if gathered.is_named {
            answered.share = (answered.share / STRENGTH[FIELDS - 1]).min(1.0);
        }
        if asked.all > 0.0 {
            // Nobody is far ahead of few: others may come.
            #[expect(clippy::cast_precision_loss, reason = "a number of entries")]
            let known = self.len() as f64 / (self.len() as f64 + OTHERS);
            answered.ahead = known * ahead / (asked.all * (SATURATION + 1.0));
        }
        answered.words = answered.told / self.tells(0, false);
        answered.second = answered.next / self.tells(0, false);
        answered.asked = query.telling_words();
        if gathered.learned > 0.0 {
            // What was meant was said by who asked.
            answered.near = 0;
        }
        answered.entries = self.len() + self.beside;
        let has = |number: usize| shares.iter().any(|(at, ..)| *at == number);
        answered.lacks_number = looked.iter().enumerate().any(|(at, (one, _))| {
            let is_number = one.word.is_asked() && one.word.is_number();
            (is_number || asks_for_file(query, one.word)) && !has(at)
        });
        answered.lacks_name =
            gathered.learned <= 0.0 && query.names().any(|name| !name.is_met(has));
        let mut words = query.words.iter().enumerate();
        answered.lacks_matter =
            gathered.learned <= 0.0 && words.any(|(at, word)| word.is_matter && !has(at));
        answered.is_called_so = gathered.learned >= 0.0 && is_called_so(query, &shares);
        let explained = shares.iter().map(|(number, counts, score)| {
            let one = &looked[*number].0;
            let places = (0..FIELDS)
                .filter(|field| counts[*field] > 0)
                .map(|field| (FIELD_NAMES[field], counts[field]));
            TermShare {
                word: one.word.word.clone(),
                stem: one.word.sought().to_owned(),
                is_spelt_otherwise: one.word.near.is_some(),
                entries: one.entries,
                tells: thousandths(one.tells),
                places: places.collect(),
                score: thousandths(*score),
            }
        });
        let matched = shares.iter().map(|(number, ..)| looked[*number].0.word);
        let matched = matched.filter(|word| word.is_asked());
        let (near, matched): (Vec<&QueryWord>, Vec<&QueryWord>) =
            matched.partition(|word| word.near.is_some());
        let written = |words: &[&QueryWord]| words.iter().map(|word| word.told()).collect();
        #[expect(clippy::cast_possible_truncation, reason = "from -1000 to 1000")]
        let learned = (gathered.learned * 1000.0).round() as i32;
        Some(Hit {
            id: entry.id.to_owned(),
            title: entry.title.to_owned(),
            kind: entry.kind,
            status: entry.status,
            path: entry.path.to_owned(),
            updated: entry.updated.to_owned(),
            score: thousandths(gathered.score),
            confidence: thousandths(confidence(answered)),
            matched: written(&matched),
            near: written(&near),
            instead_of: gathered
                .instead_of
                .and_then(|old| Some(self.entry(old)?.id.to_owned())),
            explained: explained.collect(),
            learned,
            share: thousandths(answered.share),
            told: thousandths(answered.told),
            telling: answered.telling,
            ahead: thousandths(answered.ahead),
        })
    }

    /// Puts the surest of `hits` that have more of the question than the best before all others, where the best is of a lower
    /// level: a short record that has one of the words scores higher than a long one that has them all, and yet it is the long one
    /// that answers.
    fn surest_first(&self, hits: &mut [Hit]) {
        let Some(best) = hits.first() else {
            return;
        };
        let has_more = |(_, hit): &(usize, &Hit)| hit.telling > best.telling;
        let surer = hits.iter().enumerate().filter(has_more);
        let surest = surer.max_by_key(|(at, hit)| (hit.confidence, Reverse(*at)));
        let level = |hit: &Hit| level_within(self.bounds(), hit.confidence);
        if let Some((at, hit)) = surest
            && level(hit) > level(best)
        {
            hits[..=at].rotate_right(1);
        }
    }

    /// From so many thousandths on it is weak, and strong.
    fn bounds(&self) -> (i64, i64) {
        (
            WEAK + self.tuning().weak_shift,
            STRONG + self.tuning().strong_shift,
        )
    }

    /// How sure it is, is said of the best alone: it is what the reason names, however many others are shown.
    fn ranking(&self, query: &Query, hits: Vec<Hit>, total: usize, limit: usize) -> Ranking {
        let sure = hits.first().map_or(0, |hit| hit.confidence);
        let bounds = self.bounds();
        let level = level_within(bounds, sure);
        let reason = match (level, hits.first()) {
            _ if query.words.is_empty() => "no word of it says what it is about".to_owned(),
            _ if self.is_empty() => "nothing is remembered yet".to_owned(),
            (_, None) if total > 0 => {
                "its words stand in nothing that holds: what has them was superseded or archived"
                    .to_owned()
            }
            (_, None) => "none of its words stands in the memory".to_owned(),
            (Level::None, _) => "too little of it stands in any one record".to_owned(),
            (Level::Weak, Some(hit)) if hit.has().is_empty() => {
                format!("feedback leads from a question like it to `{}`", hit.id)
            }
            (Level::Weak, Some(hit)) => replaced(hit).unwrap_or_else(|| {
                let matched = hit.has();
                format!("a part of it stands in `{}`: {matched}", hit.id)
            }),
            (Level::Strong, Some(hit)) if hit.has().is_empty() => {
                format!("feedback leads from this question to `{}`", hit.id)
            }
            (Level::Strong, Some(hit)) => {
                replaced(hit).unwrap_or_else(|| format!("`{}` has: {}", hit.id, hit.has()))
            }
        };
        Ranking {
            level,
            confidence: sure,
            reason,
            total,
            searched: self.len(),
            bounds,
            most_records: 3usize
                .min(limit.max(1))
                .saturating_sub(self.tuning().fewer_records)
                .max(1),
            hits,
        }
    }
}

/// That `hit` was found by what it replaced, where that is so: the words of the question stand there.
fn replaced(hit: &Hit) -> Option<String> {
    let old = hit.instead_of.as_ref()?;
    let matched = hit.has();
    Some(format!(
        "`{}` replaced `{old}`, which has: {matched}",
        hit.id
    ))
}

/// Nothing is surer to be meant than what comes first: what has one rare word of a question may look sure by itself, and does not
/// where something else fits better.
fn none_surer_than_the_first(hits: &mut [Hit]) {
    let most = hits.first().map_or(0, |first| first.confidence);
    for hit in hits {
        hit.confidence = hit.confidence.min(most);
    }
}

impl Looked<'_> {
    /// Notes what an entry answers that has it so often in its parts; it counts for `least` wherever it stands.
    fn answer(&self, counts: &[u32; FIELDS], least: f64, answered: &mut Answered) {
        if !self.word.is_asked() {
            return;
        }
        let there = (0..FIELDS).filter(|field| counts[*field] > 0);
        // Of a version or a date it does not matter where it stands.
        let least = if self.word.is_number() { 1.0 } else { least };
        let strength = there.map(|field| STRENGTH[field]).fold(least, f64::max);
        if self.word.near.is_some() {
            answered.told += self.value() * strength * SPELT_OTHERWISE;
            if self.is_telling() {
                answered.has_near(self.tells * SPELT_OTHERWISE);
            }
            return;
        }
        answered.told += self.value() * strength;
        if self.is_telling() {
            answered.has_telling(self.tells);
        }
        answered.has_own_cue |= self.leads_alone_by(counts);
    }

    /// Whether it leads to one entry alone, among whose keywords or aliases it stands: words of a title may be any.
    fn leads_alone_by(&self, counts: &[u32; FIELDS]) -> bool {
        let is_cue = counts[CUES].iter().any(|count| *count > 0);
        is_cue && self.entries == 1 && self.is_telling()
    }

    /// Whether a record is known by it.
    fn is_telling(&self) -> bool {
        !self.word.is_common && !self.word.is_filler
    }

    /// What it counts for in the question.
    pub(super) fn value(&self) -> f64 {
        match (self.word.is_common, self.entries) {
            (true, _) => self.tells * COMMON_WEIGHT,
            (false, 0) if self.word.is_number() => self.tells * UNKNOWN_NUMBER,
            (false, 0) => self.tells * UNKNOWN_WEIGHT,
            (false, _) => self.tells,
        }
    }

    /// How much more it counts for by being asked for several times.
    fn again(&self) -> f64 {
        let times = f64::from(self.word.times);
        times * (ASKED_AGAIN + 1.0) / (times + ASKED_AGAIN)
    }
}

/// Whether all that `query` asks for are words that anybody may say, with others that fill a sentence, and each is one of those by
/// which the entry is called that has these `shares` of it.
fn is_called_so(query: &Query, shares: &[(usize, [u32; FIELDS], f64)]) -> bool {
    let by = |number: usize| {
        let mut own = shares.iter().filter(|(at, ..)| *at == number);
        own.any(|(_, counts, _)| counts[..CUES.end].iter().any(|count| *count > 0))
    };
    let words = query.words.iter().enumerate();
    let asked = words.filter(|(_, word)| word.is_asked());
    asked.clone().any(|(_, word)| word.is_common)
        && asked
            .clone()
            .all(|(at, word)| (word.is_common || word.is_filler) && by(at))
}

/// Whether `query` asks for nothing but the file that `name` names. As a version, a file is named by no other word: the words of its name
/// alone, in a record that does not name it, may be of anything.
fn asks_for_file(query: &Query, name: &QueryWord) -> bool {
    if name.kind != TermKind::Name || !is_file_name(&name.word) {
        return false;
    }
    let mut own = BTreeSet::from([name.stem.clone()]);
    each_term(&name.word, |term| {
        own.insert(term.stem().into_owned());
    });
    let telling = query
        .words
        .iter()
        .filter(|word| word.is_asked() && !word.is_common);
    let mut telling = telling.peekable();
    telling.peek().is_some() && telling.all(|word| own.contains(&word.stem) && word.times == 1)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "scores are small and not below zero; what is not saturates"
)]
pub(super) fn thousandths(number: f64) -> u32 {
    (number * 1000.0).round() as u32
}
