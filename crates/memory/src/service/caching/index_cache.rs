//! Caches the index and facts about a memory's files.
//!
//! An entry is only valid for the state of the files it was made from, and may vanish at any time.
//! Changes are cached per state of the files. The much larger bases below them are shared by all
//! states with that base.

use std::collections::BTreeSet;

use windlass_base::{Digest, RepoPath};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};
use windlass_store::{BlobLimits, Blobs, RootedPath};

use super::file_stamps::Stamps;
use crate::{INDEX_VERSION, KnownFiles, Memory, RecallIndex, Renewed, base_of, no_changes};

/// Limits for encoded changes, of which there is one entry per state of the files.
const STATES: BlobLimits = BlobLimits {
    max_count: 64,
    max_bytes: 64 << 20,
};
/// Limits for whole indexes, and for the known files of memories.
const WHOLE: BlobLimits = BlobLimits {
    max_count: 16,
    max_bytes: 256 << 20,
};
/// Maximum size of a cached entry in bytes.
const MAX_BYTES: u64 = 128 << 20;

/// Version of the encoding that joins secret paths and changes into an entry.
const VERSION: u32 = 1;

/// An index as read from the cache.
pub(crate) struct CachedIndex {
    pub(crate) index: RecallIndex,
    /// All records with secrets, and possibly some without. Callers read them again, so that their
    /// secrets are redacted in other records too.
    pub(crate) secret: BTreeSet<RepoPath>,
}

/// The cached indexes of one memory. Changes are stored by the state of the files, and the bases
/// below them by digest.
pub(crate) struct IndexCache {
    /// Stores for the changes and for the bases, or `None` if there is no cache folder.
    blobs: Option<(Blobs, Blobs)>,
    /// The parts of a key that don't depend on the state of the files.
    of: KeyParts,
}

/// Keys under which to cache a new index.
pub(crate) enum Keep<'a> {
    /// The state of the files, and the key of the newest index.
    AsState(&'a Stamps),
    /// Only the key of the newest index, because a file changed a moment ago or while we read it.
    AsNewest,
    /// No key, because a record's text doesn't match its cached head.
    Nothing,
}

/// Everything an index depends on other than the files: the location, the known secrets and the
/// redaction rules.
struct KeyParts {
    root: String,
    secrets: Option<String>,
    own_rules: Option<String>,
}

impl KeyParts {
    fn of(site: &Site) -> Self {
        let repo = site.repo();
        Self {
            root: repo.root().to_string_lossy().into_owned(),
            secrets: repo.secrets().digest().map(|digest| digest.to_string()),
            own_rules: repo.own_rules().digest().map(|digest| digest.to_string()),
        }
    }

    /// Returns the key of the entry for `what`.
    fn key(&self, what: &str) -> Option<String> {
        let version = env!("CARGO_PKG_VERSION");
        let (root, secrets, own_rules) = (&self.root, &self.secrets, &self.own_rules);
        let version = (INDEX_VERSION, VERSION, version);
        let of = (version, root, secrets, own_rules, what);
        Some(Digest::of_json(&of).ok()?.hex())
    }
}

fn cache_folder(site: &Site) -> Option<RootedPath> {
    Some(site.dirs().ok()?.cache.join("memory"))
}

/// Reads the memory's changed files. The other files' heads come from the cache, and their texts
/// are read on demand.
pub(crate) fn known_memory(
    site: &Site,
    snapshot: &Snapshot,
    stamps: &Stamps,
) -> Result<Memory, Error> {
    let cache = cache_folder(site);
    let cache = cache.map(|folder| Blobs::new(folder.join("files"), WHOLE));
    let kept = cache.zip(KeyParts::of(site).key("files"));
    let known = kept
        .as_ref()
        .and_then(|(cache, key)| cache.get(key, MAX_BYTES));
    let known = known.map_or_else(KnownFiles::default, |bytes| KnownFiles::decode(&bytes));
    let marks = stamps.settled(site.environment().now());
    let (memory, now) = Memory::knowing(snapshot, &known, &marks)?;
    if let (Some((cache, key)), Some(now)) = (kept, now) {
        let _ = cache.put(&key, &now.encode());
    }
    Ok(memory)
}

impl IndexCache {
    /// Opens the cache for the memory of `site`.
    pub(crate) fn of(site: &Site) -> Self {
        let blobs = cache_folder(site).map(|folder| {
            let whole = Blobs::new(folder.join("whole"), WHOLE);
            (Blobs::new(folder.join("states"), STATES), whole)
        });
        Self {
            blobs,
            of: KeyParts::of(site),
        }
    }

    /// Returns the index for this state of the files.
    pub(crate) fn get(&self, stamps: &Stamps) -> Option<CachedIndex> {
        self.of_key(&self.of.key(stamps.digest())?)
    }

    /// Returns the index that was cached last, whatever the state of the files.
    pub(crate) fn newest(&self) -> Option<CachedIndex> {
        self.of_key(&self.newest_key()?)
    }

    fn newest_key(&self) -> Option<String> {
        self.of.key("newest")
    }

    fn of_key(&self, key: &str) -> Option<CachedIndex> {
        let (states, whole) = self.blobs.as_ref()?;
        let kept = states.get(key, MAX_BYTES)?;
        let (secret, changes) = split(&kept)?;
        let base = whole.get(&base_of(changes)?, MAX_BYTES)?;
        let index = RecallIndex::open_changed(base, changes)?;
        Some(CachedIndex { index, secret })
    }

    /// Caches a renewed index and opens it. `before` must be the index from which the changes were
    /// computed.
    pub(crate) fn put(
        &self,
        before: Option<RecallIndex>,
        renewed: Renewed,
        secret: &BTreeSet<RepoPath>,
        keep: &Keep<'_>,
    ) -> Option<RecallIndex> {
        let kept = self
            .blobs
            .as_ref()
            .filter(|_| !matches!(keep, Keep::Nothing));
        let (base, changes) = match renewed {
            Renewed::Whole(base) => {
                let changes = no_changes(&base);
                if let Some((_, whole)) = kept {
                    let _ = whole.put(&base_of(&changes)?, &base);
                }
                (base, changes)
            }
            Renewed::Changes(changes) => (before?.into_base(), changes),
        };
        if let Some((states, _)) = kept {
            let state = match keep {
                Keep::AsState(stamps) => self.of.key(stamps.digest()),
                Keep::AsNewest | Keep::Nothing => None,
            };
            let kept = joined(secret, &changes);
            for key in state.into_iter().chain(self.newest_key()) {
                let _ = states.put(&key, &kept);
            }
        }
        RecallIndex::open_changed(base, &changes)
    }
}

/// Encodes an entry: the length of the paths, the paths separated by line breaks, and the changes.
fn joined(secret: &BTreeSet<RepoPath>, changes: &[u8]) -> Vec<u8> {
    let paths: Vec<&str> = secret.iter().map(RepoPath::as_str).collect();
    let paths = paths.join("\n");
    let length = (paths.len() as u64).to_le_bytes();
    [&length, paths.as_bytes(), changes].concat()
}

/// Splits an entry into its paths and its changes, or returns `None` if it's damaged.
fn split(kept: &[u8]) -> Option<(BTreeSet<RepoPath>, &[u8])> {
    let (length, rest) = kept.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (paths, changes) = rest.split_at_checked(length)?;
    let paths = std::str::from_utf8(paths).ok()?.lines();
    let paths = paths.map(|path| RepoPath::parse(path).ok());
    Some((paths.collect::<Option<_>>()?, changes))
}
