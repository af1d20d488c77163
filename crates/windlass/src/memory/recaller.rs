use std::path::{Path, PathBuf};

use windlass_base::Digest;
use windlass_memory::{
    FOLDER, INDEX_VERSION, Memory, MemoryError, Query, Ranking, RecallIndex, Record,
    build_index_from, build_other_index,
};
use windlass_repo::{Snapshot, redact_text};
use windlass_store::{BlobLimits, Blobs, files_in, folders_in};

use crate::{Error, Workspace};

/// How many indexes are kept, and how large they may be together.
const LIMITS: BlobLimits = BlobLimits {
    max_count: 16,
    max_bytes: 256 << 20,
};
/// The largest index that is kept, in bytes.
const MAX_INDEX: u64 = 128 << 20;
/// How deep folders are looked into.
const MAX_DEPTH: usize = 16;
/// A file changed so shortly before it was read, in seconds, may have changed again without a trace.
const TICK: u64 = 2;

/// A memory that is ready to answer questions, one after the other, all about the same state of its files.
#[derive(Debug)]
pub struct Recaller {
    pub(super) workspace: Workspace,
    pub(super) snapshot: Snapshot,
    pub(super) index: RecallIndex,
    /// Whether there is a memory.
    pub(super) has_memory: bool,
}

impl Recaller {
    /// The `most` records that fit a question best.
    pub(crate) fn ranked(&self, query: &Query, most: usize) -> Ranking {
        self.index.recall(query, most)
    }
}

impl Workspace {
    /// Makes the memory ready to answer. Where nothing changed since it was last made ready, its index is taken from the cache.
    ///
    /// # Errors
    /// When there is no memory, or it cannot be read.
    pub fn recaller(&self) -> Result<Recaller, Error> {
        let snapshot = self.snapshot();
        self.finish_memory()?;
        let stamps = self.stamps()?;
        if stamps.is_empty {
            return Err(MemoryError::NotInitialized.into());
        }
        let cache = self
            .dirs()
            .ok()
            .map(|dirs| Blobs::new(dirs.cache.join("memory"), LIMITS));
        let key = self.index_key(&stamps)?;
        let kept = cache
            .as_ref()
            .and_then(|cache| RecallIndex::open(cache.get(&key, MAX_INDEX)?));
        let index = match kept {
            Some(index) => index,
            None => {
                let memory = Memory::of_snapshot(&snapshot)?;
                if !memory.is_there() {
                    return Err(self.no_memory().into());
                }
                let newest = self.newest_index_key()?;
                let before = cache
                    .as_ref()
                    .and_then(|cache| index_before(cache, &newest));
                let bytes = index_bytes(before.as_ref(), &memory, self.repo().threads());
                // What changed meanwhile, or a moment ago, may not be what was read.
                let is_settled =
                    !stamps.is_younger_than(self.environment().now()) && self.stamps()? == stamps;
                if let Some(cache) = cache {
                    if is_settled {
                        let _ = cache.put(&key, &bytes);
                        let _ = cache.put(&newest, key.as_bytes());
                    } else if before.is_none() {
                        // It answers for no state of the files, but what does not change serves the next that is made.
                        let _ = cache.put(&newest, &bytes);
                    }
                }
                opened(bytes)?
            }
        };
        Ok(Recaller {
            workspace: self.clone(),
            snapshot,
            index,
            has_memory: true,
        })
    }

    /// The same for who asks other sources as well: where there is no memory, it has nothing to say.
    ///
    /// # Errors
    /// When the memory cannot be read.
    pub fn recaller_of_all(&self) -> Result<Recaller, Error> {
        match self.recaller() {
            Err(Error::Memory(MemoryError::NotInitialized | MemoryError::Ignored(_))) => {
                Ok(Recaller {
                    workspace: self.clone(),
                    snapshot: self.snapshot(),
                    index: opened(build_other_index(&[]))?,
                    has_memory: false,
                })
            }
            other => other,
        }
    }

    /// The state of the files: of the folder, and of what leaves out files of it.
    fn stamps(&self) -> Result<Stamps, Error> {
        let root = self.repo().root();
        let mut stamps = Stamps::of(root)?;
        let above = [".rgignore", ".ignore", ".gitignore"].map(|name| root.join(name));
        let own = self.repo().git_common_dir();
        let own = own.map(|folder| folder.join("info").join("exclude"));
        for rules in above.into_iter().chain(own) {
            stamps.take_file(&rules);
        }
        Ok(stamps)
    }

