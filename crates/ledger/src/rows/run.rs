//! Runs of rows, and reads that combine them.

use std::convert::Infallible;
use std::sync::Arc;

use super::part::{RowPlace, Stored};
use super::{Built, Damage, Part, PartBuilder};

/// A row to write: key and value. The value is `None` for a removed row.
pub(crate) type Row = (Vec<u8>, Option<Vec<u8>>);

/// Encodes the value of a row. Most have 64 to 256 bytes, so the first buffer or the next is enough.
pub(crate) fn encoded(value: &impl serde::Serialize) -> Vec<u8> {
    postcard::to_extend(value, Vec::with_capacity(128)).unwrap_or_default()
}

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
        // If the key isn't there, the first row is the one after it.
        self.rows_from(key).next().filter(|row| row.0 == key)
    }

    /// Iterates over the rows whose keys aren't below `key`.
    fn rows_from(&self, key: &[u8]) -> impl Iterator<Item = Stored<'_>> + use<'_> {
        let mut at = self.parts.partition_point(|part| &*part.info.last < key);
        let part = self.parts.get(at);
        let mut place = part.map_or_else(RowPlace::default, |part| part.seek(key));
        std::iter::from_fn(move || {
            loop {
                if let Some(row) = self.parts.get(at)?.next(&mut place) {
                    return Some(row);
                }
                (at, place) = (at + 1, RowPlace::default());
            }
        })
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
        let rows = merge(newest_first.map(|run| run.rows_from(first)).collect());
        let prefix = prefix.to_vec();
        rows.take_while(move |(key, _)| key.starts_with(&prefix))
            .filter_map(|(key, value)| Some((key, value?)))
    }
}

/// Merges sorted sources, which must be in order from the newest to the oldest. Of several rows
/// with the same key, the newest one counts.
fn merge<K: Ord, V>(
    mut sources: Vec<impl Iterator<Item = (K, V)>>,
) -> impl Iterator<Item = (K, V)> {
    // The next row of each source, the lowest and newest one last. Neighbouring rows tend to be in
    // the same source, so they take one comparison.
    let mut next: Vec<(K, usize, V)> = Vec::with_capacity(sources.len());
    let all = 0..sources.len();
    let mut advance = move |next: &mut Vec<(K, usize, V)>, source: usize| {
        if let Some((key, value)) = sources[source].next() {
            let is_later = |other: &(K, usize, V)| (&other.0, other.1) > (&key, source);
            let at = next.iter().rposition(is_later).map_or(0, |at| at + 1);
            next.insert(at, (key, source, value));
        }
    };
    all.for_each(|source| advance(&mut next, source));
    std::iter::from_fn(move || {
        let (key, newest, value) = next.pop()?;
        advance(&mut next, newest);
        while let Some((_, older, _)) = next.pop_if(|(other, ..)| *other == key) {
            advance(&mut next, older);
        }
        Some((key, value))
    })
}

/// Merges neighbouring runs, which must be sorted oldest first. If there is no older run below
/// them, removed rows have nothing left to hide, so we drop them.
pub(crate) fn merged(runs: &[&Run], is_oldest: bool) -> impl Iterator<Item = Row> {
    let newest_first = runs.iter().rev().map(|run| run.copied());
    let rows = merge(newest_first.collect());
    rows.filter(move |(_, value)| !is_oldest || value.is_some())
}
