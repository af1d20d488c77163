//! Lists folders and compares files.

use std::fs::{DirEntry, FileType, Metadata};
use std::io::{self, BufRead as _, BufReader};
use std::time::SystemTime;

use crate::beneath::{self, Access, Folder};
use crate::file_mark::changed;
use crate::{DiskCall, FileMark, RootedPath, StoreError, Unfit};

/// A file in a folder, with its metadata at the time of listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    /// Name within the folder.
    pub name: String,
    /// The full location, for opening the file.
    pub place: RootedPath,
    /// Size in bytes.
    pub bytes: u64,
    /// Time of the last write, or `None` if the system does not have one.
    pub modified: Option<SystemTime>,
    /// Mark for detecting changes of the file.
    pub mark: FileMark,
    /// Time of the last change to the file or its metadata, in nanoseconds since the epoch.
    /// Programs can set back the time of the last write, but not this one. On systems without it,
    /// we use the former.
    pub changed: i64,
}

/// A folder's entries, by name and kind. For each entry, its metadata takes much longer than the
/// listing itself, so we only read that on demand.
#[derive(Debug, Default)]
pub struct Listed {
    /// Files, sorted by name. We leave out names that are not UTF-8, since none of ours is like
    /// that.
    pub files: Vec<ListedFile>,
    /// Folders, sorted by name.
    pub folders: Vec<RootedPath>,
    /// Other entries, sorted by name.
    pub others: Vec<(RootedPath, OtherKind)>,
}

/// Kind of entry other than a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OtherKind {
    /// A symbolic link. We never follow it.
    Link,
    /// A pipe, a socket or a device. Reading from it might block forever.
    Special,
}

impl OtherKind {
    /// Returns the kind with its article, such as `a link`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Link => "a link",
            Self::Special => "a pipe, a socket or a device",
        }
    }
}

/// A file in a [`Listed`] folder, without its metadata.
#[derive(Debug)]
pub struct ListedFile {
    name: String,
    place: RootedPath,
    entry: DirEntry,
}

impl ListedFile {
    /// Reads the metadata. Returns `None` if the file is gone by now, or no longer a regular one.
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

/// Returns the entry at `place` with its metadata, or `None` if there is none.
///
/// # Errors
/// Returns an error if a component is a link, or the file system fails.
pub fn look_at(place: &RootedPath) -> io::Result<Option<FolderFile>> {
    let found = place.look()?;
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    Ok(found.map(|found| FolderFile::of(place.clone(), name.into_owned(), &found)))
}

/// Lists `folder`. A missing folder counts as empty.
///
/// # Errors
/// Returns an error if the folder is unreadable.
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

/// Passes each entry of `folder` to `take`, in any order. If the folder is missing, there are none.
///
/// # Errors
/// Returns an error if the folder is unreadable.
pub(crate) fn read_folder(
    folder: &RootedPath,
    mut take: impl FnMut(DirEntry, FileType),
) -> Result<(), StoreError> {
    let failed = |e| StoreError::io("list the folder", folder.path(), e);
    // Open the folder, to make sure that no component of its path is a link. It could be replaced
    // right after that, so whoever opens an entry has to check again.
    let listed = folder.call(DiskCall::List);
    let listed = listed.and_then(|()| Folder::open(folder));
    let listed = listed.and_then(|_| std::fs::read_dir(folder.path()));
    let entries = match listed {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(failed(e)),
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        // Somebody may have removed the entry in the meantime.
        if let Ok(kind) = entry.file_type() {
            take(entry, kind);
        }
    }
    Ok(())
}

/// Returns the kind of the entry at `place` if it is neither a file nor a folder. If any component
/// of the path is a link, this is [`OtherKind::Link`].
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

/// Lists the files in `folder` whose names are accepted by `wanted`, sorted by name. A missing
/// folder counts as empty, and names that are not UTF-8 are left out.
///
/// # Errors
/// Returns an error if the folder is unreadable.
pub fn files_in(
    folder: &RootedPath,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<FolderFile>, StoreError> {
    let listed = list_folder(folder)?;
    let wanted = listed.files.iter().filter(|file| wanted(&file.name));
    Ok(wanted.filter_map(ListedFile::look).collect())
}

/// Lists the subfolders of `folder`, sorted by name. A missing folder counts as empty.
///
/// # Errors
/// Returns an error if the folder is unreadable.
pub fn folders_in(folder: &RootedPath) -> Result<Vec<RootedPath>, StoreError> {
    Ok(list_folder(folder)?.folders)
}

/// Compares two files. If their sizes differ, we do not have to read them.
///
/// # Errors
/// Returns an error if reading one of the files fails.
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

/// Makes sure that `folder` exists. Returns true if only the user can write to it, which means that
/// its contents can be trusted.
///
/// # Errors
/// Returns an error if creating or checking the folder fails.
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
    fn folder_writable_by_others_not_private() {
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
        // Others may read the folder, as long as they can't write to it.
        assert!(!open(0o770) && !open(0o707) && open(0o755));
        symlink(&folder, dir.path().join("link")).unwrap();
        assert!(private_folder(&root.join("link")).is_err());
    }

    #[test]
    fn files_in_lists_wanted_by_name() {
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
