//! Builds indexes of a memory, and of documents from other sources.

use super::documents::Documents;
use super::encode::{IndexedDocument, NewEntry, encode};
use super::entry::EntryStats;
use super::term_counts::count_terms;
use crate::recall::rank::Tuning;
use crate::records::impression::USUAL_WEIGHT;
use crate::records::kind::RecordKind;
use crate::records::record::Record;
use crate::state::memory::Memory;

/// Builds the index of a memory. `shown` returns the text of a record without its secrets.
#[must_use]
pub fn build_index(
    memory: &Memory,
    shown: &(dyn Fn(&Record) -> String + Sync),
    threads: usize,
) -> Vec<u8> {
    let documents = Documents::of(memory);
    let pieces = windlass_base::in_parallel(&documents.all, threads, 32, |documents| {
        let indexed = documents.iter().map(|document| document.indexed(shown));
        indexed.collect::<Vec<_>>()
    });
    let mut indexed: Vec<IndexedDocument> = pieces.into_iter().flatten().collect();
    for (old, newer) in documents.successors() {
        if let Some(old) = indexed.get_mut(old) {
            old.entry.stats.successor = u32::try_from(newer).ok();
        }
    }
    let tuning = Tuning::learn(&documents.feedback());
    encode(&indexed, tuning, memory.unreadable())
}

/// A document outside of the memory, which can be searched like a record.
#[derive(Debug, Clone, Default)]
pub struct Recallable {
    /// Name of the document, which is also used as the path of a hit.
    pub id: String,
    /// The title. Its words have more weight than those in `body`.
    pub title: String,
    /// Words by which a search can find the document.
    pub keywords: Vec<String>,
    /// Other names of the document.
    pub aliases: Vec<String>,
    /// The text without the title.
    pub body: String,
}

/// Like [`build_index`], but for documents outside of the memory. There's no feedback about them.
#[must_use]
pub(crate) fn build_other_index(documents: &[Recallable]) -> Vec<u8> {
    let mut indexed: Vec<IndexedDocument> = documents.iter().map(indexed).collect();
    indexed.sort_by(|a, b| a.entry.path.cmp(&b.entry.path));
    encode(&indexed, Tuning::default(), Vec::new())
}

fn indexed(document: &Recallable) -> IndexedDocument {
    let mut entry = NewEntry {
        path: document.id.clone(),
        id: document.id.clone(),
        title: document.title.clone(),
        updated: String::new(),
        kind: RecordKind::Note,
        stats: EntryStats {
            weight: USUAL_WEIGHT,
            ..EntryStats::default()
        },
    };
    let texts = [
        vec![document.title.clone()],
        document.keywords.clone(),
        document.aliases.clone(),
        vec![document.id.clone()],
        vec![document.body.clone()],
    ];
    let terms = count_terms(&mut entry, &texts);
    IndexedDocument { entry, terms }
}
