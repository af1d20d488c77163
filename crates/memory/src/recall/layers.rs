//! An index in two layers: one that was made as a whole, and what changed since. A question is answered as if all of it had been made
//! now; a change costs what it changes.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Digest, put_leb128};
use windlass_search::average_length;

use super::stamp::Stamp;
use super::tuning::Tuning;
use super::{BODY, FIELDS, INDEX_VERSION};
use crate::recall::segment::{Brief, Entry, Posting, Segment};
use crate::texts::codec::Reader;

/// Tells the bytes of a layer of changes from those of an index.
const CHANGES: u32 = 1 << 31;
/// Length of the digest of the index below, in bytes.
const BASE: usize = 32;
/// What follows it where nothing changed, and where something did.
const NOTHING: u8 = 0;
const SOMETHING: u8 = 1;

/// An index that answers questions. What is asked is looked up in the bytes as they are.
#[derive(Debug)]
pub struct RecallIndex {
    pub(super) base: Segment,
    pub(super) changes: Option<Changes>,
    /// How long each part of an entry is on the average, in terms; of the body, each of its passages.
    pub(super) averages: [f64; FIELDS],
    len: usize,
    /// How many entries what is asked beside it has.
    pub(super) beside: usize,
}

/// What changed since an index was made.
#[derive(Debug)]
pub(super) struct Changes {
    /// The digest of the base.
    base: Digest,
    /// What is new, or was changed. Its numbers come after those of the base.
    pub(super) segment: Segment,
    /// Numbers of entries of the base that do not count any longer.
    gone: BTreeSet<u32>,
    /// What took the place of entries that were replaced, whichever of both layers they are in.
    successors: BTreeMap<u32, u32>,
}

/// A layer of changes as it is written.
pub(super) struct NewChanges {
    pub(super) segment: Vec<u8>,
    pub(super) gone: Vec<u32>,
    pub(super) successors: Vec<(u32, u32)>,
}

impl NewChanges {
    /// It as bytes, above the index whose digest is `base`.
    pub(super) fn encode(&self, base: &Digest) -> Vec<u8> {
        let mut bytes = head(base);
        bytes.push(SOMETHING);
        let length = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        put_leb128(&mut bytes, length(self.gone.len()));
        self.gone
            .iter()
            .for_each(|number| put_leb128(&mut bytes, *number));
        put_leb128(&mut bytes, length(self.successors.len()));
        for (old, newer) in &self.successors {
            put_leb128(&mut bytes, *old);
            put_leb128(&mut bytes, *newer);
        }
        bytes.extend_from_slice(&self.segment);
        bytes
    }
}

/// How the bytes of changes begin.
fn head(base: &Digest) -> Vec<u8> {
    let mut bytes = (CHANGES | INDEX_VERSION).to_le_bytes().to_vec();
    bytes.extend_from_slice(base.as_bytes());
    bytes
}

/// The digest of the index that changes were made of, and what follows; none where they are no changes, or those of another
/// version.
fn split(bytes: &[u8]) -> Option<(Digest, &[u8])> {
    let mut reader = Reader(bytes);
    let version = u32::from_le_bytes(reader.chunk()?);
    let base = Digest::from(reader.chunk::<BASE>()?);
    (version == CHANGES | INDEX_VERSION).then_some((base, reader.0))
}

impl Changes {
    /// The changes in `bytes`, if there are any.
    fn open(bytes: &[u8]) -> Option<Option<Self>> {
        let (base, rest) = split(bytes)?;
        let mut reader = Reader(rest);
        match reader.byte()? {
            NOTHING => return Some(None),
            SOMETHING => {}
            _ => return None,
        }
        let gone = (0..reader.number()?).map(|_| reader.number());
        let gone = gone.collect::<Option<_>>()?;
        let successors = (0..reader.number()?).map(|_| Some((reader.number()?, reader.number()?)));
        let successors = successors.collect::<Option<_>>()?;
        Some(Some(Self {
            base,
            segment: Segment::open(reader.0.to_vec())?,
            gone,
            successors,
        }))
    }

