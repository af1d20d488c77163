//! A document's state before its uncommitted changes, with the citations they replaced.

use std::collections::BTreeMap;

use windlass_base::Cancel;

use super::known_files::KnownFiles;
use crate::cited_document::Document;
use crate::history::{Writers, rewritten};

/// The document at the checked-out commit, read on first use.
#[derive(Default)]
pub(super) struct Before(Option<Option<Past>>);

pub(super) struct Past {
    pub(super) document: Document,
    /// The citations that each current citation may have replaced, by index.
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
