//! Files that users share, for example in a repository.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use crate::beneath::{self, Access, Folder};
use crate::replacement::{Readers, Replacement, holds, is_still};
use crate::{Durability, RootedPath, StoreError};

/// Writes a file into the repository for all its users, at a path named by the user.
///
/// This replaces the whole file. A new file gets ordinary permissions, and an existing one keeps
/// its own. Unlike with [`write_atomic`](crate::write_atomic), the file is always durable.
///
/// # Errors
/// Returns an error if creating the folder or writing the file fails. An existing file is then
/// unchanged. If only syncing the folder fails, the file was replaced, but the replacement may not
/// survive a power failure.
pub fn write_shared(place: &RootedPath, bytes: &[u8]) -> Result<(), StoreError> {
    Replacement::prepare(place, bytes)?.finish()
}

/// Writes a file like [`write_shared`], but only if the contents are still `before`. Returns true
/// if the file was written.
///
/// We compare right before we replace the file. It's therefore very unlikely, though not
/// impossible, that a concurrent edit gets lost.
///
/// # Errors
/// Returns an error in the cases of [`write_shared`].
pub fn write_shared_over(
    place: &RootedPath,
    bytes: &[u8],
    before: Option<&[u8]>,
) -> Result<bool, StoreError> {
    Replacement::prepare(place, bytes)?.finish_if(|| is_still(place, before))
}

/// Writes a file like [`write_shared`], but makes it executable.
///
/// # Errors
/// Returns an error in the cases of [`write_shared`].
pub fn write_shared_program(place: &RootedPath, bytes: &[u8]) -> Result<(), StoreError> {
    Replacement::for_readers(place, bytes, Readers::Programs, Durability::Fsync)?.finish()
}

/// Writes a file like [`write_shared`] that can be derived again, so it doesn't have to be durable.
/// If the contents are already `bytes`, we leave the file alone.
///
/// # Errors
/// Returns an error in the cases of [`write_shared`].
pub fn write_derived(place: &RootedPath, bytes: &[u8]) -> Result<(), StoreError> {
    match has_bytes(place, bytes) {
        true => Ok(()),
        false => {
            Replacement::for_readers(place, bytes, Readers::Others, Durability::Relaxed)?.finish()
        }
    }
}

/// True if the file at `place` has the contents `bytes`. A link never has.
#[must_use]
pub fn has_bytes(place: &RootedPath, bytes: &[u8]) -> bool {
    let file = beneath::open(place, Access::Read);
    file.is_ok_and(|file| holds(file, bytes).unwrap_or(false))
}

/// Removes a folder created by [`make_shared_folder`], if it's still empty.
pub fn remove_empty_folder(folder: &RootedPath) {
    if let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) {
        // If the folder is in use, it must stay. If removing an empty one fails, that does no harm.
        let _ = Folder::open(&parent).and_then(|parent| parent.remove_folder(name));
    }
}

/// Creates a folder for all users. Its parent must exist. Returns true if the folder was not there
/// before.
///
/// # Errors
/// Returns an error if creating the folder fails.
pub fn make_shared_folder(folder: &RootedPath) -> Result<bool, StoreError> {
    let failed = |e| StoreError::io("create the folder", folder.path(), e);
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
        return Ok(false);
    };
    let parent = Folder::open(&parent).map_err(failed)?;
    let mode = Readers::Others.folder_mode();
    parent.make_folder(name, mode).map_err(failed)
}

/// Opens a folder for locking.
///
/// # Errors
/// Returns an error if the folder doesn't exist, isn't a folder, or is behind a link.
pub fn open_folder(folder: &RootedPath) -> io::Result<fs::File> {
    Folder::open(folder)?.into_file()
}

/// Writes output to a path named by the user, following links.
///
/// An existing file is replaced as a whole, but keeps its permissions. A device or pipe, such as
/// `/dev/stdout`, is written to and never replaced.
///
/// # Errors
/// Returns an error if the path is a folder, if creating the folder of a new file fails, or if
/// writing the file fails. An existing file is then unchanged.
pub fn write_out(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let failed = |e| StoreError::io("write", path, e);
    let Ok(there) = fs::metadata(path) else {
        return match fs::symlink_metadata(path) {
            // This is a link to a missing file, so create that one.
            Ok(_) => fs::write(path, bytes).map_err(failed),
            Err(_) => write_shared(&RootedPath::typed(path), bytes),
        };
    };
    if there.is_file() {
        let real = path.canonicalize().map_err(failed)?;
        return write_shared(&RootedPath::typed(&real), bytes);
    }
    let opened = fs::OpenOptions::new().write(true).open(path);
    opened
        .and_then(|mut file| file.write_all(bytes))
        .map_err(failed)
}

/// Number of bytes that we write to check for free space.
const PROBE: usize = 4096;

/// Checks that files can be created and written in `folder`, which doesn't have to exist yet.
///
/// # Errors
/// Returns the reason if they can't.
pub fn check_writable(folder: &RootedPath) -> Result<(), StoreError> {
    let failed = |e| StoreError::io("create the folder", folder.path(), e);
    let open = Folder::make(folder, Readers::Owner.folder_mode(), false).map_err(failed)?;
    // Even on a full disk, we can often still create files. Only if we write and sync some bytes,
    // we know that there's free space.
    let write = || -> io::Result<()> {
        let mut pending = open.begin(0o600)?;
        let file = pending.file()?;
        file.write_all(&[b' '; PROBE])?;
        file.sync_data()
    };
    write().map_err(|e| StoreError::io("write into", folder.path(), e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_out_creates_and_overwrites() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        write_out(&at("new/file"), b"new").unwrap();
        assert_eq!(fs::read(at("new/file")).unwrap(), b"new");
        write_out(&at("new/file"), b"again").unwrap();
        assert_eq!(fs::read(at("new/file")).unwrap(), b"again");
        let folder = write_out(&at("new"), b"x").unwrap_err();
        assert!(folder.to_string().contains("new"), "{folder}");
    }

    #[cfg(unix)]
    #[test]
    fn write_out_retains_links_and_devices() {
        use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "old").unwrap();
        fs::set_permissions(at("file"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file", at("link")).unwrap();
        symlink("missing", at("dangling")).unwrap();
        for (link, file) in [("link", "file"), ("dangling", "missing")] {
            write_out(&at(link), b"new").unwrap();
            assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink());
            assert_eq!(fs::read(at(file)).unwrap(), b"new");
        }
        let mode = fs::metadata(at("file")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        symlink("/dev/null", at("nothing")).unwrap();
        write_out(&at("nothing"), b"new").unwrap();
        let device = fs::metadata("/dev/null").unwrap().file_type();
        assert!(device.is_char_device());
    }
}
