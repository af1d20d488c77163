use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use windlass_base::{Digest, RepoPath, in_parallel};
use windlass_memory::{FOLDER, Marks};
use windlass_store::{FileState, ListedFile, list_folder, look_at};

use crate::{Error, Workspace};

/// How deep folders are looked into.
const MAX_DEPTH: usize = 16;
/// How many files a thread looks at at a time.
const PIECE: usize = 256;
/// A file changed so shortly before it was read, in seconds, may have changed again without a trace.
const TICK: u64 = 2;

/// The state that the files of the memory are in, as far as it can be told without reading them: which files they are, and when they
/// or what is known of them last changed, which nobody can set back.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stamps {
    /// The files of the folder.
    files: Vec<Stamp>,
    digest: String,
    /// When the last of them changed, in nanoseconds since the epoch.
    newest: i64,
}

/// A file, and its state.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    /// The folder it lies in, relative to that of the memory.
    folder: Arc<str>,
    name: String,
    state: FileState,
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
        let (mut files, mut closed) = (Vec::new(), Vec::new());
        let mut open: Vec<(PathBuf, String, usize)> = vec![(root.join(FOLDER), String::new(), 0)];
        while let Some((folder, name, depth)) = open.pop() {
            let listed = match list_folder(&folder) {
                Ok(listed) => listed,
                // Nobody reads what lies in a folder that nobody may look into; who checks is told of it.
                Err(_) if depth > 0 => {
                    closed.push(name);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let states = in_parallel(&listed.files, threads, PIECE, |files| {
                files.iter().map(ListedFile::state).collect::<Vec<_>>()
            });
            let own: Arc<str> = Arc::from(name.as_str());
            let names = listed.files.into_iter().map(ListedFile::into_name);
            let named = names.zip(states.into_iter().flatten());
            files.extend(named.filter_map(|(name, state)| {
                let (folder, state) = (Arc::clone(&own), state?);
                Some(Stamp {
                    folder,
                    name,
                    state,
                })
            }));
            if depth < MAX_DEPTH {
                for inner in listed.folders {
                    let own = inner.file_name().map(|own| own.to_string_lossy());
                    let name = format!("{name}{}/", own.unwrap_or_default());
                    open.push((inner, name, depth + 1));
                }
            }
        }
        let last = files.iter().map(|file| file.state.last_change()).max();
        Ok(Self {
            digest: digest(&files, &closed),
            newest: last.unwrap_or(i64::MIN),
            files,
        })
    }

    /// A file beside the folder, which need not be there.
    fn take_file(&mut self, file: &Path) {
        let Ok(Some(file)) = look_at(file) else {
            return;
        };
        let state = FileState {
            mark: file.mark,
            changed: file.changed,
        };
        let mut bytes = self.digest.clone().into_bytes();
        put_file(&mut bytes, &[&file.path.to_string_lossy()], &state);
        self.digest = Digest::of_bytes(&bytes).hex();
        self.newest = self.newest.max(state.last_change());
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
        let settled = self.files.iter();
        let settled = settled.filter(|file| !is_young(file.state.last_change(), now));
        let marks = settled.filter_map(|file| {
            let path = format!("{FOLDER}/{}{}", file.folder, file.name);
            Some((RepoPath::parse(&path).ok()?, file.state))
        });
        marks.collect()
    }

    pub(super) fn is_younger_than(&self, now: SystemTime) -> bool {
        is_young(self.newest, now)
    }
}

/// The digest of all files and their states, and of the folders that nobody may look into.
fn digest(files: &[Stamp], closed: &[String]) -> String {
    // A path, and four numbers.
    const ABOUT: usize = 96;
    let mut bytes = Vec::with_capacity(files.len() * ABOUT);
    for folder in closed {
        bytes.extend_from_slice(folder.as_bytes());
        bytes.push(0);
    }
    bytes.push(0);
    for file in files {
        put_file(&mut bytes, &[&file.folder, &file.name], &file.state);
    }
    Digest::of_bytes(&bytes).hex()
}

/// A file by the parts of its path, in which no zero stands, and its state.
fn put_file(bytes: &mut Vec<u8>, path: &[&str], state: &FileState) {
    for part in path {
        bytes.extend_from_slice(part.as_bytes());
    }
    bytes.push(0);
    for number in [state.mark.inode, state.mark.bytes] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    for time in [state.mark.modified, state.changed] {
        bytes.extend_from_slice(&time.to_le_bytes());
    }
}

fn is_young(changed: i64, now: SystemTime) -> bool {
    let old = now.checked_sub(Duration::from_secs(TICK));
    let old = old.and_then(|old| old.duration_since(UNIX_EPOCH).ok());
    old.is_none_or(|old| i128::from(changed) > i128::try_from(old.as_nanos()).unwrap_or(i128::MAX))
}
