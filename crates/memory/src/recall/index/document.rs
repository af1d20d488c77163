//! Documents, the units of indexing and search.

use windlass_base::RepoPath;

use super::encode::{IndexedDocument, NewEntry};
use super::entry::EntryStats;
use super::field_texts::{texts_of_impressions, texts_of_shown, without_secrets};
use super::term_counts::count_terms;
use crate::records::impression::{Impression, USUAL_WEIGHT};
use crate::records::kind::{RecordKind, Status};
use crate::records::record::Record;

/// A record with its impressions, or the target of impressions outside the memory.
pub(super) struct Document<'a> {
    pub(super) path: &'a str,
    /// The record, or `None` for a file outside the memory.
    pub(super) record: Option<&'a Record>,
    pub(super) impressions: Vec<&'a Impression>,
    /// The record that supersedes this one. It is enough if either of the two names the other.
    pub(super) successor: Option<&'a RepoPath>,
    /// The status that the impressions state. It only matters if the record has none.
    pub(super) status_by_impressions: Status,
}

impl Document<'_> {
    /// The status for the index. A record counts as superseded even if only its successor says so.
    pub(super) fn status(&self) -> Status {
        match (self.own_status(), self.successor) {
            (Status::Active, Some(_)) => Status::Superseded,
            (Status::Active, None) => self.status_by_impressions,
            (own, _) => own,
        }
    }

    /// The status in the record. If it does not have one, we go by the impressions.
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

    /// Counts the terms of the document. `shown` returns the text of a record without its secrets.
    pub(super) fn indexed(&self, shown: &dyn Fn(&Record) -> String) -> IndexedDocument {
        let mut entry = self.new_entry();
        let texts = match self.record {
            Some(record) => texts_of_shown(record, &self.impressions, shown(record)),
            None => texts_of_impressions(&self.impressions),
        };
        let terms = count_terms(&mut entry, &texts);
        IndexedDocument { entry, terms }
    }

    /// Creates the entry, except for the lengths of the fields, which [`count_terms`] sets.
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
            updated: updated.unwrap_or_default(),
            kind: self.record.map_or(RecordKind::Note, |record| record.kind),
            stats: EntryStats {
                status: self.status(),
                weight: weights.max().unwrap_or(USUAL_WEIGHT),
                ..EntryStats::default()
            },
        }
    }
}
