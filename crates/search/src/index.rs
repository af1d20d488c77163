//! Documents by their terms, as bytes that are searched as they are.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::bm25::average_length;
use crate::query::each_indexed;
use crate::terms::TermKind;

/// Number of fields of a document.
pub const FIELDS: usize = 5;
/// Names of the fields.
pub const FIELD_NAMES: [&str; FIELDS] = ["title", "keywords", "aliases", "headings", "body"];
/// Number of the field that is cut into passages.
pub const BODY: usize = FIELDS - 1;

/// Version of the bytes.
const VERSION: u32 = 17;
/// Number of parts of the bytes.
const PARTS: usize = 9;
/// Bytes of a document in its table: boost and the document found in its place.
const DOCUMENT: usize = 8;
/// Bytes of a passage in its table: document and lengths.
const PASSAGE: usize = 4 + 4 * FIELDS;
/// Bytes of a term in its table: ends of its text and its postings, number of documents.
const TERM: usize = 12;
/// Bytes of a posting: passage and counts.
const POSTING: usize = 4 + FIELDS;

/// Number of occurrences in each field.
pub type Counts = [u8; FIELDS];

/// Document to be indexed.
#[derive(Debug, Clone)]
pub struct Document<'a> {
    /// Bytes for the caller.
    pub payload: Vec<u8>,
    /// Factor of its scores, in thousandths.
    pub boost: u32,
    /// Number of the document that is found in its place: its own, another, or none.
    pub found_as: Option<u32>,
    /// The passages, each with the fields that all have in common.
    pub passages: Vec<Passage<'a>>,
}

/// Passage of a document.
#[derive(Debug, Clone, Default)]
pub struct Passage<'a> {
    /// Number of words of each field.
    pub lengths: [u32; FIELDS],
    /// The terms in their order.
    pub terms: Vec<(Cow<'a, str>, Counts)>,
}

impl Passage<'static> {
    /// Counts the terms of `fields`.
    #[must_use]
    pub fn of<T: AsRef<str>>(fields: [&[T]; FIELDS]) -> Self {
        let mut terms: BTreeMap<String, Counts> = BTreeMap::new();
        let mut lengths = [0; FIELDS];
        for (field, texts) in fields.into_iter().enumerate() {
            for text in texts {
                each_indexed(text.as_ref(), |term| {
                    lengths[field] += u32::from(term.kind == TermKind::Word);
                    let counts = terms.entry(term.stem().into_owned()).or_default();
                    counts[field] = counts[field].saturating_add(1);
                });
            }
        }
        let terms = terms.into_iter();
        Self {
            lengths,
            terms: terms.map(|(term, counts)| (term.into(), counts)).collect(),
        }
    }
}

/// Occurrences of a term in a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// Number of the passage.
    pub passage: u32,
    /// Occurrences in each field.
    pub counts: Counts,
}

/// Index of documents.
#[derive(Debug)]
pub struct SearchIndex {
    bytes: Vec<u8>,
    parts: [Range<usize>; PARTS],
    /// Mean length of each field.
    pub(crate) averages: [f64; FIELDS],
}

