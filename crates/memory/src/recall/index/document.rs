//! Documents, which an index stores and a search finds.

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

/// A record with its impressions, or a file outside the memory to which impressions lead.
pub(super) struct Document<'a> {
    pub(super) path: &'a str,
    /// The document's record, or `None` for a file outside the memory.
    pub(super) record: Option<&'a Record>,
    pub(super) impressions: Vec<&'a Impression>,
    /// The record that supersedes this one. Either of the two records may say so.
    pub(super) successor: Option<&'a RepoPath>,
    /// The status according to the impressions alone.
    pub(super) status_by_impressions: Status,
    /// Digest by which we notice changes to the document. All zero until computed.
    pub(super) stamp: Stamp,
}

impl Document<'_> {
    /// Returns the status. A record is superseded even if only its successor says so.
    pub(super) fn status(&self) -> Status {
        match (self.own_status(), self.successor) {
            (Status::Active, Some(_)) => Status::Superseded,
            (Status::Active, None) => self.status_by_impressions,
            (own, _) => own,
        }
    }

    /// Returns the status stated by the record, or else that of its impressions.
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

    /// Computes the stamp from everything in the entry except its successor's number.
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

    /// Returns the document with its terms. `shown` returns a record's text with secrets redacted.
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

    /// Returns the entry with its field lengths still to be filled in.
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

    /// Returns the document with the entry and terms stored for it in an earlier index.
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
