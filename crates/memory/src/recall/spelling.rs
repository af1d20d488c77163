//! Words of a question that stand nowhere in the memory, where a word that does is a letter or two otherwise.
//!
//! An English word means itself, however near it is to one that is remembered: who asks for the table does not ask for the cable. So does
//! what stands in a name of code, which is copied rather than written.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use windlass_search::{Slip, TermKind, each_slip, is_english, is_stop_word, slips_between, stem};

use super::layers::RecallIndex;
use super::query::{Query, QueryWord};
use crate::recall::recall_terms::each_term;

/// A question with more words that nobody knows is of another language, or no question.
const MOST: usize = 4;
/// A word of so many letters is one that is a single slip away, of whatever sort.
const ONE_SLIP: usize = 5;
/// A word of so many letters may have another letter in place of one.
const OTHER_LETTER: usize = 6;
/// What is left of a word without its ending has at least so many, where no letters were swapped or doubled: there are too many shorter ones.
const SHORTEST: usize = 4;
/// One of so many letters may be two slips away; what is compared then is what is left of both without their endings, of at least
/// [`LEAST_STEM`] letters.
const TWO_SLIPS: usize = 8;
/// See [`TWO_SLIPS`].
const LEAST_STEM: usize = 7;

/// What was meant by a word that stands nowhere.
enum Meant {
    /// A word that says nothing, or one that is asked for anyway.
    Nothing,
    /// That word of the memory.
    Word(Candidate),
}

/// A word that may have been meant. The likeliest is the least.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    slips: usize,
    slip: Slip,
    /// In how many entries it stands.
    entries: Reverse<u32>,
    /// As it is compared; nothing for a word that says nothing.
    stem: String,
    /// As it would be written, as far as that is known.
    word: String,
}

impl RecallIndex {
    /// `query` with what its words were meant for that stand nowhere, as far as that can be told.
    #[must_use]
    pub fn corrected<'q>(&self, query: &'q Query) -> Cow<'q, Query> {
        if query.is_corrected {
            return Cow::Borrowed(query);
        }
        let names = parts_of_names(query);
        let words = query.words.iter().enumerate();
        let unknown = words.filter(|(_, word)| {
            let may_be = may_be_miswritten(word) && self.is_nowhere(word);
            may_be && !names.contains(&word.stem) && !is_english(word.lower())
        });
        let unknown: Vec<usize> = unknown.map(|(at, _)| at).collect();
        if unknown.is_empty() || unknown.len() > MOST {
            return Cow::Borrowed(query);
        }
        let mut corrected = query.clone();
        corrected.is_corrected = true;
        let mut nothing = BTreeSet::new();
        for at in unknown {
            match self.meant(query.words[at].lower()) {
                None => {}
                Some(Meant::Word(near)) if !corrected.has(&near.stem) => {
                    corrected.words[at].means(near.stem, &near.word);
                }
                Some(_) => {
                    nothing.insert(at);
                }
            }
        }
        let mut at = 0..;
        corrected
            .words
            .retain(|_| at.next().is_none_or(|at| !nothing.contains(&at)));
        Cow::Owned(corrected)
    }

    fn is_nowhere(&self, word: &QueryWord) -> bool {
        let mut stems = [Some(&word.stem), word.plain.as_ref()]
            .into_iter()
            .flatten();
        stems.all(|stem| self.entries_of(stem) == 0)
    }

    /// What was meant by `word`, which stands nowhere.
    fn meant(&self, word: &str) -> Option<Meant> {
        let near = self.one_slip_away(word);
        let near = near.or_else(|| self.two_slips_away(word))?;
        match near.stem.is_empty() {
            true => Some(Meant::Nothing),
            false => Some(Meant::Word(near)),
        }
    }

    /// The likeliest word that is one slip away; a text of nothing where that is one that says nothing.
    fn one_slip_away(&self, word: &str) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        each_slip(word, &mut |other, slip| {
            if word.len() < ONE_SLIP && slip != Slip::Swapped {
                return;
            }
            let stem = stem(other);
            let (entries, stem) = match is_stop_word(other) {
                true if other[..1] == word[..1] => (u32::MAX, ""),
                true => return,
                // A name that is no word of the language is another one, unless letters are swapped or doubled.
                false if slip > Slip::Doubled && !is_english(other) => return,
                false if slip == Slip::Other && word.len() < OTHER_LETTER => return,
                // Of three letters many are near each other.
                false if word.len() < ONE_SLIP - 1 => return,
                false if stem.len() < SHORTEST && slip > Slip::Doubled => return,
                false => (self.entries_of(&stem), &*stem),
            };
            if entries > 0 {
                take_likelier(
                    &mut best,
                    Candidate {
                        slips: 1,
                        slip,
                        entries: Reverse(entries),
                        stem: stem.to_owned(),
                        word: other.to_owned(),
                    },
                );
            }
        });
        best
    }

    /// The likeliest word that is two slips away, by the stems of both: they begin with the same letter.
    fn two_slips_away(&self, word: &str) -> Option<Candidate> {
        let own = stem(word);
        if word.len() < TWO_SLIPS || own.len() < LEAST_STEM {
            return None;
        }
        let mut best: Option<Candidate> = None;
        self.each_term_of(own.as_bytes()[0], &mut |term| {
            if term.len() < LEAST_STEM
                || !is_english(term)
                || !term.bytes().all(|byte| byte.is_ascii_lowercase())
            {
                return;
            }
            let Some(slips) = slips_between(&own, term, 2) else {
                return;
            };
            let entries = self.entries_of(term);
            if entries > 0 {
                take_likelier(
                    &mut best,
                    Candidate {
                        slips,
                        slip: Slip::Other,
                        entries: Reverse(entries),
                        stem: term.to_owned(),
                        word: String::new(),
                    },
                );
            }
        });
        best
    }
}

fn take_likelier(best: &mut Option<Candidate>, found: Candidate) {
    if best.as_ref().is_none_or(|best| found < *best) {
        *best = Some(found);
    }
}

/// Whether it is a word of prose that may be another one, miswritten. What is of capitals alone is short for something.
fn may_be_miswritten(word: &QueryWord) -> bool {
    let is_plain = word.lower().bytes().all(|byte| byte.is_ascii_lowercase());
    let is_short = word.word.bytes().all(|byte| byte.is_ascii_uppercase());
    word.kind == TermKind::Word && is_plain && !is_short && !word.is_common && !word.is_filler
}

/// The stems of the words that names of code in `query` are made of.
fn parts_of_names(query: &Query) -> BTreeSet<String> {
    let mut parts = BTreeSet::new();
    for name in &query.words {
        if name.kind == TermKind::Name {
            each_term(&name.word, |term| {
                parts.insert(term.stem().into_owned());
            });
        }
    }
    parts
}
