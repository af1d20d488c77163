//! Contents of files in commits and in the working tree, prepared for comparison.

use std::sync::Arc;

use windlass_base::RepoPath;
use windlass_repo::{BlobAt, Bounded, Made, Snapshot, SourceFile};

use crate::params::{self, MAX_CACHED_LINES};
use crate::text::Text;

/// Stands for the contents in the working tree in place of a blob id.
pub(crate) const WORKING_TREE: &str = "";

/// Cache of contents for one state of the files.
///
/// The contents after one commit are those before the next commit that changes the file, so they're
/// usually needed twice.
#[derive(Default)]
pub(crate) struct Contents(Bounded<(RepoPath, Box<str>), Readable, MAX_CACHED_LINES>);

/// Contents of a file, as far as they can be used.
#[derive(Debug, Clone)]
pub(crate) enum Readable {
    /// Text whose lines can be compared.
    Text(Arc<Text>),
    /// Binary data without lines.
    Binary(Arc<SourceFile>),
    /// Contents that are unreadable or missing, or that have too many lines.
    No,
}

impl Contents {
    pub(crate) fn read(&self, snapshot: &Snapshot, at: &BlobAt) -> Readable {
        let key = (at.path.clone(), at.blob.clone());
        self.0.get_or_make(&key, || match read(snapshot, at) {
            // Git may fail only for the moment, so this is not cached.
            Readable::No => Made::Passing(Readable::No),
            read => {
                let size = read.size();
                Made::Sized(read, size)
            }
        })
    }
}

impl Readable {
    /// Returns the size in the cache, in lines.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.size(),
            Self::Binary(source) => source.bytes().len() / params::BYTES_A_LINE + 1,
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