    /// Whether they name only entries that there are above a base of so many.
    fn fit(&self, base: usize) -> bool {
        let all = base + self.segment.len();
        let pairs = self.successors.iter();
        let mut named = pairs.flat_map(|(old, newer)| [*old, *newer]);
        self.gone.iter().all(|gone| (*gone as usize) < base)
            && named.all(|number| (number as usize) < all)
    }
}

impl RecallIndex {
    /// Opens an index; none where the bytes are none, or those of another version.
    #[must_use]
    pub fn open(bytes: Vec<u8>) -> Option<Self> {
        Some(Self::of(Segment::open(bytes)?, None))
    }

    /// Opens an index and what changed since it was made; none where [`RecallIndex::base_of`] `changes` is not the digest of
    /// `base`, which is up to the caller, or one of both cannot be read.
    #[must_use]
    pub fn open_changed(base: Vec<u8>, changes: &[u8]) -> Option<Self> {
        let (base, changes) = (Segment::open(base)?, Changes::open(changes)?);
        let fits = changes.as_ref().is_none_or(|it| it.fit(base.len()));
        fits.then(|| Self::of(base, changes))
    }

    /// The digest of the index that these changes were made of, in hexadecimal digits; none where they are no changes, or those
    /// of another version.
    #[must_use]
    pub fn base_of(changes: &[u8]) -> Option<String> {
        Some(split(changes)?.0.hex())
    }

    /// What changed since the index was made that has these bytes: nothing.
    #[must_use]
    pub fn no_changes(base: &[u8]) -> Vec<u8> {
        let mut bytes = head(&Digest::of_bytes(base));
        bytes.push(NOTHING);
        bytes
    }

    /// The bytes of the index below all changes.
    #[must_use]
    pub fn into_base(self) -> Vec<u8> {
        self.base.into_bytes()
    }

    fn of(base: Segment, changes: Option<Changes>) -> Self {
        let (mut totals, mut len) = (base.totals, base.len());
        let mut more_passages = base.more_passages;
        if let Some(changes) = &changes {
            for gone in &changes.gone {
                let Some(brief) = base.brief(*gone) else {
                    continue;
                };
                for (total, length) in totals.iter_mut().zip(brief.lengths) {
                    *total = total.saturating_sub(u64::from(length));
                }
                let more = brief.passages.len().saturating_sub(1) as u64;
                more_passages = more_passages.saturating_sub(more);
            }
            for (total, own) in totals.iter_mut().zip(changes.segment.totals) {
                *total = total.saturating_add(own);
            }
            more_passages = more_passages.saturating_add(changes.segment.more_passages);
            len = len - changes.gone.len() + changes.segment.len();
        }
        #[expect(clippy::cast_precision_loss, reason = "a sum of lengths")]
        let averages = std::array::from_fn(|field| {
            let more = if field == BODY { more_passages } else { 0 };
            let texts = len
                .max(1)
                .saturating_add(usize::try_from(more).unwrap_or(usize::MAX));
            average_length(totals[field] as f64, texts)
        });
        Self {
            base,
            changes,
            averages,
            len,
            beside: 0,
        }
    }

    /// What of the memory could not be read when it was made, and why: nothing of it is looked through.
    #[must_use]
    pub fn unreadable(&self) -> &[(String, String)] {
        &self.newest().unreadable
    }

    /// What was learned from feedback.
    #[must_use]
    pub fn tuning(&self) -> &Tuning {
        &self.newest().tuning
    }

    fn newest(&self) -> &Segment {
        let changes = self.changes.as_ref();
        changes.map_or(&self.base, |changes| &changes.segment)
    }

    /// How many things can be recalled.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The same where so many entries of something else are asked the same, so that how sure it is of one can be compared with how
    /// sure that is.
    #[must_use]
    pub fn beside(mut self, entries: usize) -> Self {
        self.beside = entries;
        self
    }

