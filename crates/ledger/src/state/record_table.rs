use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::{Base, Part};
use crate::stored_record::Record;

/// Records by id. It combines the records of a checkpoint, which are read on demand, with the records changed since.
#[derive(Debug, Clone)]
pub struct Table<R: Record> {
    base: Base,
    changed: BTreeMap<String, (R, R::Note)>,
}

/// A table in the form in which a checkpoint stores it.
pub(crate) struct Written {
    /// The index, with one entry per record.
    pub(crate) index: Vec<u8>,
    /// Ids and short forms (the fields used most).
    pub(crate) heads: Vec<u8>,
    /// Lines of the records.
    pub(crate) lines: Vec<u8>,
}

/// A line of a checkpoint that was not read yet.
#[derive(Debug, Clone)]
pub struct StoredLine<'a> {
    pub(super) part: &'a Part,
    pub(super) range: Range<usize>,
}

/// A record found in a table.
pub enum Found<'a, R: Record> {
    /// The record changed after the checkpoint.
    Changed(&'a R, &'a R::Note),
    /// The record is unchanged since the checkpoint and was not read yet.
    Stored {
        /// The record's line, without the terminator.
        line: StoredLine<'a>,
        /// The encoded short form, which holds the fields used most.
        head: &'a [u8],
    },
}

impl<'a, R: Record> Found<'a, R> {
    /// Returns the record, or `None` if its line is damaged.
    #[must_use]
    pub fn record(&self) -> Option<R> {
        match self {
            Self::Changed(record, _) => Some((*record).clone()),
            Self::Stored { line, .. } => {
                let record = serde_json::from_slice(&line.part.read(line.range.clone())).ok();
                if record.is_none() {
                    line.part.note_damage();
                }
                record
            }
        }
    }

    /// Returns the short form (the fields used most).
    #[must_use]
    pub fn head(&self) -> Option<R::Head<'a>> {
        match self {
            Self::Changed(record, note) => Some(record.head(note)),
            Self::Stored { head, .. } => postcard::from_bytes(head).ok(),
        }
    }

    /// True if the short form may contain the text that `finder` searches for. Only the encoded bytes are searched.
    pub(crate) fn may_name(&self, finder: &memchr::memmem::Finder<'_>) -> bool {
        match self {
            Self::Changed(..) => true,
            Self::Stored { head, .. } => finder.find(head).is_some(),
        }
    }

    /// Returns the record's line, without the terminator.
    #[must_use]
    pub fn line(&self) -> Cow<'a, [u8]> {
        match self {
            Self::Changed(record, _) => serde_json::to_vec(record).unwrap_or_default().into(),
            Self::Stored { line, .. } => line.part.read(line.range.clone()),
        }
    }
}

impl<R: Record> Default for Table<R> {
    fn default() -> Self {
        Self {
            base: Base::default(),
            changed: BTreeMap::new(),
        }
    }
}

impl<R: Record> Table<R> {
    pub(crate) fn on(base: Base) -> Self {
        Self {
            base,
            changed: BTreeMap::new(),
        }
    }

