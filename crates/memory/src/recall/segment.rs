use std::cmp::Ordering;

use windlass_base::Digest;

use super::encode::{SPREAD, Spread};
use super::stamp::{STAMP, Stamp};
use super::tuning::Tuning;
use super::{BODY, FIELDS, INDEX_VERSION};
use crate::records::kind::{RecordKind, Status};
use crate::texts::codec::{Reader, fixed};

/// Entries and the terms that lead to them, looked up in the bytes as they are.
#[derive(Debug)]
pub(super) struct Segment {
    bytes: Vec<u8>,
    parts: [std::ops::Range<usize>; 10],
    /// How long each part of the entries is together, in terms.
    pub(super) totals: [u64; FIELDS],
    /// How many passages there are beside the first of each body.
    pub(super) more_passages: u64,
    /// What was learned.
    pub(super) tuning: Tuning,
    /// What could not be read when it was made.
    pub(super) unreadable: Vec<(String, String)>,
}

/// Something that can be recalled.
#[derive(Debug, Clone)]
pub(super) struct Entry<'a> {
    pub(super) path: &'a str,
    pub(super) id: &'a str,
    pub(super) title: &'a str,
    pub(super) updated: &'a str,
    pub(super) kind: RecordKind,
    pub(super) status: Status,
    pub(super) weight: u32,
    pub(super) successor: Option<u32>,
    pub(super) lengths: [u32; FIELDS],
    pub(super) passages: Vec<u32>,
}

/// What of an entry counts in its score.
#[derive(Debug, Clone)]
pub(super) struct Brief {
    pub(super) status: Status,
    pub(super) weight: u32,
    pub(super) successor: Option<u32>,
    pub(super) lengths: [u32; FIELDS],
    /// How long each passage of the body is; nothing where it is one.
    pub(super) passages: Vec<u32>,
    /// Whether each passage says something by itself, as the events of a month do: what stands in another, or leads to all of them,
    /// says nothing of it.
    pub(super) are_apart: bool,
}

/// Where a term stands: in which entry, and how often in which part of it.
pub(super) struct Posting {
    pub(super) entry: u32,
    pub(super) counts: [u32; FIELDS],
    pub(super) spread: Spread,
}

impl Posting {
    /// How often it stands in which part of the entry that `brief` tells of, of the body only passage `passage`.
    pub(super) fn within(&self, brief: &Brief, passage: usize) -> [u32; FIELDS] {
        let own = self
            .spread
            .binary_search_by_key(&passage, |(at, _)| *at as usize);
        let mut counts = brief.parts_beside(self.counts);
        counts[BODY] = own.map_or(0, |own| self.spread[own].1);
        counts
    }

    /// The passages of that entry for which it counts: of those that are apart, the ones it stands in.
    pub(super) fn passages(&self, brief: &Brief) -> Vec<usize> {
        let all = 0..brief.passages.len();
        let own = self.spread.iter().map(|(at, _)| *at as usize);
        match brief.are_apart {
            true => own.filter(|at| all.contains(at)).collect(),
            false => all.collect(),
        }
    }

    /// Adds where another term stands to `all`, both by the numbers of entries.
    pub(super) fn add_all(all: &mut Vec<Self>, others: Vec<Self>) {
        for other in others {
            match all.binary_search_by_key(&other.entry, |one| one.entry) {
                Ok(at) => all[at].add(&other),
                Err(at) => all.insert(at, other),
            }
        }
    }

    fn add(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count = count.saturating_add(more);
        }
        for (passage, more) in &other.spread {
            match self.spread.binary_search_by_key(passage, |(at, _)| *at) {
                Ok(at) => self.spread[at].1 = self.spread[at].1.saturating_add(*more),
                Err(at) => self.spread.insert(at, (*passage, *more)),
            }
        }
    }

    /// The same in an entry whose number comes after `below` others.
    pub(super) fn above(&self, below: u32) -> Self {
        Self {
            entry: self.entry.saturating_add(below),
            counts: self.counts,
            spread: self.spread.clone(),
        }
    }
}

impl Brief {
    /// How long each part is, of the body only passage `passage`.
    pub(super) fn lengths_within(&self, passage: usize) -> [u32; FIELDS] {
        let mut lengths = self.parts_beside(self.lengths);
        lengths[BODY] = self.passages.get(passage).copied().unwrap_or_default();
        lengths
    }

    /// What of `parts` counts for each passage.
    fn parts_beside(&self, parts: [u32; FIELDS]) -> [u32; FIELDS] {
        match self.are_apart {
            true => [0; FIELDS],
            false => parts,
        }
    }
}

