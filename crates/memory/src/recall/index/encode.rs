//! Encodes segments, to be decoded by [`Segment`](super::segment::Segment).
//!
//! A segment starts with the version, followed by seven parts with their lengths: three tables of
//! pieces (entries, terms and lists of postings), and the [`Facts`] as JSON. A table has two parts,
//! the end offsets and the pieces. If you change this format, or what's in a piece, raise
//! `INDEX_VERSION`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_base::put_leb128;

use super::counts::{FieldCounts, PassageCounts, TermCounts};
use super::entry::EntryStats;
use super::posting::Posting;
use crate::recall::rank::Tuning;
use crate::recall::{FIELDS, INDEX_VERSION};
use crate::records::kind::RecordKind;

/// An entry to encode. The encoding doesn't contain the names of fields, so their order must be the
/// same as in [`Entry`](super::entry::Entry).
#[derive(Debug, Serialize)]
pub(super) struct NewEntry {
    pub(super) stats: EntryStats,
    pub(super) path: String,
    pub(super) id: String,
    pub(super) title: String,
    pub(super) updated: String,
    pub(super) kind: RecordKind,
}

/// For each field, the length over all entries, in terms.
type FieldTotals = [u64; FIELDS];

/// An entry with its terms, which are sorted.
pub(super) struct IndexedDocument {
    pub(super) entry: NewEntry,
    pub(super) terms: Vec<TermCounts>,
}

/// Properties of the index as a whole.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Facts {
    pub(super) totals: FieldTotals,
    /// Number of passages, without the first one of each body. We need it for the average length of
    /// a passage.
    pub(super) more_passages: u64,
    /// Everything learned from feedback.
    pub(super) tuning: Tuning,
    /// Parts of the memory that we couldn't read, each with the reason.
    pub(super) unreadable: Vec<(String, String)>,
}

/// A table of byte strings. `ends` has the end offset of each one in `bytes`.
#[derive(Default)]
struct Pieces {
    ends: Vec<u8>,
    bytes: Vec<u8>,
}

impl Pieces {
    fn add(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
        self.ends
            .extend_from_slice(&length_of(&self.bytes).to_le_bytes());
    }
}

/// Encodes entries, which must be sorted by path, as a segment.
pub(super) fn encode(
    documents: &[IndexedDocument],
    tuning: Tuning,
    unreadable: Vec<(String, String)>,
) -> Vec<u8> {
    let mut facts = Facts {
        tuning,
        unreadable,
        ..Facts::default()
    };
    let mut entries = Pieces::default();
    for document in documents {
        let stats = &document.entry.stats;
        for (total, length) in facts.totals.iter_mut().zip(stats.lengths) {
            *total += u64::from(length);
        }
        facts.more_passages += stats.passages.len().saturating_sub(1) as u64;
        entries.add(&postcard::to_stdvec(&document.entry).unwrap_or_default());
    }
    let (terms, postings) = postings(documents);
    let mut bytes = INDEX_VERSION.to_le_bytes().to_vec();
    for part in [
        &entries.ends,
        &entries.bytes,
        &terms.ends,
        &terms.bytes,
        &postings.ends,
        &postings.bytes,
        &serde_json::to_vec(&facts).unwrap_or_default(),
    ] {
        bytes.extend_from_slice(&length_of(part).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

/// Collects all terms, sorted, with a list of postings for each.
fn postings(documents: &[IndexedDocument]) -> (Pieces, Pieces) {
    let mut by_term: BTreeMap<&str, Vec<(u32, &FieldCounts, &PassageCounts)>> = BTreeMap::new();
    for (number, document) in (0u32..).zip(documents) {
        for (term, counts, by_passage) in &document.terms {
            let list = by_term.entry(term).or_default();
            list.push((number, counts, by_passage));
        }
    }
    let (mut terms, mut lists) = (Pieces::default(), Pieces::default());
    for (term, postings) in &by_term {
        let (mut list, mut before) = (Vec::new(), 0);
        put_leb128(&mut list, length_of(postings));
        for (number, counts, by_passage) in postings {
            Posting::encode(&mut list, number - before, counts, by_passage);
            before = *number;
        }
        terms.add(term.as_bytes());
        lists.add(&list);
    }
    (terms, lists)
}

fn length_of<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}
