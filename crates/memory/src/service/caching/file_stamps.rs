use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use windlass_base::{Digest, RepoPath};
use windlass_site::{Error, Site};
use windlass_store::{FileState, RootedPath, folder_states, look_at};

use crate::{FOLDER, Marks};

/// How deep folders are looked into.
const MAX_DEPTH: usize = 16;
/// A file changed so shortly before it was read, in seconds, may have changed again without a trace.
const TICK: u64 = 2;

/// The state that the files of the memory are in, as far as it can be told without reading them: which files they are, and when they
/// or what is known of them last changed, which nobody can set back.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stamps {
    /// The files, folder by folder.
    folders: Vec<Folder>,
    digest: String,
    /// When the last of them changed, in nanoseconds since the epoch.
    newest: i64,
}

/// A folder, and the files that lie in it.
#[derive(Debug, PartialEq, Eq)]
struct Folder {
    /// Its path relative to that of the memory: empty, or with a `/` at its end.
    name: String,
    files: Vec<(String, FileState)>,
}

impl Stamps {
    /// The state of the files: of the folder, and of what leaves out files of it.
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
                // Nobody reads what lies in a folder that nobody may look into; who checks is told of it.
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

    /// A file beside the folder, which need not be there.
    fn take_file(&mut self, file: &Path) {
        let found = look_at(&RootedPath::typed(file)).or_else(|_| {
            // Git and others read the rules that a link leads to.
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

    /// Whether there is no file.
    pub(crate) fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    /// Tells this state from any other.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// The state of each file of the memory that did not change a moment ago.
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

/// The digest of all files and their states, and of the folders that nobody may look into.
fn digest(folders: &[Folder], closed: &[String]) -> String {
    // A path, and four numbers.
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
