//! Contents of files, in commits and in the working tree.

use std::sync::Arc;

use windlass_base::RepoPath;
use windlass_repo::{BlobAt, Bounded, Made, Snapshot, SourceFile};

use crate::text::{BYTES_A_LINE, Text};

/// Maximum number of files that a commit may add or change if moved lines are searched for in other files. Deleted
/// files do not count.
pub(super) const MAX_FILES: usize = 500;

/// Maximum size of the cache, in lines.
const MAX_KEPT_LINES: usize = 2_000_000;

/// Blob id that stands for the contents in the working tree.
pub(crate) const WORKING_TREE: &str = "";

/// Cached contents. One cache per state of the files. The contents after one commit are those before the next, so each
/// is needed twice.
#[derive(Default)]
pub(crate) struct Contents(Bounded<(RepoPath, Box<str>), Readable, MAX_KEPT_LINES>);

/// Contents of a file.
#[derive(Debug, Clone)]
pub(crate) enum Readable {
    /// Text whose lines can be compared.
    Text(Arc<Text>),
    /// Binary data, which has no lines.
    Binary(Arc<SourceFile>),
    /// Contents that cannot be compared, because they are unreadable, missing, or have too many lines.
    No,
}

impl Contents {
    /// Reads the contents at `at`.
    pub(crate) fn read(&self, snapshot: &Snapshot, at: &BlobAt) -> Readable {
        let key = (at.path.clone(), at.blob.clone());
        self.0.get_or_make(&key, || match read(snapshot, at) {
            // A failure of git may be temporary, so it is not cached.
            Readable::No => Made::Passing(Readable::No),
            read => {
                let size = read.size();
                Made::Sized(read, size)
            }
        })
    }
}

impl Readable {
    /// Returns the size that counts for the cache, in lines.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.size(),
            Self::Binary(source) => source.bytes().len() / BYTES_A_LINE + 1,
            Self::No => 0,
        }
    }
}

fn read(snapshot: &Snapshot, at: &BlobAt) -> Readable {
    let source = if &*at.blob == WORKING_TREE {
        snapshot.read(&at.path).ok()
    } else {
        snapshot
            .history()
            .contents(&at.blob, &at.path)
            .ok()
            .map(Arc::new)
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
