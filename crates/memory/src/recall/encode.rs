//! An index as bytes, as [`Segment`](crate::recall::segment::Segment) reads them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::stamp::{STAMP, Stamp};
use super::tuning::Tuning;
use super::{FIELDS, INDEX_VERSION};
use windlass_base::put_leb128;

use crate::texts::codec::put_text;

/// Something that can be recalled, as it is written into an index.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) path: String,
    pub(super) id: String,
    pub(super) title: String,
    pub(super) kind: u8,
    pub(super) status: u8,
    pub(super) weight: u32,
    pub(super) updated: String,
    /// The entry that took its place, one more than its number; 0 for none.
    pub(super) successor: u32,
    pub(super) lengths: [u32; FIELDS],
    /// How long each passage of the body is, where it has several.
    pub(super) passages: Vec<u32>,
}

/// Is set beside the parts in which a term stands where passages follow.
pub(super) const SPREAD: u8 = 1 << FIELDS;

/// How often a term stands in the parts of an entry.
pub(super) type Counts = [u32; FIELDS];

/// In which passages of a body a term stands, and how often; nothing where the body is one passage.
pub(super) type Spread = Vec<(u32, u32)>;

/// A term of an entry, and where it stands.
pub(super) type Counted<'a> = (Cow<'a, str>, Counts, Spread);

/// What an entry is made of: its head, and how often each of its terms stands where, the terms sorted.
pub(super) struct Built<'a> {
    pub(super) entry: Entry,
    pub(super) counts: Vec<Counted<'a>>,
    /// What tells that a record and its cues are still the same.
    pub(super) stamp: Stamp,
}

pub(super) fn encode(
    built: &[Built<'_>],
    tuning: &Tuning,
    unreadable: &[(String, String)],
) -> Vec<u8> {
    let (mut entries, mut entry_ends) = (Vec::new(), Vec::new());
    let mut postings: BTreeMap<&str, Vec<(u32, &Counts, &Spread)>> = BTreeMap::new();
    let mut totals = [0u64; FIELDS];
    let mut more_passages = 0u64;
    let mut stamps = Vec::with_capacity(built.len() * STAMP);
    for (number, built) in (0u32..).zip(built) {
        let Built {
            entry,
            counts,
            stamp,
        } = built;
        stamps.extend_from_slice(stamp);
        for text in [&entry.path, &entry.id, &entry.title, &entry.updated] {
            put_text(&mut entries, text);
        }
        entries.extend([entry.kind, entry.status]);
        put_leb128(&mut entries, entry.weight);
        put_leb128(&mut entries, entry.successor);
        for (field, length) in entry.lengths.iter().enumerate() {
            put_leb128(&mut entries, *length);
            totals[field] += u64::from(*length);
        }
        put_leb128(&mut entries, length_of(&entry.passages));
        for length in &entry.passages {
            put_leb128(&mut entries, *length);
        }
        more_passages += entry.passages.len().saturating_sub(1) as u64;
        entry_ends.push(entries.len());
        for (term, counts, spread) in counts {
            let list = postings.entry(term).or_default();
            list.push((number, counts, spread));
        }
    }
    let (mut terms, mut term_ends) = (Vec::new(), Vec::new());
    let (mut lists, mut list_ends) = (Vec::new(), Vec::new());
    for (term, list) in &postings {
        terms.extend_from_slice(term.as_bytes());
        term_ends.push(terms.len());
        put_leb128(&mut lists, length_of(list));
        let mut before = 0;
        for (number, counts, spread) in list {
            put_leb128(&mut lists, number - before);
            before = *number;
            let mask = (0..FIELDS)
                .filter(|field| counts[*field] > 0)
                .fold(0u8, |mask, field| mask | 1 << field);
            let mask = mask | if spread.is_empty() { 0 } else { SPREAD };
            lists.push(mask);
            for count in counts.iter().filter(|count| **count > 0) {
                put_leb128(&mut lists, *count);
            }
            if !spread.is_empty() {
                put_leb128(&mut lists, length_of(spread));
                for (passage, count) in *spread {
                    put_leb128(&mut lists, *passage);
                    put_leb128(&mut lists, *count);
                }
            }
        }
        list_ends.push(lists.len());
    }
    let tuning = serde_json::to_vec(tuning).unwrap_or_default();
    let unreadable = serde_json::to_vec(unreadable).unwrap_or_default();
    let mut averages = Vec::new();
    for total in totals.into_iter().chain([more_passages]) {
        averages.extend_from_slice(&total.to_le_bytes());
    }
    let mut bytes = INDEX_VERSION.to_le_bytes().to_vec();
    for part in [
        &table(&entry_ends),
        &entries,
        &table(&term_ends),
        &terms,
        &table(&list_ends),
        &lists,
        &averages,
        &tuning,
        &stamps,
        &unreadable,
    ] {
        bytes.extend_from_slice(&u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

fn length_of<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

fn table(ends: &[usize]) -> Vec<u8> {
    ends.iter()
        .flat_map(|end| u32::try_from(*end).unwrap_or(u32::MAX).to_le_bytes())
        .collect()
}