impl Segment {
    /// Opens a segment; none where the bytes are none, or those of another version.
    pub(super) fn open(bytes: Vec<u8>) -> Option<Self> {
        if fixed(&bytes, 0)? != INDEX_VERSION {
            return None;
        }
        let mut parts: [std::ops::Range<usize>; 10] = Default::default();
        let mut at = 4;
        for part in &mut parts {
            let length = u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize;
            *part = at + 4..(at + 4).checked_add(length)?;
            bytes.get(part.clone())?;
            at = part.end;
        }
        let tuning = serde_json::from_slice(&bytes[parts[7].clone()]).ok()?;
        let unreadable = serde_json::from_slice(&bytes[parts[9].clone()]).ok()?;
        let mut reader = Reader(&bytes[parts[6].clone()]);
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

    /// The digest of its bytes.
    pub(super) fn digest(&self) -> Digest {
        Digest::of_bytes(&self.bytes)
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.part(0).len() / 4
    }

    /// Piece number `at` of a part whose table of ends is `table`.
    fn piece(&self, table: usize, at: usize) -> Option<&[u8]> {
        let end = fixed(self.part(table), at)? as usize;
        let start = match at {
            0 => 0,
            at => fixed(self.part(table), at - 1)? as usize,
        };
        self.part(table + 1).get(start..end)
    }

    pub(super) fn entry(&self, number: u32) -> Option<Entry<'_>> {
        let mut reader = Reader(self.piece(0, number as usize)?);
        let (path, id, title, updated) = (
            reader.text()?,
            reader.text()?,
            reader.text()?,
            reader.text()?,
        );
        let kind = match reader.byte()? {
            0 => RecordKind::Summary,
            1 => RecordKind::Index,
            2 => RecordKind::Context,
            3 => RecordKind::Decision,
            4 => RecordKind::OpenLoop,
            5 => RecordKind::Event,
            _ => RecordKind::Note,
        };
        let brief = brief(&mut reader)?;
        Some(Entry {
            path,
            id,
            title,
            updated,
            kind,
            status: brief.status,
            weight: brief.weight,
            successor: brief.successor,
            lengths: brief.lengths,
            passages: brief.passages,
        })
    }

    /// What of entry `number` counts in its score; its texts are passed over.
    pub(super) fn brief(&self, number: u32) -> Option<Brief> {
        const TEXTS: usize = 4;
        let mut reader = Reader(self.piece(0, number as usize)?);
        (0..TEXTS).try_for_each(|_| reader.skip_text())?;
        let kind = reader.byte()?;
        let mut brief = brief(&mut reader)?;
        brief.are_apart = kind == RecordKind::Event as u8 && !brief.passages.is_empty();
        Some(brief)
    }

    /// What entry `number` was made of.
    pub(super) fn stamp(&self, number: u32) -> Option<&Stamp> {
        let start = (number as usize).checked_mul(STAMP)?;
        let bytes = self.part(8).get(start..start.checked_add(STAMP)?)?;
        bytes.try_into().ok()
    }

    /// Calls `see` for each place of each term, terms and entries in their order.
    pub(super) fn each_posting<'a>(&'a self, see: &mut dyn FnMut(&'a str, &Posting)) {
        for at in 0..self.part(2).len() / 4 {
            let term = self.piece(2, at).map(std::str::from_utf8);
            let (Some(Ok(term)), Some(list)) = (term, self.list(at)) else {
                continue;
            };
            list.iter().for_each(|posting| see(term, posting));
        }
    }

    /// Where `term` stands, by the numbers of entries.
    pub(super) fn postings(&self, term: &str) -> Vec<Posting> {
        let at = self.number_of(term);
        at.and_then(|at| self.list(at)).unwrap_or_default()
    }

    /// In how many entries `term` stands.
    pub(super) fn entries_of(&self, term: &str) -> u32 {
        let list = self.number_of(term).and_then(|at| self.piece(4, at));
        list.and_then(|list| Reader(list).number())
            .unwrap_or_default()
    }

    /// Calls `see` with each term that begins with `first`, in their order.
    pub(super) fn each_term_of<'a>(&'a self, first: u8, see: &mut dyn FnMut(&'a str)) {
        let (Ok(from) | Err(from)) = self.place_of(&[first]);
        let terms = (from..self.part(2).len() / 4).map_while(|at| self.piece(2, at));
        for term in terms.take_while(|term| term.first() == Some(&first)) {
            if let Ok(term) = std::str::from_utf8(term) {
                see(term);
            }
        }
    }

    /// Which of the terms `term` is.
    fn number_of(&self, term: &str) -> Option<usize> {
        self.place_of(term.as_bytes()).ok()
    }

    /// Which of the terms `term` is, or would be.
    fn place_of(&self, term: &[u8]) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.part(2).len() / 4);
        while low < high {
            let middle = low + (high - low) / 2;
            let there = self.piece(2, middle).unwrap_or_default();
            match there.cmp(term) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Ok(middle),
            }
        }
        Err(low)
    }

    fn list(&self, at: usize) -> Option<Vec<Posting>> {
        let mut reader = Reader(self.piece(4, at)?);
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
            let spread = match mask & SPREAD {
                0 => Spread::new(),
                _ => pairs(&mut reader)?,
            };
            postings.push(Posting {
                entry,
                counts,
                spread,
            });
        }
        Some(postings)
    }
}

fn pairs(reader: &mut Reader<'_>) -> Option<Spread> {
    (0..reader.number()?)
        .map(|_| Some((reader.number()?, reader.number()?)))
        .collect()
}

/// What stands behind the kind of an entry.
fn brief(reader: &mut Reader<'_>) -> Option<Brief> {
    let status = *Status::ALL.get(reader.byte()? as usize)?;
    let (weight, successor) = (reader.number()?, reader.number()?);
    let mut lengths = [0; FIELDS];
    for length in &mut lengths {
        *length = reader.number()?;
    }
    let passages = (0..reader.number()?).map(|_| reader.number());
    let passages = passages.collect::<Option<_>>()?;
    Some(Brief {
        status,
        weight,
        successor: successor.checked_sub(1),
        lengths,
        passages,
        are_apart: false,
    })
}
