use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use crate::beneath::{self, Access, Folder};
use crate::disk::{Readers, holds};
use crate::{Disk, Durability, RootedPath, StoreError};

/// Writes a file that is meant for others, into the repository: a user asked for it by name. As a whole, with ordinary
/// permissions or those of the file that is there; it survives a power cut when this returns.
///
/// # Errors
/// When the folder cannot be created or the file cannot be written; an old file is then untouched.
pub fn write_shared(place: &RootedPath, bytes: &[u8]) -> Result<(), StoreError> {
    Disk::default().write_shared(place, bytes)
}

/// As [`write_shared`], for a file that is run as a program.
///
/// # Errors
/// As [`write_shared`].
pub fn write_shared_program(place: &RootedPath, bytes: &[u8]) -> Result<(), StoreError> {
    Disk::default().write(place, bytes, Readers::Programs, Durability::Fsync)
}

/// As [`write_shared`], for a file that follows from others and can be made again: it need not survive a power cut, and is
/// not written where it has these bytes already.
///
/// # Errors
/// As [`write_shared`].
pub fn write_derived(place: &RootedPath, bytes: &[u8]) -> Result<(), StoreError> {
    match has_bytes(place, bytes) {
        true => Ok(()),
        false => Disk::default().write(place, bytes, Readers::Others, Durability::Relaxed),
    }
}

/// True if a regular file is at `place` and has these bytes.
#[must_use]
pub fn has_bytes(place: &RootedPath, bytes: &[u8]) -> bool {
    let file = beneath::open(place, Access::Read);
    file.is_ok_and(|file| holds(file, bytes).unwrap_or(false))
}

/// Removes a folder that [`make_shared_folder`] made; it stays where anything was put into it.
pub fn remove_empty_folder(folder: &RootedPath) {
    if let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) {
        // Nobody misses anything if an empty folder stays.
        let _ = Folder::open(&parent).and_then(|parent| parent.remove_folder(name));
    }
}

/// Makes a folder that is meant for others, whose parent is there. Says whether it was not there before.
///
/// # Errors
/// When it cannot be made.
pub fn make_shared_folder(folder: &RootedPath) -> Result<bool, StoreError> {
    let failed = |e| StoreError::io("create the folder", folder.path(), e);
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
        return Ok(false);
    };
    let parent = Folder::open(&parent).map_err(failed)?;
    let mode = Readers::Others.folder_mode();
    parent.make_folder(name, mode).map_err(failed)
}

/// The folder, opened to be locked.
///
/// # Errors
/// When it is not there, is no folder, or a link is on the way to it.
pub fn open_folder(folder: &RootedPath) -> io::Result<fs::File> {
    Folder::open(folder)?.into_file()
}

/// Writes what a user wants to have in the file that they named: it is replaced as a whole, where it lies that a link leads to,
/// and keeps its permissions; a device or a pipe is written into, and never replaced.
///
/// # Errors
/// When it is a folder, the folder of a new file cannot be created, or it cannot be written; an old file is then untouched.
pub fn write_out(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let failed = |e| StoreError::io("write", path, e);
    let Ok(there) = fs::metadata(path) else {
        return match fs::symlink_metadata(path) {
            // A link to what is not there yet.
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

/// How much is written to see whether there is room, in bytes.
const PROBE: usize = 4096;

/// Checks that files can be created in `folder`, and a few bytes written, which need not exist yet.
///
/// # Errors
/// When they cannot, with the reason.
pub fn check_writable(folder: &RootedPath) -> Result<(), StoreError> {
    let failed = |e| StoreError::io("create the folder", folder.path(), e);
    let open = Folder::make(folder, Readers::Owner.folder_mode(), false).map_err(failed)?;
    // A full disk still lets files be made: only what is written, and asked to be on the disk, tells.
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
    fn what_is_named_for_output_is_written_and_not_replaced_by_a_file() {
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
    fn links_and_devices_stay_what_they_are() {
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
