//! Builds an index from scratch.

use super::documents::Documents;
use super::encode::{IndexedDocument, NewEntry, encode};
use super::stamp::Stamp;
use super::term_counts::count_terms;
use crate::recall::rank::Tuning;
use crate::records::impression::USUAL_WEIGHT;
use crate::records::kind::RecordKind;
use crate::records::record::Record;
use crate::state::memory::Memory;

/// Builds the index of `memory`. `shown` returns a record's text with secrets redacted.
#[must_use]
pub fn build_index(
    memory: &Memory,
    shown: &(dyn Fn(&Record) -> String + Sync),
    threads: usize,
) -> Vec<u8> {
    let documents = Documents::of(memory, threads);
    let pieces = windlass_base::in_parallel(&documents.all, threads, 32, |documents| {
        let indexed = documents.iter().map(|document| document.indexed(shown));
        indexed.collect::<Vec<_>>()
    });
    whole_index(&documents, pieces.into_iter().flatten().collect())
}

/// Encodes an index of all `documents`, whose terms are in `indexed` in the same order.
pub(super) fn whole_index(
    documents: &Documents<'_>,
    mut indexed: Vec<IndexedDocument<'_>>,
) -> Vec<u8> {
    for (old, newer) in documents.successors() {
        if let Some(old) = indexed.get_mut(old) {
            old.entry.successor = u32::try_from(newer + 1).unwrap_or(0);
        }
    }
    let tuning = Tuning::learn(&documents.feedback());
    encode(&indexed, &tuning, &documents.memory.unreadable())
}

/// A document outside the memory that is searched like a record.
#[derive(Debug, Clone, Default)]
pub struct Recallable {
    /// The document's name, which doubles as its path in hits.
    pub id: String,
    /// Title of the document.
    pub title: String,
    /// Keywords by which it can be found.
    pub keywords: Vec<String>,
    /// Other names by which it can be found.
    pub aliases: Vec<String>,
    /// The document's text without its title.
    pub body: String,
}

/// Builds an index of documents outside the memory.
#[must_use]
pub(crate) fn build_other_index(documents: &[Recallable]) -> Vec<u8> {
    let mut indexed: Vec<IndexedDocument<'_>> = documents.iter().map(indexed).collect();
    indexed.sort_by(|a, b| a.entry.path.cmp(&b.entry.path));
    encode(&indexed, &Tuning::default(), &[])
}

fn indexed<'a>(document: &Recallable) -> IndexedDocument<'a> {
    let mut entry = NewEntry {
        path: document.id.clone(),
        id: document.id.clone(),
        title: document.title.clone(),
        kind: RecordKind::Note as u8,
        weight: USUAL_WEIGHT,
        ..NewEntry::default()
    };
    let texts = [
        vec![document.title.clone()],
        document.keywords.clone(),
        document.aliases.clone(),
        vec![document.id.clone()],
        vec![document.body.clone()],
    ];
    let terms = count_terms(&mut entry, &texts);
    IndexedDocument {
        entry,
        terms,
        stamp: Stamp::default(),
    }
}
