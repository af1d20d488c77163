//! The entries of an index, decoded.

use serde::{Deserialize, Serialize};

use super::counts::FieldCounts;
use crate::recall::{BODY, FIELDS};
use crate::records::kind::{RecordKind, Status};

/// A document, as stored in an index. The texts are borrowed from the index.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Entry<'a> {
    /// These come first. To compute a score, we only decode the beginning of the entry.
    pub(crate) stats: EntryStats,
    pub(crate) path: &'a str,
    pub(crate) id: &'a str,
    pub(crate) title: &'a str,
    /// Day or time of the last update. Empty if unknown.
    pub(crate) updated: &'a str,
    pub(crate) kind: RecordKind,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct EntryStats {
    pub(crate) status: Status,
    /// The highest weight of an impression, in thousandths.
    pub(crate) weight: u32,
    /// Number of the entry that supersedes this one.
    pub(crate) successor: Option<u32>,
    /// Length of each field, in terms.
    pub(crate) lengths: FieldCounts,
    /// Length of each passage, in terms. Empty if the body is a single passage.
    pub(crate) passages: Vec<u32>,
    /// True if the passages have nothing to do with each other, like the events of a month. When we
    /// score one of them, words in other passages or fields don't count.
    pub(crate) has_independent_passages: bool,
}

impl EntryStats {
    /// The lengths for scoring `passage` as if it were the whole body.
    pub(crate) fn lengths_within(&self, passage: usize) -> [u32; FIELDS] {
        let mut lengths = self.shared_fields(self.lengths);
        lengths[BODY] = self.passages.get(passage).copied().unwrap_or_default();
        lengths
    }

    /// The part of `fields` (counts or lengths) that every passage shares. For independent
    /// passages, that's nothing.
    pub(super) fn shared_fields(&self, fields: [u32; FIELDS]) -> [u32; FIELDS] {
        match self.has_independent_passages {
            true => [0; FIELDS],
            false => fields,
        }
    }
}
