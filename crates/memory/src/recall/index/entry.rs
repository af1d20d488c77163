//! Entries of an index.

use crate::recall::{BODY, FIELDS};
use crate::records::kind::{RecordKind, Status};

/// Document as stored in an index.
#[derive(Debug, Clone)]
pub(crate) struct Entry<'a> {
    pub(crate) path: &'a str,
    pub(crate) id: &'a str,
    pub(crate) title: &'a str,
    /// Day of the last update.
    pub(crate) updated: &'a str,
    pub(crate) kind: RecordKind,
    pub(crate) stats: EntryStats,
}

/// Properties of an entry that count in its score.
#[derive(Debug, Clone)]
pub(crate) struct EntryStats {
    pub(crate) status: Status,
    /// Weight of its impressions, in thousandths.
    pub(crate) weight: u32,
    /// Number of the entry that supersedes this one.
    pub(crate) successor: Option<u32>,
    /// Length of each field in terms.
    pub(crate) lengths: [u32; FIELDS],
    /// Length of each passage of the body; empty if the body is one passage.
    pub(crate) passages: Vec<u32>,
    /// True if each passage is independent, like the events of a month: words of other passages and of the other
    /// fields are no evidence for it.
    pub(crate) has_independent_passages: bool,
}

impl EntryStats {
    /// Returns the length of each field; of the body, only of `passage`.
    pub(crate) fn lengths_within(&self, passage: usize) -> [u32; FIELDS] {
        let mut lengths = self.shared_fields(self.lengths);
        lengths[BODY] = self.passages.get(passage).copied().unwrap_or_default();
        lengths
    }

    /// Returns the `fields` that count for every passage.
    pub(super) fn shared_fields(&self, fields: [u32; FIELDS]) -> [u32; FIELDS] {
        match self.has_independent_passages {
            true => [0; FIELDS],
            false => fields,
        }
    }
}
