//! Changes several files of a memory as a unit: either all of them are changed, or none.
//!
//! We first write the whole change to a journal in the memory's folder, then replace one file after
//! another, and finally remove the journal. If the process is interrupted in between, the next
//! reader or writer finds the journal and completes the change.
//!
//! In the meantime, a user may have edited one of the files. Recovery leaves such a file alone, and
//! moves the journal aside (out of the repository if possible) so that the rest of the change is
//! not lost.
//!
//! Note that the journal may come from another machine, or may be forged. Recovery therefore only
//! writes to the files of the memory, to `.gitignore` and to `AGENTS.md`, whatever the journal
//! says.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use windlass_base::{Digest, RepoPath};
use windlass_store::{
    RootedPath, StoreError, keep_file, read_document, remove_file, write_shared, write_shared_over,
};

use crate::file_change::Change;
use crate::texts::layout::is_of_change;
use crate::texts::line_bytes;

/// Version of the journal format. Raise it if an older version would misread a new journal; an
/// older version then refuses to complete the change.
const VERSION: u32 = 1;
/// Maximum size of a journal, in bytes. We refuse to read a larger one.
const MAX_JOURNAL: u64 = 256 << 20;

#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    schema_version: u32,
    files: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    path: RepoPath,
    /// Digest of the contents before the change, or `None` for a new file.
    before: Option<String>,
    text: String,
    /// True if `text` has placeholder characters in place of bytes that are not valid UTF-8.
    #[serde(default)]
    odd_bytes: bool,
}

impl Entry {
    fn bytes(&self) -> Cow<'_, [u8]> {
        match self.odd_bytes {
            true => line_bytes::of_text(&self.text),
            false => Cow::Borrowed(self.text.as_bytes()),
        }
    }
}

/// The outcome of recovery. It is empty if no change was interrupted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovery {
    /// The files that recovery has written.
    pub finished: Vec<RepoPath>,
    /// The files that recovery has skipped, because a user has edited them since, or because they
    /// are not ours to write.
    pub left: Vec<RepoPath>,
    /// New path of the journal, if any file was skipped.
    pub kept: Option<PathBuf>,
}

/// The outcome of a commit that was not rolled back because of an error.
#[derive(Debug)]
#[must_use = "an unfinished commit must be reported"]
pub enum Committed {
    /// All files have been written.
    All,
    /// Some files are written, but writing the next one failed, and so did restoring the others.
    /// The journal is still there, and [`recover`] will complete the change.
    Unfinished(StoreError),
    /// Nothing has changed, because another process modified this file after we read it.
    Changed(RepoPath),
}

/// Writes all of `changes`, or none. `place_of` returns the path of a file on disk.
///
/// If this process dies halfway, any other process with write access can complete the change by
/// calling [`recover`] with the same `journal`.
///
/// # Errors
/// Returns an error if writing a file fails. In this case, nothing has changed.
pub(crate) fn commit<E: From<StoreError>>(
    journal: &RootedPath,
    changes: &[Change],
    place_of: impl Fn(&RepoPath) -> Result<RootedPath, E>,
) -> Result<Committed, E> {
    let places = changes.iter().map(|change| place_of(&change.path));
    let places: Vec<RootedPath> = places.collect::<Result<_, E>>()?;
    let files = changes.iter().map(|change| Entry {
        path: change.path.clone(),
        before: change.bytes_before().map(|before| digest(&before)),
        text: change.text.clone(),
        odd_bytes: change.has_odd_bytes(),
    });
    let noted = Journal {
        schema_version: VERSION,
        files: files.collect(),
    };
    // We replace a single file atomically anyway, so don't bother with a journal.
    if let ([entry], [place]) = (&noted.files[..], &places[..]) {
        let before = changes.first().and_then(Change::bytes_before);
        return Ok(
            match write_shared_over(place, &entry.bytes(), before.as_deref())? {
                true => Committed::All,
                false => Committed::Changed(entry.path.clone()),
            },
        );
    }
    let text = serde_json::to_vec(&noted).unwrap_or_default();
    write_shared(journal, &text)?;
    let all = noted.files.iter().zip(changes).zip(&places).enumerate();
    for (at, ((entry, change), place)) in all {
        // Replace the file only if it's still the one we read. Otherwise, we'd overwrite the work
        // of an editor that doesn't know our lock.
        let before = change.bytes_before();
        let written = write_shared_over(place, &entry.bytes(), before.as_deref());
        let failed = match written {
            Ok(true) => continue,
            Ok(false) => None,
            Err(error) => Some(error),
        };
        let undone = undo(journal, changes.iter().zip(&places).take(at));
        return match (failed, undone) {
            (None, Ok(())) => Ok(Committed::Changed(entry.path.clone())),
            (None, Err(error)) => Ok(Committed::Unfinished(error)),
            (Some(error), Ok(())) => Err(error.into()),
            (Some(error), Err(_)) => Ok(Committed::Unfinished(error)),
        };
    }
    // If the removal fails, the next process finds all files written, and removes the journal.
    let _ = remove_file(journal);
    Ok(Committed::All)
}

