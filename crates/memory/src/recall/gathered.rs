//! What is found of a question so far. Of a large memory a common word brings up thousands of entries, so that each is looked up once.

use super::layers::RecallIndex;
use super::level::Answered;
use crate::recall::segment::Brief;

/// What an entry gathers.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) score: f64,
    pub(super) answered: Answered,
    pub(super) learned: f64,
    pub(super) instead_of: Option<u32>,
    /// Whether a name of code stands in it as a whole: then its parts do not stand there by chance.
    pub(super) is_named: bool,
    /// The same of each passage of its body, where it has several.
    pub(super) passages: Vec<InPassage>,
    /// The passage that all of it is of.
    pub(super) passage: Option<usize>,
}

/// What an entry gathers by one passage of its body, and by its other parts.
#[derive(Default, Clone)]
pub(super) struct InPassage {
    pub(super) score: f64,
    pub(super) answered: Answered,
}

/// Entries and what they gathered.
pub(super) struct Found<'a> {
    index: &'a RecallIndex,
    /// Where an entry is in the list, by its number: one more than that, or 0.
    places: Vec<u32>,
    all: Vec<FoundEntry>,
    gone: usize,
}

/// An entry that was found.
pub(super) struct FoundEntry {
    pub(super) number: u32,
    pub(super) brief: Brief,
    pub(super) gathered: Gathered,
}

impl<'a> Found<'a> {
    /// Nothing of `index`.
    pub(super) fn of(index: &'a RecallIndex) -> Self {
        Self {
            index,
            places: vec![0; index.most_number()],
            all: Vec::new(),
            gone: 0,
        }
    }

    /// How many entries were found.
    pub(super) fn len(&self) -> usize {
        self.all.len() - self.gone
    }

    fn place(&self, number: u32) -> Option<usize> {
        let place = self.places.get(number as usize)?;
        Some(place.checked_sub(1)? as usize)
    }

    /// Entry `number`, if it was found.
    pub(super) fn get(&self, number: u32) -> Option<&FoundEntry> {
        self.all.get(self.place(number)?)
    }

    /// The same, to be changed.
    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut FoundEntry> {
        let at = self.place(number)?;
        self.all.get_mut(at)
    }

    /// Entry `number`, which counts as found from now on; nothing where there is none.
    pub(super) fn add(&mut self, number: u32) -> Option<&mut FoundEntry> {
        if self.place(number).is_none() {
            let brief = self.index.brief(number)?;
            self.all.push(FoundEntry {
                number,
                brief,
                gathered: Gathered::default(),
            });
            *self.places.get_mut(number as usize)? = u32::try_from(self.all.len()).ok()?;
        }
        self.get_mut(number)
    }

    /// Takes entry `number` out.
    pub(super) fn remove(&mut self, number: u32) -> Option<Gathered> {
        let gathered = std::mem::take(&mut self.get_mut(number)?.gathered);
        self.places[number as usize] = 0;
        self.gone += 1;
        Some(gathered)
    }

    /// All entries that were found, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &FoundEntry> {
        let places = &self.places;
        let list = self.all.iter().enumerate();
        let there = list.filter(|(at, one)| places[one.number as usize] as usize == at + 1);
        there.map(|(_, one)| one)
    }

    /// Calls `change` for each of them.
    pub(super) fn each_mut(&mut self, mut change: impl FnMut(&Brief, &mut Gathered)) {
        let places = &self.places;
        let list = self.all.iter_mut().enumerate();
        let there = list.filter(|(at, one)| places[one.number as usize] as usize == at + 1);
        there.for_each(|(_, one)| change(&one.brief, &mut one.gathered));
    }
}

impl Gathered {
    /// Takes what the best passage answers for what all of it does, where that scores higher: a sentence says as much in a long record
    /// as in a short one. The score is the mean of both: a long record has more passages, and so more chances that one of them
    /// has the words by accident. Of passages that `are_apart` the best stands for itself alone.
    pub(super) fn settle(&mut self, are_apart: bool) {
        let passages = std::mem::take(&mut self.passages).into_iter().enumerate();
        let best = passages.max_by(|(_, one), (_, other)| one.score.total_cmp(&other.score));
        let counts = |best: &InPassage| match are_apart {
            true => best.score > 0.0,
            false => best.score > self.score,
        };
        if let Some((at, best)) = best.filter(|(_, best)| counts(best)) {
            self.score = match are_apart {
                true => best.score,
                false => f64::midpoint(self.score, best.score),
            };
            self.answered = best.answered;
            self.passage = Some(at);
        }
    }
}