    /// Returns the record `id`.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<R> {
        self.find(id)?.record()
    }

    /// Returns the record `id`. It is borrowed if it changed after the checkpoint.
    pub(crate) fn get_cow(&self, id: &str) -> Option<Cow<'_, R>> {
        match self.find(id)? {
            Found::Changed(record, _) => Some(Cow::Borrowed(record)),
            stored => stored.record().map(Cow::Owned),
        }
    }

    /// Finds the record `id` without reading its line.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Found<'_, R>> {
        self.entry(id).map(|(_, found)| found)
    }

    /// Finds the record `id` without reading its line, and returns the table's own copy of the id with it.
    pub(crate) fn entry(&self, id: &str) -> Option<(&str, Found<'_, R>)> {
        if let Some((id, (record, note))) = self.changed.get_key_value(id) {
            return Some((id, Found::Changed(record, note)));
        }
        let at = self.base.position(id).ok()?;
        Some(self.base.entry(at))
    }

    /// True if the table has the record `id`.
    #[must_use]
    pub fn contains(&self, id: &str) -> bool {
        self.changed.contains_key(id) || self.base.position(id).is_ok()
    }

    /// Iterates over all records, sorted by id.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Found<'_, R>)> {
        self.from("")
    }

    /// Iterates over the records whose ids begin with `prefix`, sorted by id.
    pub(crate) fn starting_with<'a>(
        &'a self,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a str, Found<'a, R>)> {
        self.from(prefix)
            .take_while(move |(id, _)| id.starts_with(prefix))
    }

    fn from<'a>(&'a self, first: &str) -> impl Iterator<Item = (&'a str, Found<'a, R>)> {
        let start = self.base.position(first).unwrap_or_else(|at| at);
        let mut kept = (start..self.base.len())
            .map(|at| self.base.entry::<R>(at))
            .peekable();
        let mut changed = self
            .changed
            .range::<str, _>((std::ops::Bound::Included(first), std::ops::Bound::Unbounded))
            .peekable();
        std::iter::from_fn(move || {
            let next_kept = kept.peek().map(|(id, ..)| *id);
            let takes_changed = match (next_kept, changed.peek()) {
                (Some(kept_id), Some((id, _))) => {
                    if kept_id == id.as_str() {
                        kept.next();
                    }
                    id.as_str() <= kept_id
                }
                (None, Some(_)) => true,
                (_, None) => false,
            };
            if takes_changed {
                let (id, (record, note)) = changed.next()?;
                return Some((id.as_str(), Found::Changed(record, note)));
            }
            kept.next()
        })
    }

    /// Returns the records whose lines may contain `text`, sorted by id. `text` must be lower case. One search over all
    /// lines is far faster than one search per line.
    pub(crate) fn mentioning(&self, text: &str) -> Vec<(&str, Found<'_, R>)> {
        let escaped = serde_json::to_string(text).unwrap_or_default();
        let pattern = regex::escape(escaped.trim_matches('"'));
        let pattern = regex::bytes::RegexBuilder::new(&pattern)
            .case_insensitive(true)
            .unicode(false)
            .build();
        // Ignoring case for non-ASCII letters requires decoded text, so every row stays a candidate.
        let rows = match pattern.ok().filter(|_| text.is_ascii()) {
            Some(pattern) => self.base.rows_with(&pattern),
            None => (0..self.base.len()).collect(),
        };
        let mut found: BTreeMap<&str, Found<'_, R>> =
            rows.into_iter().map(|at| self.base.entry(at)).collect();
        for (id, (record, note)) in &self.changed {
            found.insert(id, Found::Changed(record, note));
        }
        found.into_iter().collect()
    }

    /// Returns the number of records.
    #[must_use]
    pub fn count(&self) -> usize {
        let new = self
            .changed
            .keys()
            .filter(|id| self.base.position(id).is_err());
        self.base.len() + new.count()
    }

    /// Returns the approximate total length of the lines, in bytes.
    #[must_use]
    pub fn line_bytes(&self) -> usize {
        self.base.lines.len() + self.changed.len() * 512
    }

    /// Inserts or replaces a record.
    pub(crate) fn insert(&mut self, record: R, note: R::Note) {
        self.changed.insert(record.id().to_owned(), (record, note));
    }

    /// Returns the record `id` for modification. It then counts as changed since the checkpoint.
    pub(crate) fn get_mut(&mut self, id: &str) -> Option<(&mut R, &mut R::Note)> {
        if !self.changed.contains_key(id) {
            let found = self.find(id)?;
            let (record, note) = (found.record()?, R::note(&found.head()?));
            self.changed.insert(id.to_owned(), (record, note));
        }
        self.changed
            .get_mut(id)
            .map(|(record, note)| (record, note))
    }

    /// Serialises the table for a checkpoint. Unchanged records are copied without being parsed.
    pub(crate) fn write(&self) -> Written {
        // Load all lines in a single read, since every one of them is needed.
        self.base.lines.whole();
        let (mut index, mut heads) = (Vec::new(), Vec::with_capacity(self.base.heads.len()));
        let mut lines = Vec::with_capacity(self.line_bytes());
        for (id, found) in self.iter() {
            heads.extend(id.as_bytes());
            index.extend((heads.len() as u32).to_le_bytes());
            match &found {
                Found::Stored { head, .. } => heads.extend(*head),
                Found::Changed(record, note) => {
                    heads.extend(postcard::to_stdvec(&record.head(note)).unwrap_or_default());
                }
            }
            index.extend((heads.len() as u32).to_le_bytes());
            lines.extend(found.line().iter());
            index.extend((lines.len() as u32).to_le_bytes());
        }
        Written {
            index,
            heads,
            lines,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Pair {
        id: String,
        value: u32,
    }

    impl Record for Pair {
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

    fn reread(table: &Table<Pair>) -> Table<Pair> {
        let Written {
            index,
            heads,
            lines,
        } = table.write();
        let (first, second) = (0..index.len(), index.len()..index.len() + heads.len());
        let front = Arc::new([index, heads].concat());
        Table::on(Base::of(&front, first, second, Part::in_memory(lines)).unwrap())
    }

    proptest! {
        #[test]
        fn table_rewritten_behaves_like_map(
            acts in prop::collection::vec(prop_oneof![
                6 => ("[ab.]{0,3}", any::<u32>()).prop_map(Some),
                1 => Just(None),
            ], 0..40),
        ) {
            let (mut table, mut model) = (Table::<Pair>::default(), BTreeMap::new());
            for act in acts {
                match act {
                    None => table = reread(&table),
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

        #[test]
        fn table_arbitrary_bytes_no_panic(bytes: Vec<u8>, lines: Vec<u8>, cut in 0..40_usize) {
            let cut = cut.min(bytes.len());
            let end = bytes.len();
            let bytes = Arc::new(bytes);
            if let Some(base) = Base::of(&bytes, 0..cut, cut..end, Part::in_memory(lines)) {
                let table = Table::<Pair>::on(base);
                for (_, found) in table.iter() {
                    let _ = (found.record(), found.head());
                }
                let _ = table.get("a");
            }
        }
    }
}
