use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use windlass_base::{Digest, RepoPath};
use windlass_site::{Error, Site};
use windlass_store::{FileState, RootedPath, folder_states, look_at};

use crate::{FOLDER, Marks};

/// Maximum depth of folders to visit.
const MAX_DEPTH: usize = 16;
/// Granularity of file times in seconds. A file that changed within this time before we read it may
/// change again without a visible difference.
const TICK: u64 = 2;

/// The state of a memory's files, found without reading them: their paths, inodes, sizes, and times
/// of modification and status change. The latter can't be set back by programs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stamps {
    /// States of the files, grouped by folder.
    folders: Vec<Folder>,
    digest: String,
    /// Time of the latest change to any file, in nanoseconds since the epoch.
    newest: i64,
}

/// A folder with the states of its files.
#[derive(Debug, PartialEq, Eq)]
struct Folder {
    /// Path relative to the memory's folder. Empty for that folder itself, and ending in `/` for
    /// others.
    name: String,
    files: Vec<(String, FileState)>,
}

impl Stamps {
    /// Determines the state of the memory's files and of the ignore files that apply to them.
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
                // We can't read the files of an inaccessible folder anyway, and `memory check`
                // reports the folder.
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

    /// Includes a file outside the memory, if it exists.
    fn take_file(&mut self, file: &Path) {
        let found = look_at(&RootedPath::typed(file)).or_else(|_| {
            // Git follows symbolic links to ignore files, so their targets matter too.
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

    /// Returns true if the memory has no files.
    pub(crate) fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    /// Returns a digest that identifies this state of the files, for use as a cache key.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the states of files last changed long enough ago to be trusted. See [`TICK`].
    pub(crate) fn settled(&self, now: SystemTime) -> Marks {
        let files = self.folders.iter().flat_map(|folder| {
            let files = folder.files.iter();
            files.map(move |(name, state)| (&folder.name, name, *state))
        });
        let settled = files.filter(|(.., state)| !is_young(state.last_change(), now));
        let marks = settled.filter_map(|(folder, name, state)| {
            let path = format!("{FOLDER}/{folder}{name}");
            Some((RepoPath::parse(&path).ok()?, state))
        });
        marks.collect()
    }

    pub(crate) fn is_younger_than(&self, now: SystemTime) -> bool {
        is_young(self.newest, now)
    }
}

/// Returns a digest of all files with their states, and of the inaccessible folders.
fn digest(folders: &[Folder], closed: &[String]) -> String {
    // Estimated number of bytes for a path and its four numbers.
    const ABOUT: usize = 96;
    let files: usize = folders.iter().map(|folder| folder.files.len()).sum();
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

/// Appends a file and its state. The path is given in parts and contains no zero bytes, so a zero
/// byte can end it.
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
