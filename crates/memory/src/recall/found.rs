//! What is found of a question so far. Of a large memory a common word brings up thousands of entries, so that each is looked up once.

use super::index::Brief;
use super::layers::RecallIndex;
use super::score::Gathered;

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
