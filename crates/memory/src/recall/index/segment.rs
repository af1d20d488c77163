//! Segments: encoded entries and postings, decoded on demand.

use std::cmp::Ordering;
use std::ops::Range;

use windlass_base::Digest;

use super::encode::{BY_PASSAGE, PassageCounts};
use super::entry::{Entry, EntryStats};
use super::posting::Posting;
use super::stamp::{STAMP, Stamp};
use crate::recall::rank::Tuning;
use crate::recall::{FIELDS, INDEX_VERSION};
use crate::records::kind::{RecordKind, Status};
use crate::texts::codec::{Reader, fixed};

/// Number of parts in a segment.
const PARTS: usize = 10;
/// Parts with a table of end offsets. Each is followed by a part with the pieces themselves.
const ENTRIES: usize = 0;
const TERMS: usize = 2;
const POSTINGS: usize = 4;
/// Parts without such a table.
const TOTALS: usize = 6;
const TUNING: usize = 7;
const STAMPS: usize = 8;
const UNREADABLE: usize = 9;
/// Number of texts at the start of an encoded entry.
const ENTRY_TEXTS: usize = 4;

/// Entries with their postings, as encoded by [`encode`](super::encode::encode).
#[derive(Debug)]
pub(super) struct Segment {
    bytes: Vec<u8>,
    parts: [Range<usize>; PARTS],
    /// Total length of each field over all entries, in terms.
    pub(super) totals: [u64; FIELDS],
    /// Number of passages beyond the first of each body. The average passage length depends on it.
    pub(super) more_passages: u64,
    /// Adjustments learned from feedback.
    pub(super) tuning: Tuning,
    /// Parts of the memory that couldn't be read, with reasons.
    pub(super) unreadable: Vec<(String, String)>,
}

impl Segment {
    /// Opens a segment, or returns `None` if the bytes are damaged or have another version.
    pub(super) fn open(bytes: Vec<u8>) -> Option<Self> {
        if fixed(&bytes, 0)? != INDEX_VERSION {
            return None;
        }
        let mut parts: [Range<usize>; PARTS] = Default::default();
        let mut at = 4;
        for part in &mut parts {
            let length = u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize;
            *part = at + 4..(at + 4).checked_add(length)?;
            bytes.get(part.clone())?;
            at = part.end;
        }
        let tuning = serde_json::from_slice(&bytes[parts[TUNING].clone()]).ok()?;
        let unreadable = serde_json::from_slice(&bytes[parts[UNREADABLE].clone()]).ok()?;
        let mut reader = Reader(&bytes[parts[TOTALS].clone()]);
        let mut totals = [0; FIELDS];
        for total in &mut totals {
            *total = u64::from_le_bytes(reader.chunk()?);
        }
        let more_passages = u64::from_le_bytes(reader.chunk()?);
        Some(Self {
            bytes,
            parts,
            totals,
            more_passages,
            tuning,
            unreadable,
        })
    }

    fn part(&self, part: usize) -> &[u8] {
        &self.bytes[self.parts[part].clone()]
    }

    /// Returns the digest of the segment's bytes.
    pub(super) fn digest(&self) -> Digest {
        Digest::of_bytes(&self.bytes)
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.part(ENTRIES).len() / 4
    }

    fn term_count(&self) -> usize {
        self.part(TERMS).len() / 4
    }

    /// Returns piece number `at` of the part that follows `table`.
    fn piece(&self, table: usize, at: usize) -> Option<&[u8]> {
        let end = fixed(self.part(table), at)? as usize;
        let start = match at {
            0 => 0,
            at => fixed(self.part(table), at - 1)? as usize,
        };
        self.part(table + 1).get(start..end)
    }

