use std::fs::{DirEntry, FileType, Metadata};
use std::io::{self, BufRead as _, BufReader};
use std::time::SystemTime;

use crate::beneath::{self, Access, Folder};
use crate::file_mark::changed;
use crate::{FileMark, RootedPath, StoreError, Unfit};

/// A file of ours in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    /// Its name.
    pub name: String,
    /// Its location.
    pub place: RootedPath,
    /// Its size in bytes.
    pub bytes: u64,
    /// The time when it was last written, where that is known.
    pub modified: Option<SystemTime>,
    /// The identity of the file, and its state.
    pub mark: FileMark,
    /// The time when it, or what the file system knows of it, last changed, in nanoseconds since the epoch: nobody can set that back. When
    /// it was last written, where that is not known.
    pub changed: i64,
}

/// The contents of a folder, before anybody looked at more than names and kinds.
#[derive(Debug, Default)]
pub struct Listed {
    /// The files, sorted by name. Names that are no text are not ours.
    pub files: Vec<ListedFile>,
    /// The folders, sorted by name.
    pub folders: Vec<RootedPath>,
    /// The things that are neither, sorted by name.
    pub others: Vec<(RootedPath, OtherKind)>,
}

/// A thing in a folder that is neither a file nor a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OtherKind {
    /// A symbolic link, wherever it leads.
    Link,
    /// A pipe, a socket or a device: whoever reads one may wait for ever.
    Special,
}

impl OtherKind {
    /// The kind, in words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Link => "a link",
            Self::Special => "a pipe, a socket or a device",
        }
    }
}

/// A file of a [`Listed`].
#[derive(Debug)]
pub struct ListedFile {
    name: String,
    place: RootedPath,
    entry: DirEntry,
}

impl ListedFile {
    /// Looks at it; `None` where it is no longer there, or no file any more.
    #[must_use]
    pub fn look(&self) -> Option<FolderFile> {
        let metadata = self.entry.metadata().ok()?;
        let of = || FolderFile::of(self.place.clone(), self.name.clone(), &metadata);
        metadata.is_file().then(of)
    }
}

impl FolderFile {
    fn of(place: RootedPath, name: String, metadata: &Metadata) -> Self {
        Self {
            name,
            place,
            bytes: metadata.len(),
            modified: metadata.modified().ok(),
            mark: FileMark::of(metadata),
            changed: changed(metadata),
        }
    }
}

/// Kind of the entry at `place`; `None` if there is none.
///
/// # Errors
/// When a component is a link, or the file system does not answer.
pub fn look_at(place: &RootedPath) -> io::Result<Option<FolderFile>> {
    let found = place.look()?;
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    Ok(found.map(|found| FolderFile::of(place.clone(), name.into_owned(), &found)))
}

/// Lists what lies in `folder`; nothing when there is no such folder.
///
/// # Errors
/// When it cannot be read.
pub fn list_folder(folder: &RootedPath) -> Result<Listed, StoreError> {
    let mut listed = Listed::default();
    read_folder(folder, |entry, kind| {
        let place = folder.join(entry.file_name());
        if kind.is_dir() {
            listed.folders.push(place);
        } else if kind.is_file() {
            if let Ok(name) = entry.file_name().into_string() {
                listed.files.push(ListedFile { name, place, entry });
            }
        } else if kind.is_symlink() {
            listed.others.push((place, OtherKind::Link));
        } else {
            listed.others.push((place, OtherKind::Special));
        }
    })?;
    listed.files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    listed.folders.sort_unstable();
    listed.others.sort_unstable();
    Ok(listed)
}

/// Gives all that lies in `folder` to `take`, in no order; nothing when there is no such folder.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn read_folder(
    folder: &RootedPath,
    mut take: impl FnMut(DirEntry, FileType),
) -> Result<(), StoreError> {
    let failed = |e| StoreError::io("list the folder", folder.path(), e);
    // Opened for its own sake: that no link leads to it. What is listed is named by its path, and opened in the same way.
    let listed = Folder::open(folder).and_then(|_| std::fs::read_dir(folder.path()));
    let entries = match listed {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(failed(e)),
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        // One that has just been removed is not there.
        if let Ok(kind) = entry.file_type() {
            take(entry, kind);
        }
    }
    Ok(())
}

