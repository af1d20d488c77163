//! The texts of files at commits, and in the working tree.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_base::RepoPath;
use windlass_repo::{BlobAt, Snapshot, SourceFile};

use crate::text::Text;

/// How much of texts is kept for the next commits, in lines.
const MAX_KEPT_LINES: usize = 4_000_000;

/// Stands for the contents that the working tree has.
pub(crate) const WORKING_TREE: &str = "";

/// Reads texts; those of files that are followed are kept for the next commit that changes them.
pub(crate) struct Contents<'a> {
    snapshot: &'a Snapshot,
    kept: BTreeMap<(RepoPath, Box<str>), Arc<Text>>,
    lines: usize,
}

impl<'a> Contents<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot) -> Self {
        Self {
            snapshot,
            kept: BTreeMap::new(),
            lines: 0,
        }
    }

    /// The text at `at`; `None` when it cannot be read or compared. It is no longer kept after this.
    pub(crate) fn take(&mut self, at: &BlobAt) -> Option<Arc<Text>> {
        let key = (at.path.clone(), at.blob.clone());
        if let Some(text) = self.kept.remove(&key) {
            self.lines -= text.len();
            return Some(text);
        }
        match read(self.snapshot, at) {
            Readable::Text(text) => Some(text),
            Readable::Binary(_) | Readable::No => None,
        }
    }

    /// Keeps a text that will be asked for again.
    pub(crate) fn keep(&mut self, at: &BlobAt, text: &Arc<Text>) {
        if self.lines + text.len() <= MAX_KEPT_LINES {
            self.lines += text.len();
            let key = (at.path.clone(), at.blob.clone());
            if let Some(before) = self.kept.insert(key, Arc::clone(text)) {
                self.lines -= before.len();
            }
        }
    }
}

/// What was read of a file.
pub(crate) enum Readable {
    /// Lines to compare.
    Text(Arc<Text>),
    /// No lines to compare.
    Binary(Arc<SourceFile>),
    /// It may not be read, is not there, or has too many lines.
    No,
}

/// Reads what stands at `at`.
pub(crate) fn read(snapshot: &Snapshot, at: &BlobAt) -> Readable {
    let source = if &*at.blob == WORKING_TREE {
        snapshot.read(&at.path).ok()
    } else {
        snapshot.contents(&at.blob, &at.path).ok().map(Arc::new)
    };
    match source {
        None => Readable::No,
        Some(source) if source.is_binary() => Readable::Binary(source),
        Some(source) => match Text::new(source) {
            Some(text) => Readable::Text(Arc::new(text)),
            None => Readable::No,
        },
    }
}
