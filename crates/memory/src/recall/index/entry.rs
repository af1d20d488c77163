//! Decoded entries of an index.

use crate::recall::{BODY, FIELDS};
use crate::records::kind::{RecordKind, Status};

/// A document as stored in an index.
#[derive(Debug, Clone)]
pub(crate) struct Entry<'a> {
    pub(crate) path: &'a str,
    pub(crate) id: &'a str,
    pub(crate) title: &'a str,
    /// Day or time of the last update.
    pub(crate) updated: &'a str,
    pub(crate) kind: RecordKind,
    pub(crate) stats: EntryStats,
}

/// The properties of an entry that affect its score.
#[derive(Debug, Clone)]
pub(crate) struct EntryStats {
    pub(crate) status: Status,
    /// The highest weight among its impressions, in thousandths.
    pub(crate) weight: u32,
    /// Number of the entry that supersedes this one.
    pub(crate) successor: Option<u32>,
    /// Length of each field, in terms.
    pub(crate) lengths: [u32; FIELDS],
    /// Length of each passage in the body. Empty if the body is a single passage.
    pub(crate) passages: Vec<u32>,
    /// True if each passage stands for itself, like the events of a month. Words in other passages
    /// or fields then don't count for it.
    pub(crate) has_independent_passages: bool,
}

impl EntryStats {
    /// Returns the length of each field, with the body reduced to `passage`.
    pub(crate) fn lengths_within(&self, passage: usize) -> [u32; FIELDS] {
        let mut lengths = self.shared_fields(self.lengths);
        lengths[BODY] = self.passages.get(passage).copied().unwrap_or_default();
        lengths
    }

    /// Returns the part of `fields` that counts for every passage. That's all of them, or none if
    /// passages are independent.
    pub(super) fn shared_fields(&self, fields: [u32; FIELDS]) -> [u32; FIELDS] {
        match self.has_independent_passages {
            true => [0; FIELDS],
            false => fields,
        }
    }
}
