use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use windlass_base::{Digest, RepoPath, in_parallel};
use windlass_memory::{FOLDER, Marks};
use windlass_store::{FolderFile, ListedFile, list_folder};

use crate::{Error, Workspace};

/// How deep folders are looked into.
const MAX_DEPTH: usize = 16;
/// How many files a thread looks at at a time.
const PIECE: usize = 256;
/// A file changed so shortly before it was read, in seconds, may have changed again without a trace.
const TICK: u64 = 2;

/// The state that the files of the memory are in, as far as it can be told without reading them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stamps {
    /// The files of the folder, each with the folder it lies in, relative to that of the memory.
    files: Vec<(String, FolderFile)>,
    digest: String,
    newest: Option<SystemTime>,
}

impl Workspace {
    /// The state of the files: of the folder, and of what leaves out files of it.
    pub(super) fn stamps(&self) -> Result<Stamps, Error> {
        let root = self.repo().root();
        let mut stamps = Stamps::of(root, self.environment().threads.get())?;
        let above = [".rgignore", ".ignore", ".gitignore"].map(|name| root.join(name));
        let own = self.repo().git_common_dir();
        let own = own.map(|folder| folder.join("info").join("exclude"));
        for rules in above.into_iter().chain(own) {
            stamps.take_file(&rules);
        }
        Ok(stamps)
    }
}

impl Stamps {
    fn of(root: &Path, threads: usize) -> Result<Self, Error> {
        let mut files = Vec::new();
        let mut open: Vec<(PathBuf, String, usize)> = vec![(root.join(FOLDER), String::new(), 0)];
        while let Some((folder, name, depth)) = open.pop() {
            let listed = list_folder(&folder)?;
            let looked = in_parallel(&listed.files, threads, PIECE, |files| {
                let looked = files.iter().filter_map(ListedFile::look);
                looked.collect::<Vec<_>>()
            });
            let own = looked.into_iter().flatten();
            files.extend(own.map(|file| (name.clone(), file)));
            if depth < MAX_DEPTH {
                for inner in listed.folders {
                    let own = inner.file_name().map(|own| own.to_string_lossy());
                    let name = format!("{name}{}/", own.unwrap_or_default());
                    open.push((inner, name, depth + 1));
                }
            }
        }
        let mut text = String::new();
        for (folder, file) in &files {
            let nanoseconds = nanoseconds(file.modified);
            text.push_str(&format!(
                "{folder}{}\0{}\0{nanoseconds}\n",
                file.name, file.bytes
            ));
        }
        Ok(Self {
            digest: Digest::of_bytes(text.as_bytes()).hex(),
            newest: files.iter().filter_map(|(_, file)| file.modified).max(),
            files,
        })
    }

    /// A file beside the folder, which need not be there.
    fn take_file(&mut self, file: &Path) {
        let Ok(metadata) = file.metadata() else {
            return;
        };
        let modified = metadata.modified().ok();
        let (before, bytes) = (&self.digest, metadata.len());
        let nanoseconds = nanoseconds(modified);
        let text = format!("{before}\0{}\0{bytes}\0{nanoseconds}", file.display());
        self.digest = Digest::of_bytes(text.as_bytes()).hex();
        self.newest = self.newest.max(modified);
    }

    /// Whether there is no file.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Tells this state from any other.
    pub(super) fn digest(&self) -> &str {
        &self.digest
    }

    /// The state of each file of the memory that did not change a moment ago.
    pub(super) fn settled(&self, now: SystemTime) -> Marks {
        let settled = self.files.iter().filter(|(_, file)| {
            let modified = file.modified;
            modified.is_some_and(|modified| !is_young(modified, now))
        });
        let marks = settled.filter_map(|(folder, file)| {
            let path = RepoPath::parse(&format!("{FOLDER}/{folder}{}", file.name)).ok()?;
            Some((path, file.mark))
        });
        marks.collect()
    }

    pub(super) fn is_younger_than(&self, now: SystemTime) -> bool {
        self.newest.is_some_and(|newest| is_young(newest, now))
    }
}

fn is_young(modified: SystemTime, now: SystemTime) -> bool {
    let old = now.checked_sub(Duration::from_secs(TICK));
    old.is_none_or(|old| modified > old)
}

fn nanoseconds(modified: Option<SystemTime>) -> u128 {
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |time| time.as_nanos())
}
