//! Encoded indexes, from which we decode entries and postings as needed.
//!
//! The bytes come from a cache that may be damaged. So all offsets are checked, and a damaged piece
//! is treated as if it were missing.

use std::cmp::Ordering;
use std::ops::Range;

use serde::Deserialize;
use windlass_base::take_leb128;

use super::encode::Facts;
use super::entry::{Entry, EntryStats};
use super::posting::Posting;
use crate::recall::INDEX_VERSION;

const PARTS: usize = 7;
// Each of these parts is a table of end offsets. The part after it has the pieces themselves.
const ENTRIES: usize = 0;
const TERMS: usize = 2;
const POSTINGS: usize = 4;
/// [`Facts`], as JSON.
const FACTS: usize = 6;

/// The bytes that [`encode`](super::encode::encode) returns.
#[derive(Debug)]
pub(crate) struct Segment {
    bytes: Vec<u8>,
    parts: [Range<usize>; PARTS],
    pub(super) facts: Facts,
}

impl Segment {
    /// Opens a segment. Returns `None` if the bytes are damaged, or are those of another version.
    pub(super) fn open(bytes: Vec<u8>) -> Option<Self> {
        if number_at(&bytes, 0)? != INDEX_VERSION {
            return None;
        }
        let mut parts: [Range<usize>; PARTS] = Default::default();
        let mut at = 4;
        for part in &mut parts {
            let length = number_at(&bytes, at)? as usize;
            *part = at + 4..(at + 4).checked_add(length)?;
            bytes.get(part.clone())?;
            at = part.end;
        }
        let facts = serde_json::from_slice(&bytes[parts[FACTS].clone()]).ok()?;
        Some(Self {
            bytes,
            parts,
            facts,
        })
    }

    fn part(&self, part: usize) -> &[u8] {
        &self.bytes[self.parts[part].clone()]
    }

    pub(crate) fn len(&self) -> usize {
        self.part(ENTRIES).len() / 4
    }

    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        0..u32::try_from(self.len()).unwrap_or(u32::MAX)
    }

    fn term_count(&self) -> usize {
        self.part(TERMS).len() / 4
    }

    /// Returns a piece. Its bytes are in the part after `table`.
    fn piece(&self, table: usize, at: usize) -> Option<&[u8]> {
        let end = |at: usize| number_at(self.part(table), at.checked_mul(4)?);
        let start = at.checked_sub(1).map_or(Some(0), end)?;
        self.part(table + 1).get(start as usize..end(at)? as usize)
    }

    fn decoded<'a, T: Deserialize<'a>>(&'a self, number: u32) -> Option<T> {
        let entry = self.piece(ENTRIES, number as usize)?;
        Some(postcard::take_from_bytes(entry).ok()?.0)
    }

    /// Decodes an entry. Returns `None` if there is no such entry, or it is damaged.
    pub(crate) fn entry(&self, number: u32) -> Option<Entry<'_>> {
        self.decoded(number)
    }

    /// Like [`entry`](Self::entry), but only decodes the statistics.
    pub(crate) fn stats(&self, number: u32) -> Option<EntryStats> {
        self.decoded(number)
    }

    /// Returns the postings of `term`, sorted by entry. If they are damaged, there are none.
    pub(crate) fn postings(&self, term: &str) -> Vec<Posting> {
        self.posting_list(term).unwrap_or_default()
    }

    fn posting_list(&self, term: &str) -> Option<Vec<Posting>> {
        let mut list = self.piece(POSTINGS, self.search_term(term.as_bytes()).ok()?)?;
        let count = take_leb128(&mut list)? as usize;
        let mut postings = Vec::with_capacity(count.min(self.len()));
        let mut before = 0;
        for _ in 0..count {
            let posting = Posting::decode(&mut list, before)?;
            before = posting.entry;
            postings.push(posting);
        }
        Some(postings)
    }

    /// The number of entries with `term`.
    pub(crate) fn document_frequency(&self, term: &str) -> u32 {
        let at = self.search_term(term.as_bytes()).ok();
        let list = at.and_then(|at| self.piece(POSTINGS, at));
        list.and_then(|mut list| take_leb128(&mut list))
            .unwrap_or_default()
    }

    /// Calls `visit` with the terms that start with the byte `first`, in order.
    pub(crate) fn each_term_of<'a>(&'a self, first: u8, visit: &mut dyn FnMut(&'a str)) {
        let (Ok(from) | Err(from)) = self.search_term(&[first]);
        let terms = (from..self.term_count()).map_while(|at| self.piece(TERMS, at));
        for term in terms.take_while(|term| term.first() == Some(&first)) {
            if let Ok(term) = std::str::from_utf8(term) {
                visit(term);
            }
        }
    }

    /// Finds the number of `term`. The error is the number it would have, as for a binary search.
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
}

fn number_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}