    /// Whether there is nothing to recall.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The digest of the base.
    pub(super) fn base_digest(&self) -> Digest {
        let noted = self.changes.as_ref().map(|changes| changes.base);
        noted.unwrap_or_else(|| self.base.digest())
    }

    /// The numbers of all that can be recalled.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        let all = u32::try_from(self.most_number()).unwrap_or(u32::MAX);
        (0..all).filter(|number| !self.is_gone(*number))
    }

    fn is_gone(&self, number: u32) -> bool {
        let changes = self.changes.as_ref();
        changes.is_some_and(|changes| changes.gone.contains(&number))
    }

    /// The layer in which entry `number` is, and its number there.
    fn layer_of(&self, number: u32) -> (&Segment, u32) {
        let below = u32::try_from(self.base.len()).unwrap_or(u32::MAX);
        match (number.checked_sub(below), &self.changes) {
            (Some(own), Some(changes)) => (&changes.segment, own),
            _ => (&self.base, number),
        }
    }

    pub(super) fn entry(&self, number: u32) -> Option<Entry<'_>> {
        let (segment, own) = self.layer_of(number);
        let mut entry = segment.entry(own)?;
        if let Some(changes) = &self.changes {
            entry.successor = changes.successors.get(&number).copied();
        }
        Some(entry)
    }

    /// What of entry `number` counts in its score.
    pub(super) fn brief(&self, number: u32) -> Option<Brief> {
        let (segment, own) = self.layer_of(number);
        let mut brief = segment.brief(own)?;
        if let Some(changes) = &self.changes {
            brief.successor = changes.successors.get(&number).copied();
        }
        Some(brief)
    }

    /// What entry `number` was made of.
    pub(super) fn stamp(&self, number: u32) -> Option<&Stamp> {
        let (segment, own) = self.layer_of(number);
        segment.stamp(own)
    }

    /// One more than the highest number that an entry has.
    pub(super) fn most_number(&self) -> usize {
        let changes = self.changes.as_ref();
        self.base.len() + changes.map_or(0, |changes| changes.segment.len())
    }

    /// Calls `see` for each place of each term in the layers that have entries from number `from` on: in each, terms and entries
    /// come in their order.
    pub(super) fn each_posting<'a>(&'a self, from: u32, see: &mut dyn FnMut(&'a str, &Posting)) {
        let below = u32::try_from(self.base.len()).unwrap_or(u32::MAX);
        if from < below {
            self.base.each_posting(see);
        }
        if let Some(changes) = &self.changes {
            changes.segment.each_posting(&mut |term, posting| {
                see(term, &posting.above(below));
            });
        }
    }

    /// Calls `see` with each term that begins with `first`, one of two layers maybe twice; it may stand in nothing that counts.
    pub(super) fn each_term_of<'a>(&'a self, first: u8, see: &mut dyn FnMut(&'a str)) {
        self.base.each_term_of(first, see);
        if let Some(changes) = &self.changes {
            changes.segment.each_term_of(first, see);
        }
    }

    /// Where `term` stands.
    pub(super) fn postings(&self, term: &str) -> Vec<Posting> {
        let mut postings = self.base.postings(term);
        if let Some(changes) = &self.changes {
            postings.retain(|posting| !changes.gone.contains(&posting.entry));
            let below = u32::try_from(self.base.len()).unwrap_or(u32::MAX);
            let own = changes.segment.postings(term);
            postings.extend(own.iter().map(|posting| posting.above(below)));
        }
        postings
    }

    /// In how many entries `term` stands.
    pub(super) fn entries_of(&self, term: &str) -> u32 {
        match &self.changes {
            Some(changes) if !changes.gone.is_empty() => {
                u32::try_from(self.postings(term).len()).unwrap_or(u32::MAX)
            }
            Some(changes) => self.base.entries_of(term) + changes.segment.entries_of(term),
            None => self.base.entries_of(term),
        }
    }
}