    /// Returns entry `number`, or `None` if it doesn't exist or is damaged.
    pub(super) fn entry(&self, number: u32) -> Option<Entry<'_>> {
        let mut reader = Reader(self.piece(ENTRIES, number as usize)?);
        let (path, id, title, updated) = (
            reader.text()?,
            reader.text()?,
            reader.text()?,
            reader.text()?,
        );
        let kind = kind(reader.byte()?);
        let stats = stats(kind, &mut reader)?;
        Some(Entry {
            path,
            id,
            title,
            updated,
            kind,
            stats,
        })
    }

    /// Returns the properties of entry `number` that affect its score, without decoding its texts.
    pub(super) fn stats(&self, number: u32) -> Option<EntryStats> {
        let mut reader = Reader(self.piece(ENTRIES, number as usize)?);
        (0..ENTRY_TEXTS).try_for_each(|_| reader.skip_text())?;
        let kind = kind(reader.byte()?);
        stats(kind, &mut reader)
    }

    /// Returns the stamp of entry `number`, which changes with its document.
    pub(super) fn stamp(&self, number: u32) -> Option<&Stamp> {
        let start = (number as usize).checked_mul(STAMP)?;
        let bytes = self.part(STAMPS).get(start..start.checked_add(STAMP)?)?;
        bytes.try_into().ok()
    }

    /// Calls `visit` for each posting of each term, sorted by term and entry.
    pub(super) fn each_posting<'a>(&'a self, visit: &mut dyn FnMut(&'a str, &Posting)) {
        for at in 0..self.term_count() {
            let term = self.piece(TERMS, at).map(std::str::from_utf8);
            let (Some(Ok(term)), Some(list)) = (term, self.posting_list(at)) else {
                continue;
            };
            list.iter().for_each(|posting| visit(term, posting));
        }
    }

    /// Returns the postings of `term`, sorted by entry.
    pub(super) fn postings(&self, term: &str) -> Vec<Posting> {
        let at = self.term_number(term);
        at.and_then(|at| self.posting_list(at)).unwrap_or_default()
    }

    /// Returns the number of entries that contain `term`.
    pub(super) fn document_frequency(&self, term: &str) -> u32 {
        let list = self
            .term_number(term)
            .and_then(|at| self.piece(POSTINGS, at));
        list.and_then(|list| Reader(list).number())
            .unwrap_or_default()
    }

    /// Calls `visit` with each term starting with `first`, in order.
    pub(super) fn each_term_of<'a>(&'a self, first: u8, visit: &mut dyn FnMut(&'a str)) {
        let (Ok(from) | Err(from)) = self.search_term(&[first]);
        let terms = (from..self.term_count()).map_while(|at| self.piece(TERMS, at));
        for term in terms.take_while(|term| term.first() == Some(&first)) {
            if let Ok(term) = std::str::from_utf8(term) {
                visit(term);
            }
        }
    }

    fn term_number(&self, term: &str) -> Option<usize> {
        self.search_term(term.as_bytes()).ok()
    }

    /// Returns the number of `term`, or the number it would have as an error.
    fn search_term(&self, term: &[u8]) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.term_count());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.piece(TERMS, middle).unwrap_or_default().cmp(term) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Ok(middle),
            }
        }
        Err(low)
    }

    /// Returns the postings of term number `at`, or `None` if they're damaged.
    fn posting_list(&self, at: usize) -> Option<Vec<Posting>> {
        let mut reader = Reader(self.piece(POSTINGS, at)?);
        let count = reader.number()? as usize;
        let mut postings = Vec::with_capacity(count.min(self.len()));
        let mut entry = 0u32;
        for _ in 0..count {
            entry = entry.checked_add(reader.number()?)?;
            let mask = reader.byte()?;
            let mut counts = [0; FIELDS];
            for (field, count) in counts.iter_mut().enumerate() {
                if mask & (1 << field) != 0 {
                    *count = reader.number()?;
                }
            }
            let by_passage = match mask & BY_PASSAGE {
                0 => PassageCounts::new(),
                _ => passage_counts(&mut reader)?,
            };
            postings.push(Posting {
                entry,
                counts,
                by_passage,
            });
        }
        Some(postings)
    }
}

fn passage_counts(reader: &mut Reader<'_>) -> Option<PassageCounts> {
    (0..reader.number()?)
        .map(|_| Some((reader.number()?, reader.number()?)))
        .collect()
}

fn kind(byte: u8) -> RecordKind {
    match byte {
        0 => RecordKind::Summary,
        1 => RecordKind::Index,
        2 => RecordKind::Context,
        3 => RecordKind::Decision,
        4 => RecordKind::OpenLoop,
        5 => RecordKind::Event,
        _ => RecordKind::Note,
    }
}

/// Decodes what follows the kind in an entry.
fn stats(kind: RecordKind, reader: &mut Reader<'_>) -> Option<EntryStats> {
    let status = *Status::ALL.get(reader.byte()? as usize)?;
    let (weight, successor) = (reader.number()?, reader.number()?);
    let mut lengths = [0; FIELDS];
    for length in &mut lengths {
        *length = reader.number()?;
    }
    let passages = (0..reader.number()?).map(|_| reader.number());
    let passages = passages.collect::<Option<Vec<u32>>>()?;
    Some(EntryStats {
        status,
        weight,
        successor: successor.checked_sub(1),
        lengths,
        has_independent_passages: kind == RecordKind::Event && !passages.is_empty(),
        passages,
    })
}
