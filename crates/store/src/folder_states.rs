use std::fs::DirEntry;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::Scope;

use crate::file_mark::changed;
use crate::folder::read_folder;
use crate::{FileMark, RootedPath, StoreError};

/// How many files a thread looks at at a time: that takes about as long as a thread takes to start.
const PIECE: usize = 256;

/// All that can be told of a file without reading it: which one it is, and the state it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileState {
    /// The mark that tells it from another file, and from most other states.
    pub mark: FileMark,
    /// The time when it, or what the file system knows of it, last changed, in nanoseconds since the epoch: whoever sets the other times back
    /// changes this one.
    pub changed: i64,
}

impl FileState {
    /// The time when it was written, or what is known of it changed, whichever came later, in nanoseconds since the epoch.
    #[must_use]
    pub fn last_change(&self) -> i64 {
        self.mark.modified.max(self.changed)
    }

    /// That of what was listed; `None` where it is no longer there, or no file any more.
    fn of(entry: &DirEntry) -> Option<Self> {
        let metadata = entry.metadata().ok()?;
        metadata.is_file().then(|| Self {
            mark: FileMark::of(&metadata),
            changed: changed(&metadata),
        })
    }
}

/// The contents of a folder, with the state of each file.
#[derive(Debug, Default)]
pub struct FolderStates {
    /// The files by their names, sorted by these. Names that are no text are not ours.
    pub files: Vec<(String, FileState)>,
    /// The folders, sorted by name.
    pub folders: Vec<RootedPath>,
}

type Piece = Vec<(String, FileState)>;

/// Lists what lies in `folder`, with the state of each file; nothing when there is no such folder. At most `threads` threads look at the
/// files, while their names are still being read: of thousands that takes many times as long as to name them. A few are looked at by
/// the one that calls.
///
/// # Errors
/// When it cannot be read.
pub fn folder_states(folder: &RootedPath, threads: usize) -> Result<FolderStates, StoreError> {
    let mut folders = Vec::new();
    let (named, taken) = mpsc::channel::<Vec<DirEntry>>();
    let taken = Mutex::new(taken);
    let look = || {
        let mut looked = Vec::new();
        loop {
            // Only the receiving is done by one at a time.
            let piece = taken.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(piece) = piece else {
                return looked;
            };
            looked.extend(look_at_all(piece));
        }
    };
    let mut files = std::thread::scope(|scope| {
        let mut others = Others::new(scope, threads, &look);
        let mut piece = Vec::new();
        let read = read_folder(folder, |entry, kind| {
            if kind.is_dir() {
                folders.push(folder.join(entry.file_name()));
            } else if kind.is_file() {
                piece.push(entry);
            }
            if piece.len() == PIECE {
                // The receiver lives on beyond this.
                let _ = named.send(std::mem::take(&mut piece));
                others.call_one();
            }
        });
        // Nobody is left to wait for more, whether or not all of it was read.
        drop(named);
        read?;
        let mut files = look_at_all(piece);
        files.extend(look());
        others.join(&mut files);
        Ok(files)
    })?;
    files.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    folders.sort_unstable();
    Ok(FolderStates { files, folders })
}

fn look_at_all(piece: Vec<DirEntry>) -> Piece {
    let files = piece.into_iter().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        Some((name, FileState::of(&entry)?))
    });
    files.collect()
}

/// The threads that look at files beside the one that names them. Each is started when there is something for it to do.
struct Others<'scope, 'env, F> {
    scope: &'scope Scope<'scope, 'env>,
    look: &'scope F,
    most: usize,
    started: Vec<std::thread::ScopedJoinHandle<'scope, Piece>>,
}

impl<'scope, 'env, F: Fn() -> Piece + Sync> Others<'scope, 'env, F> {
    fn new(scope: &'scope Scope<'scope, 'env>, threads: usize, look: &'scope F) -> Self {
        Self {
            scope,
            look,
            most: threads.saturating_sub(1),
            started: Vec::new(),
        }
    }

    fn call_one(&mut self) {
        if self.started.len() < self.most {
            self.started.push(self.scope.spawn(self.look));
        }
    }

    /// Adds to `files` what they looked at.
    fn join(self, files: &mut Piece) {
        for other in self.started {
            match other.join() {
                Ok(looked) => files.extend(looked),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_looked_at_once_and_sorted_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let root = RootedPath::new(dir.path());
        let states = |threads| folder_states(&root, threads).unwrap();
        assert!(folder_states(&root.join("no"), 2).unwrap().files.is_empty());
        assert!(folder_states(&root.join("no/no"), 2).is_ok());
        std::fs::create_dir(dir.path().join("folder")).unwrap();
        for count in [0, 3, PIECE, 3 * PIECE + 7] {
            for at in 0..count {
                std::fs::write(dir.path().join(format!("f{at}")), "x".repeat(at)).unwrap();
            }
            let mut names: Vec<String> = (0..count).map(|at| format!("f{at}")).collect();
            names.sort_unstable();
            for threads in [0, 1, 2, 5] {
                let states = states(threads);
                let told: Vec<&String> = states.files.iter().map(|(name, _)| name).collect();
                assert_eq!(told, names.iter().collect::<Vec<_>>(), "{threads} threads");
                for (name, state) in &states.files {
                    assert_eq!(format!("f{}", state.mark.bytes), *name);
                }
                assert_eq!(states.folders, [root.join("folder")]);
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_has_no_state() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("file"), "x").unwrap();
        std::os::unix::fs::symlink("file", dir.path().join("link")).unwrap();
        let root = RootedPath::new(dir.path());
        let states = folder_states(&root, 2).unwrap();
        assert_eq!(states.files.len(), 1);
        assert_eq!(states.files[0].0, "file");
        assert!(folder_states(&root.join("file"), 2).is_err());
    }
}