/// Kind of the entry at `place` if it is neither a file nor a folder; a link if one is on the way.
#[must_use]
pub fn other_at(place: &RootedPath) -> Option<OtherKind> {
    match place.look() {
        Ok(found) => {
            let kind = found?.file_type();
            (!kind.is_file() && !kind.is_dir()).then_some(OtherKind::Special)
        }
        Err(e) => match StoreError::io("look at", place.path(), e) {
            StoreError::Unfit {
                unfit: Unfit::Link, ..
            } => Some(OtherKind::Link),
            _ => None,
        },
    }
}

/// The files in `folder` whose name `wanted` takes, sorted by name; none when there is no such folder. Names that
/// are no text are not ours.
///
/// # Errors
/// When it cannot be read.
pub fn files_in(
    folder: &RootedPath,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<FolderFile>, StoreError> {
    let listed = list_folder(folder)?;
    let wanted = listed.files.iter().filter(|file| wanted(&file.name));
    Ok(wanted.filter_map(ListedFile::look).collect())
}

/// The folders in `folder`, sorted by name; none when there is no such folder.
///
/// # Errors
/// When it cannot be read.
pub fn folders_in(folder: &RootedPath) -> Result<Vec<RootedPath>, StoreError> {
    Ok(list_folder(folder)?.folders)
}

/// True if two files hold the same bytes.
///
/// # Errors
/// When one of them cannot be read.
pub fn have_same_bytes(one: &RootedPath, other: &RootedPath) -> Result<bool, StoreError> {
    let open = |place: &RootedPath| {
        let file = beneath::open(place, Access::Read);
        let file = file.and_then(|file| Ok((file.metadata()?.len(), file)));
        file.map_err(|e| StoreError::io("read", place.path(), e))
    };
    let ((one_len, one_file), (other_len, other_file)) = (open(one)?, open(other)?);
    if one_len != other_len {
        return Ok(false);
    }
    let (mut a, mut b) = (BufReader::new(one_file), BufReader::new(other_file));
    loop {
        let part = a
            .fill_buf()
            .map_err(|e| StoreError::io("read", one.path(), e))?;
        let same = b
            .fill_buf()
            .map_err(|e| StoreError::io("read", other.path(), e))?;
        let length = part.len().min(same.len());
        if length == 0 {
            return Ok(part.len() == same.len());
        }
        if part[..length] != same[..length] {
            return Ok(false);
        }
        a.consume(length);
        b.consume(length);
    }
}

/// Makes `folder` where it is missing, and says whether nobody but the user can write to it, so that what lies there is
/// what this program put there.
///
/// # Errors
/// When it cannot be made or looked at.
pub fn private_folder(folder: &RootedPath) -> Result<bool, StoreError> {
    let failed = |e| StoreError::io("make the folder", folder.path(), e);
    let made = Folder::make(folder, 0o700, false).map_err(failed)?;
    let found = made.metadata().map_err(failed)?;
    Ok(crate::platform::is_private(&found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_folder_that_others_may_write_to_is_not_private() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let dir = tempfile::tempdir().unwrap();
        let root = RootedPath::new(dir.path());
        let (place, folder) = (root.join("a/b"), dir.path().join("a/b"));
        assert!(private_folder(&place).unwrap());
        let open = |mode| {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&folder, mode).unwrap();
            private_folder(&place).unwrap()
        };
        assert!(!open(0o770) && !open(0o707) && open(0o755));
        symlink(&folder, dir.path().join("link")).unwrap();
        assert!(private_folder(&root.join("link")).is_err());
    }

    #[test]
    fn the_files_that_are_wanted_are_listed_by_name() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(
            files_in(&RootedPath::new(dir.path()).join("no"), |_| true).unwrap(),
            []
        );
        let root = RootedPath::new(dir.path());
        for name in ["b.json", "a.json", "c"] {
            std::fs::write(dir.path().join(name), name).unwrap();
        }
        std::fs::create_dir(dir.path().join("d.json")).unwrap();
        let files = files_in(&root, |name| name.ends_with(".json")).unwrap();
        let told: Vec<_> = files.iter().map(|file| (&*file.name, file.bytes)).collect();
        assert_eq!(told, [("a.json", 6), ("b.json", 6)]);
        assert_eq!(folders_in(&root).unwrap(), [root.join("d.json")]);
        assert_eq!(folders_in(&root.join("no")).unwrap().len(), 0);
    }
}
