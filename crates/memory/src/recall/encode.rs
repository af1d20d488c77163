//! An index as bytes, as [`Segment`](super::index::Segment) reads them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::renew::{STAMP, Stamp};
use super::tuning::Tuning;
use super::{FIELDS, INDEX_VERSION};
use crate::codec::{put_number, put_text};

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
}

/// How often a term stands in the parts of an entry.
pub(super) type Counts = [u32; FIELDS];

/// What an entry is made of: its head, and how often each of its terms stands where, the terms sorted.
pub(super) struct Built<'a> {
    pub(super) entry: Entry,
    pub(super) counts: Vec<(Cow<'a, str>, Counts)>,
    /// What tells that a record and its cues are still the same.
    pub(super) stamp: Stamp,
}

pub(super) fn encode(
    built: &[Built<'_>],
    tuning: &Tuning,
    unreadable: &[(String, String)],
) -> Vec<u8> {
    let (mut entries, mut entry_ends) = (Vec::new(), Vec::new());
    let mut postings: BTreeMap<&str, Vec<(u32, &Counts)>> = BTreeMap::new();
    let mut totals = [0u64; FIELDS];
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
        put_number(&mut entries, entry.weight);
        put_number(&mut entries, entry.successor);
        for (field, length) in entry.lengths.iter().enumerate() {
            put_number(&mut entries, *length);
            totals[field] += u64::from(*length);
        }
        entry_ends.push(entries.len());
        for (term, counts) in counts {
            postings.entry(term).or_default().push((number, counts));
        }
    }
    let (mut terms, mut term_ends) = (Vec::new(), Vec::new());
    let (mut lists, mut list_ends) = (Vec::new(), Vec::new());
    for (term, list) in &postings {
        terms.extend_from_slice(term.as_bytes());
        term_ends.push(terms.len());
        put_number(&mut lists, u32::try_from(list.len()).unwrap_or(u32::MAX));
        let mut before = 0;
        for (number, counts) in list {
            put_number(&mut lists, number - before);
            before = *number;
            let mask = (0..FIELDS)
                .filter(|field| counts[*field] > 0)
                .fold(0u8, |mask, field| mask | 1 << field);
            lists.push(mask);
            for count in counts.iter().filter(|count| **count > 0) {
                put_number(&mut lists, *count);
            }
        }
        list_ends.push(lists.len());
    }
    let tuning = serde_json::to_vec(tuning).unwrap_or_default();
    let unreadable = serde_json::to_vec(unreadable).unwrap_or_default();
    let mut averages = Vec::new();
    for total in totals {
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

fn table(ends: &[usize]) -> Vec<u8> {
    ends.iter()
        .flat_map(|end| u32::try_from(*end).unwrap_or(u32::MAX).to_le_bytes())
        .collect()
}
