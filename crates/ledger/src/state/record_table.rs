//! Tables of records by id.
//!
//! We read the rows of a checkpoint on demand, so that a query over a large ledger doesn't have to
//! parse every record. Records that have changed since the checkpoint are in memory, and take
//! precedence over its rows.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::ops::Bound;
use std::sync::OnceLock;

use crate::rows::{Row, Runs, encoded, key, overlaid};
use crate::stored_record::Record;

/// Records by id. `runs` has the rows of a checkpoint, and `changed` the records that differ.
#[derive(Debug, Clone)]
pub struct Table<R: Record> {
    runs: Runs,
    changed: BTreeMap<String, (R, R::Note)>,
    count: usize,
    /// The first record that we parsed. Commands tend to read one large record again and again,
    /// such as a molecule.
    read: OnceLock<R>,
}

/// A record in a table. Finding it doesn't parse it.
pub enum Found<'a, R: Record> {
    /// The record has changed since the checkpoint, so it's in memory.
    Changed(&'a R, &'a R::Note),
    /// The record is as in the checkpoint.
    Stored {
        /// For reading the whole record.
        row: StoredRow<'a>,
        /// The encoded short form.
        head: &'a [u8],
    },
}

/// Refers to a record of a checkpoint that we have not read.
#[derive(Clone, Copy)]
pub struct StoredRow<'a> {
    runs: &'a Runs,
    id: &'a str,
}

impl<'a> StoredRow<'a> {
    fn line(&self, kind: u8) -> &'a [u8] {
        let line = self.runs.get(&key::of(kind + 1, self.id.as_bytes()));
        line.unwrap_or_default()
    }
}

impl<'a, R: Record> Found<'a, R> {
    /// Returns the id and the record of a row of `runs`.
    fn stored(runs: &'a Runs, key: &'a [u8], head: &'a [u8]) -> (&'a str, Self) {
        let id = id_of(key);
        let row = StoredRow { runs, id };
        (id, Self::Stored { row, head })
    }

    /// The whole record, or `None` if its line is damaged.
    #[must_use]
    pub fn record(&self) -> Option<R> {
        match self {
            Self::Changed(record, _) => Some((*record).clone()),
            Self::Stored { row, .. } => {
                let record = serde_json::from_slice(row.line(R::ROWS)).ok();
                if record.is_none() {
                    // Others use this state as well, so make sure that none of them trusts it.
                    row.runs.damage().note("a record in it cannot be read");
                }
                record
            }
        }
    }

    /// The short form, which has the fields that most queries need.
    #[must_use]
    pub fn head(&self) -> Option<R::Head<'a>> {
        match self {
            Self::Changed(record, note) => Some(record.head(note)),
            Self::Stored { head, .. } => postcard::from_bytes(head).ok(),
        }
    }

    /// The record as JSON.
    #[must_use]
    pub fn line(&self) -> Cow<'a, [u8]> {
        match self {
            Self::Changed(record, _) => serde_json::to_vec(record).unwrap_or_default().into(),
            Self::Stored { row, .. } => row.line(R::ROWS).into(),
        }
    }
}

impl<R: Record> Default for Table<R> {
    fn default() -> Self {
        Self::on(&Runs::default(), 0)
    }
}

fn id_of(key: &[u8]) -> &str {
    let id = key.get(1..).unwrap_or_default();
    std::str::from_utf8(id).unwrap_or_default()
}

impl<R: Record> Table<R> {
    pub(crate) fn on(runs: &Runs, count: usize) -> Self {
        Self {
            runs: runs.clone(),
            changed: BTreeMap::new(),
            count,
            read: OnceLock::new(),
        }
    }

