//! Tells if the files of a memory have changed, without reading them.
//!
//! A recall is supposed to be fast even if there are thousands of records. Looking at the file
//! system's metadata for each of them is much cheaper than reading and indexing them again.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use windlass_base::Digest;
use windlass_site::{Error, Site};
use windlass_store::{FileState, RootedPath, folder_states, look_at};

use crate::FOLDER;

const MAX_DEPTH: usize = 16;
/// The coarsest granularity of file times that we expect, in seconds. If a file was changed this
/// recently, it may change again without getting another time.
const TICK: u64 = 2;

/// The state of a memory's files: the paths, inodes, sizes, and the times of modification and
/// status change. A program can set back the former time but not the latter.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stamps {
    folders: Vec<Folder>,
    digest: String,
    /// Time of the latest change to any of the files, in nanoseconds since the epoch.
    newest: i64,
}

#[derive(Debug, PartialEq, Eq)]
struct Folder {
    /// Path within the memory's folder. It ends with a `/`, or is empty for the folder itself.
    name: String,
    files: Vec<(String, FileState)>,
}

impl Stamps {
    /// Looks at the memory's files, and at the ignore files that decide which of them we read.
    pub(crate) fn of(site: &Site) -> Result<Self, Error> {
        let root = site.repo().root();
        let mut stamps = Self::of_folder(root, site.environment().threads.get())?;
        let above = [".rgignore", ".ignore", ".gitignore"].map(|name| root.join(name));
        let own = site.repo().git_common_dir();
        let own = own.map(|folder| folder.join("info").join("exclude"));
        for rules in above.into_iter().chain(own) {
            stamps.take_file(&rules);
        }
        Ok(stamps)
    }

    fn of_folder(root: &Path, threads: usize) -> Result<Self, Error> {
        let (mut folders, mut closed) = (Vec::new(), Vec::new());
        let mut open: Vec<(RootedPath, String, usize)> =
            vec![(RootedPath::new(root).join(FOLDER), String::new(), 0)];
        while let Some((folder, name, depth)) = open.pop() {
            let states = match folder_states(&folder, threads) {
                Ok(states) => states,
                // We couldn't read the files in there anyway, and `memory check` reports the
                // folder.
                Err(_) if depth > 0 => {
                    closed.push(name);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            if depth < MAX_DEPTH {
                for inner in states.folders {
                    let own = inner.file_name().map(|own| own.to_string_lossy());
                    let name = format!("{name}{}/", own.unwrap_or_default());
                    open.push((inner, name, depth + 1));
                }
            }
            if !states.files.is_empty() {
                let files = states.files;
                folders.push(Folder { name, files });
            }
        }
        let files = folders.iter().flat_map(|folder| &folder.files);
        let newest = files.map(|(_, state)| state.last_change()).max();
        Ok(Self {
            digest: digest(&folders, &closed),
            newest: newest.unwrap_or(i64::MIN),
            folders,
        })
    }

    /// Adds a file outside the memory, if there is one.
    fn take_file(&mut self, file: &Path) {
        let found = look_at(&RootedPath::typed(file)).or_else(|_| {
            // Git follows a symbolic link to an ignore file, so it's the target that matters.
            look_at(&RootedPath::typed(&file.canonicalize()?))
        });
        let Ok(Some(found)) = found else {
            return;
        };
        let state = FileState {
            mark: found.mark,
            changed: found.changed,
        };
        let mut bytes = self.digest.clone().into_bytes();
        put_file(&mut bytes, &[&file.to_string_lossy()], &state);
        self.digest = Digest::of_bytes(&bytes).hex();
        self.newest = self.newest.max(state.last_change());
    }

    /// True if the memory is missing, or its folder is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    /// The key for caching whatever depends on this state.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// True if a file has changed within the last [`TICK`].
    pub(crate) fn is_younger_than(&self, now: SystemTime) -> bool {
        is_young(self.newest, now)
    }
}

fn digest(folders: &[Folder], closed: &[String]) -> String {
    // A path and its four numbers usually fit into this many bytes.
    const ABOUT: usize = 96;
    let files: usize = folders.iter().map(|folder| folder.files.len()).sum();
    // A folder that becomes readable changes what we know about the memory, so it's part of the
    // state.
    let mut bytes = Vec::with_capacity(files * ABOUT);
    for folder in closed {
        bytes.extend_from_slice(folder.as_bytes());
        bytes.push(0);
    }
    bytes.push(0);
    for folder in folders {
        for (name, state) in &folder.files {
            put_file(&mut bytes, &[&folder.name, name], state);
        }
    }
    Digest::of_bytes(&bytes).hex()
}

/// Appends a file and its state. The parts of `path` are joined and end with a zero byte, which no
/// path contains.
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
