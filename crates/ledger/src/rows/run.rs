//! Runs of rows, and reads that combine them.

use std::convert::Infallible;
use std::sync::Arc;

use super::part::{RowPlace, Stored};
use super::{Built, Damage, Part, PartBuilder};

/// A row to write: key and value. The value is `None` for a removed row.
pub(crate) type Row = (Vec<u8>, Option<Vec<u8>>);

/// The rows that one piece of the log changed, sorted by key.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) parts: Vec<Arc<Part>>,
}

impl Run {
    /// Builds a run from sorted rows. `store` gets each finished part and may write it to a file.
    ///
    /// # Errors
    /// Returns an error if `store` fails.
    pub(crate) fn build<E>(
        rows: impl Iterator<Item = Row>,
        store: &mut dyn FnMut(Built) -> Result<Part, E>,
    ) -> Result<Self, E> {
        let mut builder = PartBuilder::new(store);
        for (key, value) in rows {
            builder.push(&key, value.as_deref())?;
        }
        let parts = builder.finish()?.into_iter().map(Arc::new).collect();
        Ok(Self { parts })
    }

    /// Like [`Self::build`], but keeps the run in memory until it is saved.
    pub(crate) fn in_memory(rows: impl Iterator<Item = Row>) -> Self {
        let mut store = |built: Built| Ok::<_, Infallible>(Part::in_memory(built));
        match Self::build(rows, &mut store) {
            Ok(run) => run,
            Err(never) => match never {},
        }
    }

    /// Iterates over the rows, without keeping them in memory.
    fn copied(&self) -> impl Iterator<Item = Row> {
        self.parts.iter().flat_map(|part| part.copied())
    }

    fn get(&self, key: &[u8]) -> Option<Stored<'_>> {
        let at = self.part_of(key);
        let part = self.parts.get(at)?;
        let mut place = part.seek(key);
        let row = part.next(&mut place)?;
        // If the key isn't there, `seek` has found the one after it.
        (row.0 == key).then_some(row)
    }

    fn part_of(&self, key: &[u8]) -> usize {
        self.parts.partition_point(|part| &*part.info.last < key)
    }

    fn cursor(&self, key: &[u8]) -> Cursor<'_> {
        let part = self.part_of(key);
        let place = self.parts.get(part).map(|part| part.seek(key));
        let mut cursor = Cursor {
            parts: &self.parts,
            part,
            place: place.unwrap_or_default(),
            row: None,
        };
        cursor.advance();
        cursor
    }
}

struct Cursor<'a> {
    parts: &'a [Arc<Part>],
    part: usize,
    place: RowPlace,
    row: Option<Stored<'a>>,
}

impl Cursor<'_> {
    fn advance(&mut self) {
        self.row = None;
        while let Some(part) = self.parts.get(self.part) {
            self.row = part.next(&mut self.place);
            if self.row.is_some() {
                break;
            }
            (self.part, self.place) = (self.part + 1, RowPlace::default());
        }
    }
}

/// The runs of a state, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Runs {
    runs: Arc<Vec<Arc<Run>>>,
    damage: Damage,
}

impl Runs {
    pub(crate) fn new(runs: Vec<Arc<Run>>, damage: &Damage) -> Self {
        Self {
            runs: Arc::new(runs),
            damage: damage.clone(),
        }
    }

    pub(crate) fn damage(&self) -> &Damage {
        &self.damage
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.entry(key).map(|(_, value)| value)
    }

    /// Returns the newest value of `key` like [`Self::get`], and also the stored copy of the key,
    /// which lives as long as the runs.
    pub(crate) fn entry(&self, key: &[u8]) -> Option<(&[u8], &[u8])> {
        // The newest run that has the key decides, even if it says that the row was removed.
        let (key, value) = self.runs.iter().rev().find_map(|run| run.get(key))?;
        Some((key, value?))
    }

    /// Calls `take` with all rows whose keys begin with `prefix`, in no order, without keeping them in
    /// memory. A key may come several times: outdated rows are not left out.
    pub(crate) fn each_row(&self, prefix: &[u8], mut take: impl FnMut(&[u8], &[u8])) {
        for part in self.runs.iter().flat_map(|run| &run.parts) {
            part.each_row(prefix, &mut |(key, value)| {
                if let Some(value) = value {
                    take(key, value);
                }
            });
        }
    }

    /// Iterates over the rows whose keys begin with `prefix`, from the key `first` on.
    pub(crate) fn from<'a>(
        &'a self,
        first: &[u8],
        prefix: &[u8],
    ) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let newest_first = self.runs.iter().rev();
        let mut cursors: Vec<Cursor<'a>> = newest_first.map(|run| run.cursor(first)).collect();
        let prefix = prefix.to_vec();
        std::iter::from_fn(move || {
            loop {
                let (key, value) = next_of(&mut cursors)?;
                if !key.starts_with(&prefix) {
                    return None;
                }
                if let Some(value) = value {
                    return Some((key, value));
                }
            }
        })
    }
}

/// Returns the row with the lowest key, and moves all cursors past it. The cursors are sorted from
/// the newest run to the oldest, so if several have that key, the first one counts.
fn next_of<'a>(cursors: &mut [Cursor<'a>]) -> Option<Stored<'a>> {
    let rows = cursors.iter().filter_map(|cursor| cursor.row);
    let lowest = rows.reduce(|one, other| if other.0 < one.0 { other } else { one })?;
    for cursor in cursors {
        if cursor.row.is_some_and(|(key, _)| key == lowest.0) {
            cursor.advance();
        }
    }
    Some(lowest)
}

/// Merges neighbouring runs, which must be sorted oldest first. If there is no older run below
/// them, removed rows have nothing left to hide, so we drop them.
pub(crate) fn merged(runs: &[&Run], is_oldest: bool) -> impl Iterator<Item = Row> {
    let newest_first = runs.iter().rev();
    let mut sources: Vec<_> = newest_first.map(|run| run.copied().peekable()).collect();
    let rows = std::iter::from_fn(move || {
        let keys = sources.iter_mut().filter_map(|rows| rows.peek());
        let lowest = keys.map(|(key, _)| key).min()?.clone();
        let same = sources
            .iter_mut()
            .filter_map(|rows| rows.next_if(|(key, _)| *key == lowest));
        // Every run has to move past the key, but only the newest value counts.
        same.reduce(|newest, _| newest)
    });
    rows.filter(move |(_, value)| !is_oldest || value.is_some())
}
