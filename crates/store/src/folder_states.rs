//! Lists a folder together with the states of its files, on several threads.

use std::fs::DirEntry;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::Scope;

use crate::file_mark::changed;
use crate::folder::read_folder;
use crate::{FileMark, RootedPath, StoreError};

/// Number of files that a thread checks at a time. This takes about as long as starting a thread,
/// so smaller pieces would not be worth one.
const PIECE: usize = 256;

/// Identifies a file and its state, as far as its metadata allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileState {
    /// The mark. No other file has the same one, and hardly any other state of this file does.
    pub mark: FileMark,
    /// Time of the last change to the file or its metadata, in nanoseconds since the epoch. If
    /// somebody sets back the time of the last write, this one still changes.
    pub changed: i64,
}

impl FileState {
    /// The time of the last write or of the last change to metadata, whichever is later, in
    /// nanoseconds since the epoch.
    #[must_use]
    pub fn last_change(&self) -> i64 {
        self.mark.modified.max(self.changed)
    }

    fn of(entry: &DirEntry) -> Option<Self> {
        let metadata = entry.metadata().ok()?;
        metadata.is_file().then(|| Self {
            mark: FileMark::of(&metadata),
            changed: changed(&metadata),
        })
    }
}

/// A folder's entries, with the state of each file.
#[derive(Debug, Default)]
pub struct FolderStates {
    /// Files and their states, sorted by name. Leaves out names that are not UTF-8.
    pub files: Vec<(String, FileState)>,
    /// Folders, sorted by name.
    pub folders: Vec<RootedPath>,
}

type Piece = Vec<(String, FileState)>;

/// Lists `folder` with the state of each file. A missing folder counts as empty.
///
/// With thousands of files, checking them takes many times as long as listing them. We therefore
/// start up to `threads` - 1 other threads, which check files while the calling thread is still
/// reading names. If there are only a few files, the calling thread checks them by itself.
///
/// # Errors
/// Returns an error if the folder is unreadable.
pub fn folder_states(folder: &RootedPath, threads: usize) -> Result<FolderStates, StoreError> {
    let mut folders = Vec::new();
    let (named, taken) = mpsc::channel::<Vec<DirEntry>>();
    let taken = Mutex::new(taken);
    let look = || {
        let mut looked = Vec::new();
        loop {
            // Release the lock before checking the files, because the other threads would have to
            // wait for us otherwise.
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
                // The receiver outlives this closure, so this can't fail.
                let _ = named.send(std::mem::take(&mut piece));
                others.call_one();
            }
        });
        // The threads end once the channel is closed. Do this even if reading the folder has
        // failed, because the scope waits for them.
        drop(named);
        read?;
        // Check the last, incomplete piece, then help with those that no other thread has taken
        // yet.
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

/// Threads that check files while the calling one is listing them. We only start a thread when
/// there is a piece of work for it.
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
    fn folder_states_cover_every_file_once() {
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
    fn folder_states_skip_other_entries() {
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
