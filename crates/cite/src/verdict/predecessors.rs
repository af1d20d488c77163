//! A document as it was before, with the citations that others were written in place of.

use std::collections::BTreeMap;

use windlass_base::Cancel;

use super::known_files::KnownFiles;
use crate::cited_document::Document;
use crate::history::{Writers, rewritten};

/// A document as the commit has it that is checked out, read where it is asked for.
#[derive(Default)]
pub(super) struct Before(Option<Option<Past>>);

pub(super) struct Past {
    pub(super) document: Document,
    /// By the index of a citation as it is now: those that it may have been written in place of.
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
