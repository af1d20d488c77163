use super::confidence::Features;
use crate::recall::index::{EntryStats, Segment};
use windlass_base::is_on;

#[derive(Default)]
pub(super) struct Match {
    pub(super) score: f64,
    pub(super) features: Features,
    /// The effect of feedback, from -1 (rejected) to 1 (confirmed).
    pub(super) learned: f64,
    /// Number of the superseded entry that contains the words, if they aren't in this one.
    pub(super) instead_of: Option<u32>,
    /// Matches by passage. Empty if the body is a single passage.
    pub(super) passages: Vec<PassageMatch>,
    /// Index of the best passage, if we took the score and the features from there.
    pub(super) passage: Option<usize>,
}

/// The score of a passage, including the fields that all passages share.
#[derive(Default, Clone)]
pub(super) struct PassageMatch {
    pub(super) score: f64,
    pub(super) features: Features,
}

impl Match {
    /// Takes the score and the features from the best passage if that's better than the entry as a
    /// whole.
    ///
    /// Otherwise, a long record would always lose against a short one with the same sentence. If
    /// passages are independent, we only look at the best one, since words from several of them
    /// don't say anything about the whole.
    pub(super) fn settle(&mut self, is_independent: bool) {
        let passages = std::mem::take(&mut self.passages).into_iter().enumerate();
        let best = passages.max_by(|(_, one), (_, other)| one.score.total_cmp(&other.score));
        let counts = |best: &PassageMatch| match is_independent {
            true => best.score > 0.0,
            false => best.score > self.score && is_on("recall.passages"),
        };
        if let Some((at, best)) = best.filter(|(_, best)| counts(best)) {
            self.score = best.score;
            self.features = best.features;
            self.passage = Some(at);
        }
    }
}

/// An entry with a word of the question, or one pulled in by feedback.
pub(super) struct Candidate {
    pub(super) number: u32,
    pub(super) stats: EntryStats,
    pub(super) found: Match,
}

/// The candidates for a question, by entry number.
///
/// In a large memory, a common word leads to thousands of entries, which the other words of the
/// question may lead to again. So we decode the properties of each entry only once.
pub(super) struct Candidates<'a> {
    segment: &'a Segment,
    /// For each entry number, its index in `list` plus one, or 0 if the entry isn't in the list.
    slots: Vec<u32>,
    list: Vec<Candidate>,
    removed: usize,
}

impl<'a> Candidates<'a> {
    pub(super) fn of(segment: &'a Segment) -> Self {
        Self {
            segment,
            slots: vec![0; segment.len()],
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

    pub(super) fn get(&self, number: u32) -> Option<&Candidate> {
        self.list.get(self.slot(number)?)
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut Candidate> {
        let at = self.slot(number)?;
        self.list.get_mut(at)
    }

    /// Makes entry `number` a candidate, unless it already is one. Returns `None` if the index has
    /// no such entry.
    pub(super) fn add(&mut self, number: u32) -> Option<&mut Candidate> {
        if self.slot(number).is_none() {
            self.list.push(Candidate {
                number,
                stats: self.segment.stats(number)?,
                found: Match::default(),
            });
            *self.slots.get_mut(number as usize)? = u32::try_from(self.list.len()).ok()?;
        }
        self.get_mut(number)
    }

    pub(super) fn remove(&mut self, number: u32) -> Option<Match> {
        let found = std::mem::take(&mut self.get_mut(number)?.found);
        // Leave the candidate in the list, since removing it would change the index of all others.
        // The iterators skip it because its slot is empty.
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