/// Writes the index of `documents`; `extra` are bytes for the caller.
#[must_use]
pub fn encode_index(documents: &[Document<'_>], extra: &[u8]) -> Vec<u8> {
    let mut parts: [Vec<u8>; PARTS] = Default::default();
    let mut put = |part: usize, number: usize| {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        parts[part].extend_from_slice(&number.to_le_bytes());
    };
    let (mut payloads, mut lists) = (Vec::new(), Lists::default());
    let mut count = 0;
    for (number, document) in documents.iter().enumerate() {
        payloads.extend_from_slice(&document.payload);
        put(0, payloads.len());
        put(2, document.boost as usize);
        put(
            2,
            document.found_as.map_or(usize::MAX, |found| found as usize),
        );
        for passage in &document.passages {
            put(3, number);
            passage
                .lengths
                .iter()
                .for_each(|length| put(3, *length as usize));
            lists.add(count, number, passage);
            count += 1;
        }
    }
    let (mut terms, mut postings) = (Vec::new(), Vec::new());
    for (term, list) in lists.sorted() {
        terms.extend_from_slice(term.as_bytes());
        for posting in &list.postings {
            postings.extend_from_slice(&posting.passage.to_le_bytes());
            postings.extend_from_slice(&posting.counts);
        }
        put(4, terms.len());
        put(4, postings.len() / POSTING);
        put(4, list.documents);
    }
    (parts[1], parts[5], parts[6], parts[7]) = (payloads, terms, postings, extra.to_vec());
    let mut bytes = VERSION.to_le_bytes().to_vec();
    for part in &parts {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

/// Postings of a term.
#[derive(Default)]
struct List {
    postings: Vec<Posting>,
    documents: usize,
    last: Option<usize>,
}

/// Postings by term.
#[derive(Default)]
struct Lists<'a> {
    #[expect(
        clippy::disallowed_types,
        reason = "sorted before anything depends on its order"
    )]
    all: std::collections::HashMap<&'a str, List>,
}

impl<'a> Lists<'a> {
    fn add(&mut self, number: u32, document: usize, passage: &'a Passage<'_>) {
        for (term, counts) in &passage.terms {
            let list = self.all.entry(term).or_default();
            list.documents += usize::from(list.last != Some(document));
            list.last = Some(document);
            list.postings.push(Posting {
                passage: number,
                counts: *counts,
            });
        }
    }

    fn sorted(self) -> Vec<(&'a str, List)> {
        let mut all: Vec<(&str, List)> = self.all.into_iter().collect();
        all.sort_unstable_by_key(|(term, _)| *term);
        all
    }
}

impl SearchIndex {
    /// Opens an index; none if the bytes are damaged or of another version.
    #[must_use]
    pub fn open(bytes: Vec<u8>) -> Option<Self> {
        if number_at(&bytes, 0)? != VERSION {
            return None;
        }
        let mut parts: [Range<usize>; PARTS] = Default::default();
        let mut at = 4;
        for part in &mut parts {
            let length = bytes.get(at..)?.first_chunk()?;
            let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
            *part = at + 8..(at + 8).checked_add(length)?;
            bytes.get(part.clone())?;
            at = part.end;
        }
        let mut index = Self {
            bytes,
            parts,
            averages: [1.0; FIELDS],
        };
        let mut totals = [0u64; FIELDS];
        for passage in 0..index.passage_count() {
            for (total, length) in totals.iter_mut().zip(index.lengths(passage)) {
                *total += u64::from(length);
            }
        }
        let passages = index.passage_count() as usize;
        #[expect(clippy::cast_precision_loss, reason = "a sum of lengths")]
        let averages = totals.map(|total| average_length(total as f64, passages));
        index.averages = averages;
        Some(index)
    }

    fn part(&self, part: usize) -> &[u8] {
        &self.bytes[self.parts[part].clone()]
    }

    fn number(&self, part: usize, at: usize) -> Option<u32> {
        number_at(self.part(part), at)
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes that the caller added.
    #[must_use]
    pub fn extra(&self) -> &[u8] {
        self.part(7)
    }

    /// Number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.part(2).len() / DOCUMENT
    }

    /// True if there is no document.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of passages.
    pub(crate) fn passage_count(&self) -> u32 {
        u32::try_from(self.part(3).len() / PASSAGE).unwrap_or(u32::MAX)
    }

    /// The caller's bytes of a document.
    #[must_use]
    pub fn payload(&self, document: u32) -> Option<&[u8]> {
        let at = document as usize;
        let end = self.number(0, at)? as usize;
        let start = at.checked_sub(1).map_or(Some(0), |at| self.number(0, at))?;
        self.part(1).get(start as usize..end)
    }

