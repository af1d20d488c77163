//! Caches recall indexes.
//!
//! A cached index belongs to one state of the files. It may vanish at any time, so callers must be
//! able to build another one.

use std::collections::BTreeSet;

use windlass_base::{Digest, RepoPath};
use windlass_site::Site;
use windlass_store::{BlobLimits, Blobs};

use super::file_stamps::Stamps;
use crate::{INDEX_VERSION, RecallIndex};

const LIMITS: BlobLimits = BlobLimits {
    max_count: 16,
    max_bytes: 256 << 20,
};
/// Maximum size of a cache entry, in bytes. A larger one is not read.
const MAX_BYTES: u64 = 128 << 20;

/// Version of the format in [`joined`]. Raise it whenever the format changes; entries with another
/// version have another key, so they are just never found.
const VERSION: u32 = 2;

pub(crate) struct CachedIndex {
    pub(crate) index: RecallIndex,
    /// Records with secrets. The caller has to read these again, so that their secrets become known
    /// and are redacted in other records as well.
    pub(crate) secret: BTreeSet<RepoPath>,
}

/// The place in the cache for one state of a memory's files.
pub(crate) struct IndexCache {
    blobs: Blobs,
    key: String,
}

impl IndexCache {
    /// Returns `None` if there is no cache folder.
    ///
    /// An index depends on more than the files: the path of the repository, the known secrets and
    /// the redaction rules determine it as well. All of these are part of the key.
    pub(crate) fn of(site: &Site, stamps: &Stamps) -> Option<Self> {
        let repo = site.repo();
        let key = (
            (INDEX_VERSION, VERSION, env!("CARGO_PKG_VERSION")),
            repo.root().to_string_lossy(),
            repo.secrets().digest().map(|digest| digest.to_string()),
            repo.own_rules().digest().map(|digest| digest.to_string()),
            stamps.digest(),
        );
        let folder = site.dirs().ok()?.cache.join("memory").join("indexes");
        Some(Self {
            blobs: Blobs::new(folder, LIMITS),
            key: Digest::of_json(&key).ok()?.hex(),
        })
    }

    pub(crate) fn get(&self) -> Option<CachedIndex> {
        let (index, secret) = split(self.blobs.get(&self.key, MAX_BYTES)?)?;
        let index = RecallIndex::open(index)?;
        Some(CachedIndex { index, secret })
    }

    /// Stores an index. If that fails, we just have to build it again next time.
    pub(crate) fn put(&self, index: &[u8], secret: &BTreeSet<RepoPath>) {
        let _ = self.blobs.put(&self.key, &joined(index, secret));
    }
}

/// Appends the paths (one per line) to the index, followed by their total length.
fn joined(index: &[u8], secret: &BTreeSet<RepoPath>) -> Vec<u8> {
    let paths: Vec<&str> = secret.iter().map(RepoPath::as_str).collect();
    let paths = paths.join("\n");
    let length = (paths.len() as u64).to_le_bytes();
    [index, paths.as_bytes(), &length].concat()
}

/// The inverse of [`joined`]. Returns `None` for a damaged entry.
fn split(mut kept: Vec<u8>) -> Option<(Vec<u8>, BTreeSet<RepoPath>)> {
    let (rest, length) = kept.split_last_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let end = rest.len().checked_sub(length)?;
    let paths = std::str::from_utf8(&rest[end..]).ok()?.lines();
    let paths = paths.map(|path| RepoPath::parse(path).ok());
    let paths = paths.collect::<Option<_>>()?;
    kept.truncate(end);
    Some((kept, paths))
}
