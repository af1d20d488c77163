//! Atomic changes to several files.
//!
//! First we write a journal with the new contents into the memory's folder. Then we replace each
//! file as a whole, and finally remove the journal. If the process dies halfway, the next reader or
//! writer completes the change, so Windlass shows either all of it or nothing.
//!
//! A user may have edited one of the files after the interruption. That file stays as it is, and we
//! store the journal under another name, outside the repository if possible.
//!
//! The journal may also come from another machine or be forged. Recovery therefore writes only
//! files of the memory, `.gitignore` and `AGENTS.md`.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use windlass_base::{Digest, RepoPath};
use windlass_store::{Disk, RootedPath, StoreError, read_document};

use crate::file_change::Change;
use crate::texts::layout::is_of_change;
use crate::texts::line_bytes;

/// Latest known version of the journal.
const VERSION: u32 = 1;
/// Maximum size of a journal in bytes. We refuse a larger one.
const MAX_JOURNAL: u64 = 256 << 20;

#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    schema_version: u32,
    files: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    path: RepoPath,
    /// Digest of the contents before the change, or `None` if the file is new.
    before: Option<String>,
    text: String,
    /// True if the text contains placeholder characters for bytes that aren't UTF-8.
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

/// Outcome of recovering an interrupted change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Files to which recovery wrote the new contents.
    pub finished: Vec<RepoPath>,
    /// Files left alone because they were modified after the interruption.
    pub left: Vec<RepoPath>,
    /// The journal's new path, if any file was left alone.
    pub kept: Option<PathBuf>,
}

/// The result of a commit.
#[derive(Debug)]
#[must_use = "an unfinished commit must be reported"]
pub enum Committed {
    /// All files have been written.
    All,
    /// Some files have been written, and undoing them failed. [`recover`] completes the change from
    /// the journal.
    Unfinished(StoreError),
    /// No file has been written, because this one was modified since it was read.
    Changed(RepoPath),
}

/// Writes all of `changes` or none. `place_of` returns a file's location. `journal` is the location
/// of the journal, from which any process with write access can complete the change.
///
/// # Errors
/// Returns an error if a file cannot be written. In this case nothing has changed.
pub(crate) fn commit<E: From<StoreError>>(
    disk: &Disk,
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
    // A single file is replaced atomically, so it needs no journal.
    if let ([entry], [place]) = (&noted.files[..], &places[..]) {
        let before = changes.first().and_then(Change::bytes_before);
        return Ok(
            match disk.write_shared_over(place, &entry.bytes(), before.as_deref())? {
                true => Committed::All,
                false => Committed::Changed(entry.path.clone()),
            },
        );
    }
    let text = serde_json::to_vec(&noted).unwrap_or_default();
    disk.write_shared(journal, &text)?;
    let all = noted.files.iter().zip(changes).zip(&places).enumerate();
    for (at, ((entry, change), place)) in all {
        let before = change.bytes_before();
        let written = disk.write_shared_over(place, &entry.bytes(), before.as_deref());
        let failed = match written {
            Ok(true) => continue,
            Ok(false) => None,
            Err(error) => Some(error),
        };
        let undone = undo(disk, journal, changes.iter().zip(&places).take(at));
        return match (failed, undone) {
            (None, Ok(())) => Ok(Committed::Changed(entry.path.clone())),
            (None, Err(error)) => Ok(Committed::Unfinished(error)),
            (Some(error), Ok(())) => Err(error.into()),
            (Some(error), Err(_)) => Ok(Committed::Unfinished(error)),
        };
    }
    // If the journal can't be removed, that's harmless. The next process finds all files written
    // and removes it.
    let _ = disk.remove(journal);
    Ok(Committed::All)
}

/// Restores the files already `written`. If this is interrupted too, the journal is still there,
/// and the whole change is completed from it.
fn undo<'a>(
    disk: &Disk,
    journal: &RootedPath,
    written: impl Iterator<Item = (&'a Change, &'a RootedPath)>,
) -> Result<(), StoreError> {
    for (change, place) in written {
        match change.bytes_before() {
            Some(before) => disk.write_shared(place, &before)?,
            None => disk.remove(place)?,
        }
    }
    disk.remove(journal)
}

/// Completes an interrupted change, if there is one. `read` returns a file's current bytes. If the
/// change can't be completed, the rest of it is stored in `aside`.
///
/// # Errors
/// Returns an error if the journal cannot be read or a file cannot be written.
pub(crate) fn recover<E: From<StoreError>>(
    disk: &Disk,
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
    let digest_of_all = Digest::of_bytes(&serde_json::to_vec(&noted).unwrap_or_default()).hex();
    for entry in noted.files {
        if !is_of_change(entry.path.as_str()) {
            recovery.left.push(entry.path);
            continue;
        }
        let now = read(&entry.path);
        if now.as_deref() == Some(&entry.bytes()) {
            continue;
        }
        let as_before = now.as_deref().map(digest) == entry.before;
        // The file's contents are still those from before the change, so writing it loses no edit.
        if as_before {
            disk.write_shared(&place_of(&entry.path)?, &entry.bytes())?;
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
        if disk.keep(journal, &kept).is_err() && !kept.is_there() {
            return Ok(recovery);
        }
        recovery.kept = Some(kept.path().to_owned());
    }
    disk.remove(journal)?;
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

        fn recover(&self) -> Recovery {
            recover(
                &Disk::default(),
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
            let committed = commit(&disk, &world.journal(), &world.changes, |path| {
                world.place(path)
            });
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
            // One file can't be replaced after the journal has been written.
            let disk = Disk::watched(move |step| {
                let is_file = step == windlass_store::WriteStep::Replace;
                match is_file && count.fetch_add(1, Ordering::Relaxed) == failing + 1 {
                    true => Err(std::io::ErrorKind::StorageFull.into()),
                    false => Ok(()),
                }
            });
            let committed = commit(&disk, &world.journal(), &world.changes, |path| {
                world.place(path)
            });
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
            // The file changes at the last moment, after the journal has been written.
            let disk = Disk::watched(move |step| {
                let is_file = step == windlass_store::WriteStep::Replace;
                if is_file && count.fetch_add(1, Ordering::Relaxed) == nth {
                    fs::write(&file, "by hand")?;
                }
                Ok(())
            });
            let committed = commit(&disk, &world.journal(), &world.changes, |path| {
                world.place(path)
            });
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
        let disk = Disk::watched(move |step| {
            let is_file = step == windlass_store::WriteStep::Replace;
            // Only the journal and the first file get written before the interruption.
            let is_over = match is_file {
                true => count.fetch_add(1, Ordering::Relaxed) > 1,
                false => count.load(Ordering::Relaxed) > 2,
            };
            match is_over {
                true => Err(std::io::ErrorKind::Interrupted.into()),
                false => Ok(()),
            }
        });
        let committed = commit(&disk, &world.journal(), &world.changes, |path| {
            world.place(path)
        });
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