    /// Factor of the scores of a document.
    pub(crate) fn boost(&self, document: u32) -> f64 {
        let boost = self.number(2, document as usize * 2);
        f64::from(boost.unwrap_or(1_000)) / 1_000.0
    }

    /// Number of the document that is found in place of this one.
    #[must_use]
    pub fn found_as(&self, document: u32) -> Option<u32> {
        let found = self.number(2, document as usize * 2 + 1)?;
        ((found as usize) < self.len()).then_some(found)
    }

    /// Number of the document of a passage.
    pub(crate) fn document_of(&self, passage: u32) -> Option<u32> {
        self.number(3, passage as usize * (PASSAGE / 4))
    }

    /// Number of words of each field of a passage.
    pub(crate) fn lengths(&self, passage: u32) -> [u32; FIELDS] {
        let start = passage as usize * (PASSAGE / 4) + 1;
        std::array::from_fn(|field| self.number(3, start + field).unwrap_or_default())
    }

    fn term_count(&self) -> usize {
        self.part(4).len() / TERM
    }

    /// A range between the ends of two terms in a table.
    fn range(&self, at: usize, column: usize) -> Option<Range<usize>> {
        let end = self.number(4, at * 3 + column)? as usize;
        let start = match at.checked_sub(1) {
            Some(before) => self.number(4, before * 3 + column)? as usize,
            None => 0,
        };
        Some(start..end)
    }

    fn term(&self, at: usize) -> &[u8] {
        let text = self.range(at, 0).and_then(|range| self.part(5).get(range));
        text.unwrap_or_default()
    }

    fn place_of(&self, term: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.term_count());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.term(middle).cmp(term.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    fn list(&self, at: usize) -> impl Iterator<Item = Posting> + use<'_> {
        let range = self.range(at, 1).unwrap_or_default();
        let bytes = range.start.saturating_mul(POSTING)..range.end.saturating_mul(POSTING);
        let list = self.part(6).get(bytes).unwrap_or_default();
        list.chunks_exact(POSTING).filter_map(|chunk| {
            Some(Posting {
                passage: number_at(chunk, 0)?,
                counts: *chunk.last_chunk()?,
            })
        })
    }

    /// Number of documents that have `term`.
    #[must_use]
    pub fn documents_with(&self, term: &str) -> u32 {
        let at = self.place_of(term);
        at.and_then(|at| self.number(4, at * 3 + 2))
            .unwrap_or_default()
    }

    /// The passages that have `term`, in their order.
    #[must_use]
    pub fn postings(&self, term: &str) -> Vec<Posting> {
        let at = self.place_of(term);
        at.map_or_else(Vec::new, |at| self.list(at).collect())
    }

    /// The passages of all documents, to be indexed again.
    #[must_use]
    pub fn passages(&self) -> Vec<Vec<Passage<'_>>> {
        let count = self.passage_count();
        let mut passages: Vec<Passage<'_>> = (0..count)
            .map(|passage| Passage {
                lengths: self.lengths(passage),
                terms: Vec::new(),
            })
            .collect();
        for at in 0..self.term_count() {
            let Ok(term) = std::str::from_utf8(self.term(at)) else {
                continue;
            };
            for posting in self.list(at) {
                if let Some(passage) = passages.get_mut(posting.passage as usize) {
                    passage.terms.push((term.into(), posting.counts));
                }
            }
        }
        let mut documents = vec![Vec::new(); self.len()];
        for (passage, number) in passages.into_iter().zip(0..count) {
            let document = self.document_of(number).map(|document| document as usize);
            if let Some(own) = document.and_then(|document| documents.get_mut(document)) {
                own.push(passage);
            }
        }
        documents
    }
}

/// A number of four bytes at place `at` of a table.
fn number_at(table: &[u8], at: usize) -> Option<u32> {
    let start = at.checked_mul(4)?;
    let bytes = table.get(start..start.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}
