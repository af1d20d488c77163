//! Entries that contain a word of the question, with their scores.

use super::confidence::Features;
use crate::recall::index::{EntryStats, Layers};

/// An entry's score and the facts behind it.
#[derive(Default)]
pub(super) struct Match {
    pub(super) score: f64,
    pub(super) features: Features,
    /// Effect of feedback, from -1 (rejected) to 1 (confirmed).
    pub(super) learned: f64,
    /// Number of the superseded entry that matched in place of this one.
    pub(super) instead_of: Option<u32>,
    /// True if the entry contains a whole code name. The words of that name are then no accidental
    /// matches.
    pub(super) has_code_name: bool,
    /// Score of each passage in the body. Empty if the body is a single passage.
    pub(super) passages: Vec<PassageMatch>,
    /// Index of the best passage, if score and features are those of a passage.
    pub(super) passage: Option<usize>,
}

/// A passage's score, including the fields of the entry that count for every passage.
#[derive(Default, Clone)]
pub(super) struct PassageMatch {
    pub(super) score: f64,
    pub(super) features: Features,
}

impl Match {
    /// Takes score and features from the best passage if that scores higher. A sentence in a long
    /// record is then as good as one in a short record. If passages are independent, the best one
    /// always replaces them.
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

/// An entry that contains a word of the question or was pulled in by feedback.
pub(super) struct Candidate {
    pub(super) number: u32,
    pub(super) stats: EntryStats,
    pub(super) found: Match,
}

/// The entries that match a question, addressed by entry number. In a large memory a common word
/// matches thousands of entries, so we decode the properties of each only once.
pub(super) struct Candidates<'a> {
    layers: &'a Layers,
    /// For each entry number, the index in `list` plus one, or 0 if the entry isn't in the list.
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

    pub(super) fn len(&self) -> usize {
        self.list.len() - self.removed
    }

    fn slot(&self, number: u32) -> Option<usize> {
        let slot = self.slots.get(number as usize)?;
        Some(slot.checked_sub(1)? as usize)
    }

    /// Returns entry `number`, or `None` if it is not a candidate.
    pub(super) fn get(&self, number: u32) -> Option<&Candidate> {
        self.list.get(self.slot(number)?)
    }

    /// Returns entry `number` for modification, or `None` if it is not a candidate.
    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut Candidate> {
        let at = self.slot(number)?;
        self.list.get_mut(at)
    }

    /// Returns entry `number` as a candidate, adding it if needed. Returns `None` if the index has
    /// no such entry.
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

    /// Removes entry `number` from the candidates and returns its match.
    pub(super) fn remove(&mut self, number: u32) -> Option<Match> {
        let found = std::mem::take(&mut self.get_mut(number)?.found);
        self.slots[number as usize] = 0;
        self.removed += 1;
        Some(found)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Candidate> {
        let list = self.list.iter().enumerate();
        let listed = list.filter(|(at, one)| self.slots[one.number as usize] as usize == at + 1);
        listed.map(|(_, one)| one)
    }

    pub(super) fn each_mut(&mut self, change: impl FnMut(&mut Candidate)) {
        let slots = &self.slots;
        let list = self.list.iter_mut().enumerate();
        let listed = list.filter(|(at, one)| slots[one.number as usize] as usize == at + 1);
        listed.map(|(_, one)| one).for_each(change);
    }
}
