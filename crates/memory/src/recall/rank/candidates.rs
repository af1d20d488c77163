//! Entries with a word of a question, and their scores.

use super::confidence::Features;
use crate::recall::index::{EntryStats, Layers};

/// Score of an entry, and what it is based on.
#[derive(Default)]
pub(super) struct Match {
    pub(super) score: f64,
    pub(super) features: Features,
    /// Effect of feedback, from -1 to 1.
    pub(super) learned: f64,
    /// Number of the superseded entry that was found instead.
    pub(super) instead_of: Option<u32>,
    /// True if the entry has a whole name of code: then the parts of the name do not occur by accident.
    pub(super) has_code_name: bool,
    /// Score of each passage of the body, if there are several.
    pub(super) passages: Vec<PassageMatch>,
    /// Index of the best passage, if the features are those of it.
    pub(super) passage: Option<usize>,
}

/// Score of a passage together with the other fields of the entry.
#[derive(Default, Clone)]
pub(super) struct PassageMatch {
    pub(super) score: f64,
    pub(super) features: Features,
}

impl Match {
    /// Replaces score and features by those of the best passage if that scores higher than the entry: a sentence in a
    /// long record is as good as in a short one. An independent passage counts in any case.
    pub(super) fn settle(&mut self, is_independent: bool) {
        let passages = std::mem::take(&mut self.passages).into_iter().enumerate();
        let best = passages.max_by(|(_, one), (_, other)| one.score.total_cmp(&other.score));
        let counts = |best: &PassageMatch| match is_independent {
            true => best.score > 0.0,
            false => best.score > self.score,
        };
        if let Some((at, best)) = best.filter(|(_, best)| counts(best)) {
            self.score = best.score;
            self.features = best.features;
            self.passage = Some(at);
        }
    }
}

/// Entry that matches a question.
pub(super) struct Candidate {
    pub(super) number: u32,
    pub(super) stats: EntryStats,
    pub(super) found: Match,
}

/// Entries that match a question. A common word matches thousands of entries of a large memory, so each is looked up
/// once.
pub(super) struct Candidates<'a> {
    layers: &'a Layers,
    /// Index of each entry in the list plus one, by entry number; 0 if it is not in the list.
    slots: Vec<u32>,
    list: Vec<Candidate>,
    removed: usize,
}

impl<'a> Candidates<'a> {
    /// Creates an empty list for the entries of `layers`.
    pub(super) fn of(layers: &'a Layers) -> Self {
        Self {
            layers,
            slots: vec![0; layers.number_limit()],
            list: Vec::new(),
            removed: 0,
        }
    }

    /// Returns the number of candidates.
    pub(super) fn len(&self) -> usize {
        self.list.len() - self.removed
    }

    fn slot(&self, number: u32) -> Option<usize> {
        let slot = self.slots.get(number as usize)?;
        Some(slot.checked_sub(1)? as usize)
    }

    /// Returns entry `number` if it is a candidate.
    pub(super) fn get(&self, number: u32) -> Option<&Candidate> {
        self.list.get(self.slot(number)?)
    }

    /// Returns entry `number` if it is a candidate.
    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut Candidate> {
        let at = self.slot(number)?;
        self.list.get_mut(at)
    }

    /// Returns entry `number` as a candidate, adding it if needed; `None` if there is no such entry.
    pub(super) fn add(&mut self, number: u32) -> Option<&mut Candidate> {
        if self.slot(number).is_none() {
            self.list.push(Candidate {
                number,
                stats: self.layers.stats(number)?,
                found: Match::default(),
            });
            *self.slots.get_mut(number as usize)? = u32::try_from(self.list.len()).ok()?;
        }
        self.get_mut(number)
    }

    /// Removes entry `number` and returns its match.
    pub(super) fn remove(&mut self, number: u32) -> Option<Match> {
        let found = std::mem::take(&mut self.get_mut(number)?.found);
        self.slots[number as usize] = 0;
        self.removed += 1;
        Some(found)
    }

    /// Returns all candidates, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Candidate> {
        let list = self.list.iter().enumerate();
        let listed = list.filter(|(at, one)| self.slots[one.number as usize] as usize == at + 1);
        listed.map(|(_, one)| one)
    }

    /// Calls `change` for each candidate.
    pub(super) fn each_mut(&mut self, change: impl FnMut(&mut Candidate)) {
        let slots = &self.slots;
        let list = self.list.iter_mut().enumerate();
        let listed = list.filter(|(at, one)| slots[one.number as usize] as usize == at + 1);
        listed.map(|(_, one)| one).for_each(change);
    }
}
