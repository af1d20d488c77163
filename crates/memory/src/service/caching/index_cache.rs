//! What is kept of a memory so that it need not be read as a whole: what is known of its files, and its index. It may vanish at any
//! time, and answers only for the state of the files that it was made of.

use std::collections::BTreeSet;

use windlass_base::{Digest, RepoPath};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};
use windlass_store::{BlobLimits, Blobs, RootedPath};

use super::file_stamps::Stamps;
use crate::{INDEX_VERSION, KnownFiles, Memory, RecallIndex};

/// Limits of the entries that name the index of a state of the files.
const STATES: BlobLimits = BlobLimits {
    max_count: 64,
    max_bytes: 64 << 20,
};
/// How many indexes are kept, and how large they may be together; and of how many memories the files are known.
const WHOLE: BlobLimits = BlobLimits {
    max_count: 16,
    max_bytes: 256 << 20,
};
/// The largest of these that is kept, in bytes.
const MAX_BYTES: u64 = 128 << 20;

/// Version of the entries that name an index.
const VERSION: u32 = 2;

/// An index as it is kept.
pub(crate) struct KeptIndex {
    pub(crate) index: RecallIndex,
    /// All records with secret values, and maybe some without: what is found in one is hidden in what is shown of others, and
    /// who has the index does not scan them.
    pub(crate) secret: BTreeSet<RepoPath>,
}

/// Cached indexes of one memory: their digests by the state of the files, and their bytes by digest.
pub(crate) struct IndexCache {
    /// Nothing where nothing can be kept.
    blobs: Option<(Blobs, Blobs)>,
    /// What keys are made of, beside the state of the files.
    of: KeyParts,
}

/// What an index that was just made is kept as.
pub(crate) enum Keep<'a> {
    /// As that of this state of the files, and as the newest.
    AsState(&'a Stamps),
    /// As the newest, of which only holds what did not change since: files changed a moment ago, or meanwhile.
    AsNewest,
    /// Not at all: of some record the text is another one than that which tells whether it changed.
    Nothing,
}

/// What an index is made of beside the files: what is secret here, and how indexes are made.
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

    /// The key of something that was made of `what`.
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

/// The memory, of which only those files are read that changed since somebody last looked: what else is asked of it is
/// read then.
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
    /// Those of the memory of `site`.
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

    /// The index of this state of the files.
    pub(crate) fn get(&self, stamps: &Stamps) -> Option<KeptIndex> {
        self.of_key(&self.of.key(stamps.digest())?)
    }

    /// The index that was made last, of whichever state.
    pub(crate) fn newest(&self) -> Option<KeptIndex> {
        self.of_key(&self.newest_key()?)
    }

    fn newest_key(&self) -> Option<String> {
        self.of.key("newest")
    }

    fn of_key(&self, key: &str) -> Option<KeptIndex> {
        let (states, whole) = self.blobs.as_ref()?;
        let kept = states.get(key, MAX_BYTES)?;
        let (secret, digest) = split(&kept)?;
        let bytes = whole.get(std::str::from_utf8(digest).ok()?, MAX_BYTES)?;
        let index = RecallIndex::open(bytes)?;
        Some(KeptIndex { index, secret })
    }

    /// Caches the bytes of an index.
    pub(crate) fn put(&self, index: &[u8], secret: &BTreeSet<RepoPath>, keep: &Keep<'_>) {
        let Some((states, whole)) = &self.blobs else {
            return;
        };
        let state = match keep {
            Keep::AsState(stamps) => self.of.key(stamps.digest()),
            Keep::AsNewest => None,
            Keep::Nothing => return,
        };
        let digest = Digest::of_bytes(index).hex();
        let _ = whole.put(&digest, index);
        let entry = joined(secret, digest.as_bytes());
        for key in state.into_iter().chain(self.newest_key()) {
            let _ = states.put(&key, &entry);
        }
    }
}

/// The paths, each on a line, their length in front of them, and the digest of the index behind.
fn joined(secret: &BTreeSet<RepoPath>, digest: &[u8]) -> Vec<u8> {
    let paths: Vec<&str> = secret.iter().map(RepoPath::as_str).collect();
    let paths = paths.join("\n");
    let length = (paths.len() as u64).to_le_bytes();
    [&length, paths.as_bytes(), digest].concat()
}

/// Splits a kept entry into its two parts; `None` if it is damaged.
fn split(kept: &[u8]) -> Option<(BTreeSet<RepoPath>, &[u8])> {
    let (length, rest) = kept.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (paths, digest) = rest.split_at_checked(length)?;
    let paths = std::str::from_utf8(paths).ok()?.lines();
    let paths = paths.map(|path| RepoPath::parse(path).ok());
    Some((paths.collect::<Option<_>>()?, digest))
}
