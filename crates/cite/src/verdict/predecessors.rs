//! The last committed state of a document, and the citations replaced by its uncommitted changes.

use std::collections::BTreeMap;

use windlass_base::Cancel;

use super::known_files::KnownFiles;
use crate::cited_document::Document;
use crate::history::{Writers, rewritten};

/// The document as of the checked-out commit, read on demand.
#[derive(Default)]
pub(super) struct Before(Option<Option<Past>>);

pub(super) struct Past {
    pub(super) document: Document,
    /// For each current citation (by index), the ones it may have replaced.
    pub(super) replaced: BTreeMap<usize, Vec<usize>>,
    pub(super) writers: Writers,
}

impl Before {
    pub(super) fn of(&mut self, known: &KnownFiles<'_>, now: &Document) -> Option<&Past> {
        let read = || {
            let head = known.snapshot.head_commit(&Cancel::default())?;
            let document = Document::at(known.snapshot, &head, &now.name)?;
            let replaced = rewritten(&document, now);
            let old: Vec<usize> = replaced.values().flatten().copied().collect();
            let writers = known.writers(&document, Some(&head), &old);
            Some(Past {
                document,
                replaced,
                writers,
            })
        };
        self.0.get_or_insert_with(read).as_ref()
    }
}