    /// Parses the record with this id. Returns `None` if there's none or it's damaged.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<R> {
        self.find(id)?.record()
    }

    /// Like [`Self::get`], but borrows the record if we have it in memory. That's the case if it
    /// has changed since the checkpoint, or if it was the first one to be read.
    pub(crate) fn get_cow(&self, id: &str) -> Option<Cow<'_, R>> {
        let found = self.find(id)?;
        if let Found::Changed(record, _) = found {
            return Some(Cow::Borrowed(record));
        }
        if self.read.get().is_none() {
            let _ = self.read.set(found.record()?);
        }
        match self.read.get().filter(|read| read.id() == id) {
            Some(read) => Some(Cow::Borrowed(read)),
            None => found.record().map(Cow::Owned),
        }
    }

    /// Looks up a record without reading its line.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Found<'_, R>> {
        self.entry(id).map(|(_, found)| found)
    }

    /// The short form of the record with this id.
    #[must_use]
    pub fn head(&self, id: &str) -> Option<R::Head<'_>> {
        self.find(id)?.head()
    }

    /// Like [`Self::find`], but also returns the table's own copy of the id, which lives as long as
    /// the table.
    pub(crate) fn entry(&self, id: &str) -> Option<(&str, Found<'_, R>)> {
        if let Some((id, (record, note))) = self.changed.get_key_value(id) {
            return Some((id, Found::Changed(record, note)));
        }
        let (key, head) = self.runs.entry(&key::of(R::ROWS, id.as_bytes()))?;
        Some(Found::stored(&self.runs, key, head))
    }

    /// True if there's a record with this id, even if it's damaged.
    #[must_use]
    pub fn contains(&self, id: &str) -> bool {
        self.entry(id).is_some()
    }

    /// All records, sorted by id.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Found<'_, R>)> {
        self.from("")
    }

    pub(crate) fn starting_with<'a>(
        &'a self,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a str, Found<'a, R>)> {
        self.from(prefix)
            .take_while(move |(id, _)| id.starts_with(prefix))
    }

    fn from<'a>(&'a self, first: &str) -> impl Iterator<Item = (&'a str, Found<'a, R>)> {
        let start = key::of(R::ROWS, first.as_bytes());
        let stored = self.runs.from(&start, &[R::ROWS]);
        let stored = stored.map(|(key, head)| Found::stored(&self.runs, key, head));
        let changed = self
            .changed
            .range::<str, _>((Bound::Included(first), Bound::Unbounded));
        let changed =
            changed.map(|(id, (record, note))| (id.as_str(), Some(Found::Changed(record, note))));
        overlaid(stored, changed)
    }

    /// Finds the records whose lines may have `text`, sorted by id. `text` must be in lower case.
    /// Callers have to check themselves if it's in the right place.
    pub(crate) fn mentioning(&self, text: &str) -> Vec<(&str, Found<'_, R>)> {
        // The lines are JSON, so compare them to the text as JSON would write it.
        let escaped = serde_json::to_string(text).unwrap_or_default();
        let pattern = regex::escape(escaped.trim_matches('"'));
        let pattern = regex::bytes::RegexBuilder::new(&pattern)
            .case_insensitive(true)
            .unicode(false)
            .build();
        // We can't compare non-ASCII letters regardless of case without decoding them, so keep
        // every row.
        let pattern = pattern.ok().filter(|_| text.is_ascii());
        let may_match = |line: &[u8]| pattern.as_ref().is_none_or(|it| it.is_match(line));
        let mut ids: BTreeSet<String> = self.changed.keys().cloned().collect();
        // An outdated line may match as well, so this finds too many rather than too few.
        self.runs.each_row(&[R::ROWS + 1], |key, line| {
            if may_match(line) {
                ids.insert(id_of(key).to_owned());
            }
        });
        ids.iter().filter_map(|id| self.entry(id)).collect()
    }

    /// Number of records, without reading any.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn insert(&mut self, record: R, note: R::Note) {
        if !self.contains(record.id()) {
            self.count += 1;
        }
        self.changed.insert(record.id().to_owned(), (record, note));
    }

    /// Gets a record to modify. From now on, it counts as changed since the checkpoint, even if the
    /// caller leaves it as it is.
    pub(crate) fn get_mut(&mut self, id: &str) -> Option<(&mut R, &mut R::Note)> {
        let (record, note) = match self.changed.entry(id.to_owned()) {
            Entry::Occupied(changed) => changed.into_mut(),
            Entry::Vacant(unchanged) => {
                // The cached record is about to be outdated. If it's the one we need, we also save
                // parsing it.
                let read = self.read.take().filter(|read| read.id() == id);
                let (key, head) = self.runs.entry(&key::of(R::ROWS, id.as_bytes()))?;
                let (_, found) = Found::<R>::stored(&self.runs, key, head);
                let note = R::note(&found.head()?);
                unchanged.insert((read.map_or_else(|| found.record(), Some)?, note))
            }
        };
        Some((record, note))
    }

    pub(crate) fn take_changes(&mut self) -> impl Iterator<Item = Row> + use<R> {
        let changed = std::mem::take(&mut self.changed);
        let (mut heads, mut lines) = (Vec::new(), Vec::new());
        for (id, (record, note)) in changed {
            let head = encoded(&record.head(&note));
            let line = serde_json::to_vec(&record).unwrap_or_default();
            heads.push((key::of(R::ROWS, id.as_bytes()), Some(head)));
            lines.push((key::of(R::ROWS + 1, id.as_bytes()), Some(line)));
        }
        // The kind of the lines is one higher than that of the short forms, so this is the order of
        // keys.
        heads.into_iter().chain(lines)
    }

    pub(crate) fn set_runs(&mut self, runs: &Runs) {
        (self.runs, self.read) = (runs.clone(), OnceLock::new());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::rows::{Damage, Run};

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Pair {
        id: String,
        value: u32,
    }

    impl Record for Pair {
        const ROWS: u8 = 8;
        type Note = String;
        type Head<'a> = (u32, &'a str);

        fn id(&self) -> &str {
            &self.id
        }

        fn head<'a>(&'a self, note: &'a String) -> (u32, &'a str) {
            (self.value, note)
        }

        fn note(head: &(u32, &str)) -> String {
            head.1.to_owned()
        }
    }

    fn reread(table: &mut Table<Pair>, runs: &mut Vec<Arc<Run>>) {
        runs.push(Arc::new(Run::in_memory(table.take_changes())));
        table.set_runs(&Runs::new(runs.clone(), &Damage::default()));
    }

    proptest! {
        #[test]
        fn table_rewritten_behaves_like_map(
            acts in prop::collection::vec(prop_oneof![
                6 => ("[ab.]{0,3}", any::<u32>()).prop_map(Some),
                1 => Just(None),
            ], 0..40),
        ) {
            let (mut table, mut runs, mut model) = (Table::<Pair>::default(), Vec::new(), BTreeMap::new());
            for act in acts {
                match act {
                    None => reread(&mut table, &mut runs),
                    Some((id, value)) => {
                        if let Some((pair, _)) = table.get_mut(&id) {
                            pair.value = value;
                        } else {
                            table.insert(Pair { id: id.clone(), value }, format!("note {id}"));
                        }
                        model.insert(id, value);
                    }
                }
                let all: Vec<_> = table.iter().map(|(id, found)| (id.to_owned(), found.head().unwrap().0)).collect();
                let want: Vec<_> = model.clone().into_iter().collect();
                prop_assert_eq!(&all, &want);
                prop_assert_eq!(table.count(), model.len());
                let some: Vec<_> = table.starting_with("a").map(|(id, _)| id.to_owned()).collect();
                let want: Vec<_> = model.keys().filter(|id| id.starts_with('a')).cloned().collect();
                prop_assert_eq!(some, want);
                for (id, value) in &model {
                    prop_assert_eq!(table.get(id).map(|pair| pair.value), Some(*value));
                    let found = table.find(id).unwrap();
                    let note = format!("note {id}");
                    prop_assert_eq!(found.head().unwrap(), (*value, note.as_str()));
                }
            }
        }
    }
}
