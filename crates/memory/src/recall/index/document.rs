//! Documents, the units that an index stores and a search finds.

use windlass_base::{Digest, RepoPath};

use super::encode::{IndexedDocument, NewEntry, TermCounts};
use super::entry::Entry;
use super::field_texts::{texts_of_impressions, texts_of_shown, without_secrets};
use super::stamp::{STAMP, Stamp};
use super::term_counts::count_terms;
use crate::records::head::MARK;
use crate::records::impression::{Impression, USUAL_WEIGHT};
use crate::records::kind::{RecordKind, Status};
use crate::records::record::Record;

/// Record with its impressions, or a file outside of the memory that impressions lead to.
pub(super) struct Document<'a> {
    pub(super) path: &'a str,
    /// Record of the document, or `None` for a file outside of the memory.
    pub(super) record: Option<&'a Record>,
    pub(super) impressions: Vec<&'a Impression>,
    /// Record that supersedes this one. A statement in either record is sufficient.
    pub(super) successor: Option<&'a RepoPath>,
    /// Status that follows from the impressions alone.
    pub(super) status_by_impressions: Status,
    /// Digest that detects changes to the document. All zero until it is computed.
    pub(super) stamp: Stamp,
}

impl Document<'_> {
    /// Returns the status. A record is superseded even if only its successor states so.
    pub(super) fn status(&self) -> Status {
        match (self.own_status(), self.successor) {
            (Status::Active, Some(_)) => Status::Superseded,
            (Status::Active, None) => self.status_by_impressions,
            (own, _) => own,
        }
    }

    /// Returns the status stated in the record, or else the one of its impressions.
    fn own_status(&self) -> Status {
        let states =
            |record: &&Record| self.impressions.is_empty() || record.text("status").is_some();
        match self.record.filter(states) {
            Some(record) => record.status(),
            None => {
                let statuses = self.impressions.iter().map(|one| one.status);
                statuses.min().unwrap_or_default()
            }
        }
    }

    /// Computes the stamp from everything that the entry contains, except the number of its successor.
    pub(super) fn new_stamp(&self) -> Stamp {
        let mut bytes = Vec::with_capacity(512);
        let mut put = |text: &str| {
            bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        };
        put(self.path);
        for one in &self.impressions {
            for text in [&one.id, &one.title, &one.updated] {
                put(text);
            }
            put(one.status.as_str());
            put(&one.weight.to_string());
            for words in [&one.keywords, &one.aliases] {
                put(&words.len().to_string());
                words.iter().for_each(|word| put(word));
            }
        }
        put(self.status().as_str());
        let text = self.record.map_or([0; MARK], |record| record.head().mark);
        bytes.extend_from_slice(&text);
        let mut stamp = Stamp::default();
        stamp.copy_from_slice(&Digest::of_bytes(&bytes).as_bytes()[..STAMP]);
        stamp
    }

    /// Returns the document with its terms. `shown` returns the text of a record with secrets redacted.
    pub(super) fn indexed(&self, shown: &dyn Fn(&Record) -> String) -> IndexedDocument<'static> {
        let mut entry = self.new_entry();
        let texts = match self.record {
            Some(record) => texts_of_shown(record, &self.impressions, shown(record)),
            None => texts_of_impressions(&self.impressions),
        };
        let terms = count_terms(&mut entry, &texts);
        IndexedDocument {
            entry,
            terms,
            stamp: self.stamp,
        }
    }

    /// Returns the entry, with the field lengths still missing.
    fn new_entry(&self) -> NewEntry {
        let first = self.impressions.first();
        let field = |key: &str| self.record?.text(key).map(str::to_owned);
        let or_path = || self.record.map(|record| record.path.as_str().to_owned());
        let id = first.map(|one| one.id.clone());
        let title = match self.record {
            Some(record) => without_secrets(record.title()),
            None => first
                .map(|one| without_secrets(&one.title))
                .unwrap_or_default(),
        };
        let updated = match self.record {
            Some(_) => field("updated"),
            None => first.map(|one| one.updated.clone()),
        };
        let weights = self.impressions.iter().map(|one| one.weight);
        NewEntry {
            path: self.path.to_owned(),
            id: id
                .or_else(|| field("id"))
                .or_else(or_path)
                .unwrap_or_default(),
            title,
            kind: self.record.map_or(RecordKind::Note, |record| record.kind) as u8,
            status: self.status() as u8,
            weight: weights.max().unwrap_or(USUAL_WEIGHT),
            updated: updated.unwrap_or_default(),
            ..NewEntry::default()
        }
    }

    /// Returns the document with the entry and terms that an earlier index stored for it.
    pub(super) fn reused<'b>(
        &self,
        entry: Entry<'_>,
        terms: Vec<TermCounts<'b>>,
    ) -> IndexedDocument<'b> {
        let entry = NewEntry {
            path: entry.path.to_owned(),
            id: entry.id.to_owned(),
            title: entry.title.to_owned(),
            kind: entry.kind as u8,
            status: entry.stats.status as u8,
            weight: entry.stats.weight,
            updated: entry.updated.to_owned(),
            successor: 0,
            lengths: entry.stats.lengths,
            passages: entry.stats.passages,
        };
        IndexedDocument {
            entry,
            terms,
            stamp: self.stamp,
        }
    }
}