/// Restores the files already `written`, and removes the journal at the very end. If we are
/// interrupted before that, the next process completes the whole change instead.
fn undo<'a>(
    journal: &RootedPath,
    written: impl Iterator<Item = (&'a Change, &'a RootedPath)>,
) -> Result<(), StoreError> {
    for (change, place) in written {
        match change.bytes_before() {
            Some(before) => write_shared(place, &before)?,
            None => remove_file(place)?,
        }
    }
    remove_file(journal)
}

/// Completes the change in `journal`, if there is one. `read` returns the current bytes of a file.
/// If we cannot complete the change, the journal goes to the folder `aside`.
///
/// # Errors
/// Returns an error if reading the journal or writing a file fails.
pub(crate) fn recover<E: From<StoreError>>(
    journal: &RootedPath,
    aside: Option<&RootedPath>,
    place_of: impl Fn(&RepoPath) -> Result<RootedPath, E>,
    read: impl Fn(&RepoPath) -> Option<Vec<u8>>,
) -> Result<Recovery, E> {
    let mut recovery = Recovery::default();
    let noted: Option<Journal> = read_document(journal, VERSION, MAX_JOURNAL)?;
    let Some(noted) = noted else {
        return Ok(recovery);
    };
    // The digest goes into the name below, so that setting aside the same journal twice gives only
    // one file.
    let digest_of_all = Digest::of_bytes(&serde_json::to_vec(&noted).unwrap_or_default()).hex();
    for entry in noted.files {
        if !is_of_change(entry.path.as_str()) {
            recovery.left.push(entry.path);
            continue;
        }
        // The interrupted process got this far.
        let now = read(&entry.path);
        if now.as_deref() == Some(&entry.bytes()) {
            continue;
        }
        let as_before = now.as_deref().map(digest) == entry.before;
        // The file is still in the state before the change, so we won't overwrite anybody's edit.
        if as_before {
            write_shared(&place_of(&entry.path)?, &entry.bytes())?;
            recovery.finished.push(entry.path);
        } else {
            recovery.left.push(entry.path);
        }
    }
    if !recovery.left.is_empty() {
        let name = format!("unfinished-{digest_of_all}.json");
        let kept = match aside {
            Some(folder) => folder.join(name),
            None => journal.with_file_name(name),
        };
        // If we can't set the journal aside, leave it in its place, where the next process tries
        // again.
        if keep_file(journal, &kept).is_err() && !kept.is_there() {
            return Ok(recovery);
        }
        recovery.kept = Some(kept.path().to_owned());
    }
    remove_file(journal)?;
    Ok(recovery)
}

fn digest(bytes: &[u8]) -> String {
    Digest::of_bytes(bytes).to_string()
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests make files, and look at them"
)]
mod tests {
    use std::fs;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use windlass_base::Source;
    use windlass_store::{Disk, DiskCall};

    use super::*;

    struct World {
        dir: tempfile::TempDir,
        changes: Vec<Change>,
    }

    impl World {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir_all(dir.path().join("memory")).unwrap();
            fs::write(dir.path().join("memory/a.md"), "old a").unwrap();
            let change = |path: &str, before: Option<&str>, text: &str| Change {
                path: RepoPath::parse(path).unwrap(),
                before: before.map(|text| Source::new(path, text)),
                text: text.to_owned(),
            };
            let changes = vec![
                change("memory/a.md", Some("old a"), "new a"),
                change("memory/decisions/b.md", None, "new b"),
            ];
            Self { dir, changes }
        }

        fn journal(&self) -> RootedPath {
            RootedPath::new(self.dir.path()).join("state/journal.json")
        }

        fn place(&self, path: &RepoPath) -> Result<RootedPath, StoreError> {
            Ok(RootedPath::new(self.dir.path()).join(path.as_str()))
        }

        fn read(&self, path: &RepoPath) -> Option<Vec<u8>> {
            fs::read(self.dir.path().join(path.as_str())).ok()
        }

        fn commit_on(&self, disk: &Disk) -> Result<Committed, StoreError> {
            let place = |path: &RepoPath| Ok(self.place(path)?.on(disk));
            commit(&self.journal().on(disk), &self.changes, place)
        }

        fn recover(&self) -> Recovery {
            recover(
                &self.journal(),
                None,
                |path| self.place(path),
                |path| self.read(path),
            )
            .unwrap()
        }

