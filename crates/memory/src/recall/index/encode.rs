//! Encodes segments. [`Segment`](super::segment::Segment) decodes them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use windlass_base::put_leb128;

use super::stamp::{STAMP, Stamp};
use crate::recall::rank::Tuning;
use crate::recall::{FIELDS, INDEX_VERSION};
use crate::texts::codec::put_text;

/// An entry yet to be encoded.
#[derive(Debug, Default)]
pub(super) struct NewEntry {
    pub(super) path: String,
    pub(super) id: String,
    pub(super) title: String,
    pub(super) kind: u8,
    pub(super) status: u8,
    pub(super) weight: u32,
    pub(super) updated: String,
    /// The superseding entry's number plus one, or 0 if there is none.
    pub(super) successor: u32,
    pub(super) lengths: [u32; FIELDS],
    /// Length of each passage in the body. Empty if the body is a single passage.
    pub(super) passages: Vec<u32>,
}

/// Bit in a posting's field mask, set if counts by passage follow.
pub(super) const BY_PASSAGE: u8 = 1 << FIELDS;

/// Number of a term's occurrences in each field.
pub(super) type FieldCounts = [u32; FIELDS];

/// The passages that contain a term, with its number of occurrences in each. Empty if the body is a
/// single passage.
pub(super) type PassageCounts = Vec<(u32, u32)>;

/// A term of an entry, with its occurrences by field and by passage.
pub(super) type TermCounts<'a> = (Cow<'a, str>, FieldCounts, PassageCounts);

/// An entry with its sorted terms and its stamp.
pub(super) struct IndexedDocument<'a> {
    pub(super) entry: NewEntry,
    pub(super) terms: Vec<TermCounts<'a>>,
    pub(super) stamp: Stamp,
}

/// Encodes a segment with the given entries. `unreadable` lists the parts of the memory that
/// couldn't be read.
pub(super) fn encode(
    documents: &[IndexedDocument<'_>],
    tuning: &Tuning,
    unreadable: &[(String, String)],
) -> Vec<u8> {
    let entries = Entries::of(documents);
    let postings = Postings::of(documents);
    let mut bytes = INDEX_VERSION.to_le_bytes().to_vec();
    for part in [
        &table(&entries.ends),
        &entries.bytes,
        &table(&postings.term_ends),
        &postings.terms,
        &table(&postings.list_ends),
        &postings.lists,
        &entries.totals(),
        &serde_json::to_vec(tuning).unwrap_or_default(),
        &entries.stamps,
        &serde_json::to_vec(unreadable).unwrap_or_default(),
    ] {
        bytes.extend_from_slice(&length_of(part).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

/// Encoded entries of an index.
struct Entries {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    stamps: Vec<u8>,
    /// Total length of each field over all entries.
    lengths: [u64; FIELDS],
    /// Number of passages beyond the first of each body. The average passage length depends on it.
    more_passages: u64,
}

impl Entries {
    fn of(documents: &[IndexedDocument<'_>]) -> Self {
        let mut all = Self {
            bytes: Vec::new(),
            ends: Vec::new(),
            stamps: Vec::with_capacity(documents.len() * STAMP),
            lengths: [0; FIELDS],
            more_passages: 0,
        };
        for document in documents {
            all.stamps.extend_from_slice(&document.stamp);
            all.add(&document.entry);
        }
        all
    }

    fn add(&mut self, entry: &NewEntry) {
        let bytes = &mut self.bytes;
        for text in [&entry.path, &entry.id, &entry.title, &entry.updated] {
            put_text(bytes, text);
        }
        bytes.extend([entry.kind, entry.status]);
        put_leb128(bytes, entry.weight);
        put_leb128(bytes, entry.successor);
        for (total, length) in self.lengths.iter_mut().zip(entry.lengths) {
            put_leb128(bytes, length);
            *total += u64::from(length);
        }
        put_leb128(bytes, length_of(&entry.passages));
        for length in &entry.passages {
            put_leb128(bytes, *length);
        }
        self.more_passages += entry.passages.len().saturating_sub(1) as u64;
        self.ends.push(self.bytes.len());
    }

    fn totals(&self) -> Vec<u8> {
        let totals = self.lengths.into_iter().chain([self.more_passages]);
        totals.flat_map(u64::to_le_bytes).collect()
    }
}

/// Encoded terms, each with its list of postings.
#[derive(Default)]
struct Postings {
    terms: Vec<u8>,
    term_ends: Vec<usize>,
    lists: Vec<u8>,
    list_ends: Vec<usize>,
}

impl Postings {
    fn of(documents: &[IndexedDocument<'_>]) -> Self {
        let mut by_term: BTreeMap<&str, Vec<(u32, &FieldCounts, &PassageCounts)>> = BTreeMap::new();
        for (number, document) in (0u32..).zip(documents) {
            for (term, counts, by_passage) in &document.terms {
                let list = by_term.entry(term).or_default();
                list.push((number, counts, by_passage));
            }
        }
        let mut all = Self::default();
        for (term, list) in &by_term {
            all.terms.extend_from_slice(term.as_bytes());
            all.term_ends.push(all.terms.len());
            put_leb128(&mut all.lists, length_of(list));
            let mut before = 0;
            for (number, counts, by_passage) in list {
                put_leb128(&mut all.lists, number - before);
                before = *number;
                all.add(counts, by_passage);
            }
            all.list_ends.push(all.lists.len());
        }
        all
    }

    fn add(&mut self, counts: &FieldCounts, by_passage: &PassageCounts) {
        let fields = (0..FIELDS).filter(|field| counts[*field] > 0);
        let mask = fields.fold(0u8, |mask, field| mask | 1 << field);
        let has_passages = !by_passage.is_empty();
        self.lists
            .push(mask | if has_passages { BY_PASSAGE } else { 0 });
        for count in counts.iter().filter(|count| **count > 0) {
            put_leb128(&mut self.lists, *count);
        }
        if has_passages {
            put_leb128(&mut self.lists, length_of(by_passage));
            for (passage, count) in by_passage {
                put_leb128(&mut self.lists, *passage);
                put_leb128(&mut self.lists, *count);
            }
        }
    }
}

fn length_of<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

fn table(ends: &[usize]) -> Vec<u8> {
    ends.iter()
        .flat_map(|end| u32::try_from(*end).unwrap_or(u32::MAX).to_le_bytes())
        .collect()
}