    /// Under which key it is noted which index of this memory was made last, and in the same way.
    fn newest_index_key(&self) -> Result<String, Error> {
        self.index_key(&Stamps {
            digest: "newest".to_owned(),
            newest: None,
            is_empty: false,
        })
    }

    /// What an index is made of: the state of the files, what is secret here, and how indexes are made.
    fn index_key(&self, stamps: &Stamps) -> Result<String, Error> {
        let secrets = self
            .repo()
            .secrets()
            .digest()
            .map(|digest| digest.to_string());
        let own_rules = self
            .repo()
            .own_rules()
            .digest()
            .map(|digest| digest.to_string());
        let version = env!("CARGO_PKG_VERSION");
        let root = self.repo().root().to_string_lossy();
        let of = (
            INDEX_VERSION,
            version,
            root,
            secrets,
            own_rules,
            &stamps.digest,
        );
        let digest = Digest::of_json(&of).map_err(|error| Error::Internal(error.to_string()))?;
        Ok(digest.hex())
    }
}

fn opened(bytes: Vec<u8>) -> Result<RecallIndex, Error> {
    let odd = || Error::Internal("an index cannot be read that was just made".to_owned());
    RecallIndex::open(bytes).ok_or_else(odd)
}

fn index_bytes(before: Option<&RecallIndex>, memory: &Memory, threads: usize) -> Vec<u8> {
    let shown = |record: &Record| redact_text(record.source.text()).0.as_str().to_owned();
    build_index_from(before, memory, &shown, threads)
}

/// The index that was made last: it is noted by its key, or lies there itself.
fn index_before(cache: &Blobs, newest: &str) -> Option<RecallIndex> {
    let noted = cache.get(newest, MAX_INDEX)?;
    match std::str::from_utf8(&noted) {
        Ok(key) if key.len() == newest.len() => RecallIndex::open(cache.get(key, MAX_INDEX)?),
        _ => RecallIndex::open(noted),
    }
}

/// The state that the files of the memory are in, as far as it can be told without reading them.
#[derive(Debug, PartialEq, Eq)]
struct Stamps {
    digest: String,
    newest: Option<std::time::SystemTime>,
    is_empty: bool,
}

impl Stamps {
    fn of(root: &Path) -> Result<Self, Error> {
        let folder = root.join(FOLDER);
        let mut text = String::new();
        let mut newest = None;
        let mut open: Vec<(PathBuf, String, usize)> = vec![(folder, String::new(), 0)];
        while let Some((folder, name, depth)) = open.pop() {
            for file in files_in(&folder, |_| true)? {
                let modified = file
                    .modified
                    .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
                let nanoseconds = modified.map_or(0, |time| time.as_nanos());
                text.push_str(&format!(
                    "{name}{}\0{}\0{nanoseconds}\n",
                    file.name, file.bytes
                ));
                newest = newest.max(file.modified);
            }
            if depth < MAX_DEPTH {
                for inner in folders_in(&folder)? {
                    let own = inner
                        .file_name()
                        .map(|own| own.to_string_lossy().into_owned());
                    open.push((
                        inner,
                        format!("{name}{}/", own.unwrap_or_default()),
                        depth + 1,
                    ));
                }
            }
        }
        Ok(Self {
            is_empty: text.is_empty(),
            digest: Digest::of_bytes(text.as_bytes()).hex(),
            newest,
        })
    }

    /// A file beside the folder, which need not be there.
    fn take_file(&mut self, file: &Path) {
        let Ok(metadata) = file.metadata() else {
            return;
        };
        let modified = metadata.modified().ok();
        let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let nanoseconds = since.map_or(0, |time| time.as_nanos());
        let (before, bytes) = (&self.digest, metadata.len());
        let text = format!("{before}\0{}\0{bytes}\0{nanoseconds}", file.display());
        self.digest = Digest::of_bytes(text.as_bytes()).hex();
        self.newest = self.newest.max(modified);
    }

    fn is_younger_than(&self, now: std::time::SystemTime) -> bool {
        let old = now.checked_sub(std::time::Duration::from_secs(TICK));
        self.newest
            .is_some_and(|newest| old.is_none_or(|old| newest > old))
    }
}