        fn texts(&self) -> Vec<Option<String>> {
            let texts = self.changes.iter().map(|change| self.read(&change.path));
            texts
                .map(|text| text.map(|text| String::from_utf8(text).unwrap()))
                .collect()
        }
    }

    #[test]
    fn interrupted_change_is_atomic() {
        let (mut old, mut new) = (0, 0);
        for last in 0..20 {
            let world = World::new();
            let done = Arc::new(AtomicUsize::new(0));
            let disk = Disk::watched(move |_| match done.fetch_add(1, Ordering::Relaxed) < last {
                true => Ok(()),
                false => Err(std::io::ErrorKind::StorageFull.into()),
            });
            let committed = world.commit_on(&disk);
            world.recover();
            match world.texts().as_slice() {
                [Some(a), None] if a == "old a" => {
                    assert!(committed.is_err(), "{committed:?}");
                    old += 1;
                }
                [Some(a), Some(b)] if a == "new a" && b == "new b" => new += 1,
                other => panic!("half of a change is there: {other:?}"),
            }
            assert!(!world.journal().is_there() && world.recover() == Recovery::default());
        }
        assert!(old > 3 && new > 10, "{old} {new}");
    }

    #[test]
    fn failed_write_is_undone() {
        for failing in 0..2 {
            let world = World::new();
            let count = AtomicUsize::new(0);
            // Replacing one file fails after the journal is written.
            let disk = Disk::watched(move |call| {
                let is_file = matches!(call, DiskCall::Replace(_));
                match is_file && count.fetch_add(1, Ordering::Relaxed) == failing + 1 {
                    true => Err(std::io::ErrorKind::StorageFull.into()),
                    false => Ok(()),
                }
            });
            let committed = world.commit_on(&disk);
            assert!(committed.is_err(), "{committed:?}");
            assert_eq!(world.texts(), [Some("old a".to_owned()), None]);
            assert!(!world.journal().is_there());
        }
    }

    #[test]
    fn concurrent_write_survives() {
        for (name, texts) in [
            ("a.md", [Some("by hand"), None]),
            ("decisions/b.md", [Some("old a"), Some("by hand")]),
        ] {
            let world = World::new();
            let file = world.dir.path().join("memory").join(name);
            let count = AtomicUsize::new(0);
            let nth = if name == "a.md" { 1 } else { 2 };
            // Another process writes the file at the last moment, after the journal is written.
            let disk = Disk::watched(move |call| {
                let is_file = matches!(call, DiskCall::Replace(_));
                if is_file && count.fetch_add(1, Ordering::Relaxed) == nth {
                    fs::write(&file, "by hand")?;
                }
                Ok(())
            });
            let committed = world.commit_on(&disk);
            assert!(
                matches!(&committed, Ok(Committed::Changed(path)) if path.as_str().ends_with(name)),
                "{committed:?}"
            );
            assert_eq!(world.texts(), texts.map(|text| text.map(str::to_owned)));
            assert!(!world.journal().is_there());
        }
    }

    #[test]
    fn journal_cannot_write_outside() {
        let world = World::new();
        fs::create_dir_all(world.dir.path().join("state")).unwrap();
        let noted =
            r#"{"schema_version":1,"files":[{"path":"src/main.rs","before":null,"text":"x"}]}"#;
        fs::write(world.journal().path(), noted).unwrap();
        let recovery = world.recover();
        assert_eq!(recovery.left, [RepoPath::parse("src/main.rs").unwrap()]);
        assert!(!world.dir.path().join("src").exists() && !world.journal().is_there());
        assert_eq!(fs::read_to_string(recovery.kept.unwrap()).unwrap(), noted);
    }

    #[test]
    fn later_edit_kept_and_change_saved() {
        let world = World::new();
        let count = AtomicUsize::new(0);
        let disk = Disk::watched(move |call| {
            let is_file = matches!(call, DiskCall::Replace(_));
            // The journal and the first file succeed.
            let is_over = match is_file {
                true => count.fetch_add(1, Ordering::Relaxed) > 1,
                false => count.load(Ordering::Relaxed) > 2,
            };
            match is_over {
                true => Err(std::io::ErrorKind::Interrupted.into()),
                false => Ok(()),
            }
        });
        let committed = world.commit_on(&disk);
        assert!(
            matches!(committed, Ok(Committed::Unfinished(_))),
            "{committed:?}"
        );
        fs::write(world.dir.path().join("memory/a.md"), "by hand").unwrap();
        let recovery = world.recover();
        assert_eq!(recovery.left, [world.changes[0].path.clone()]);
        assert_eq!(recovery.finished, [world.changes[1].path.clone()]);
        assert_eq!(world.texts()[0].as_deref(), Some("by hand"));
        let kept = fs::read_to_string(recovery.kept.unwrap()).unwrap();
        assert!(kept.contains("new a"));
    }
}
