use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::platform::{create_private_folder, sync_folder};
use crate::{Disk, StoreError, WriteStep};

impl Disk {
    /// As [`write_shared`] or, where there is a file already, [`replace_shared`]; and it survives a power cut when this
    /// returns.
    ///
    /// # Errors
    /// When the folder cannot be created or the file cannot be written; an old file is then untouched.
    pub fn write_shared(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        self.write_shared_while(path, bytes, || true).map(drop)
    }

    /// The same where the file still is what it was `before`, which is looked at last: who writes it by hand meanwhile loses nothing.
    /// Says whether it was.
    ///
    /// # Errors
    /// As [`Disk::write_shared`].
    pub fn write_shared_over(
        &self,
        path: &Path,
        bytes: &[u8],
        before: Option<&[u8]>,
    ) -> Result<bool, StoreError> {
        let is_still = || match fs::read(path) {
            Ok(now) => before == Some(&now),
            Err(error) => before.is_none() && error.kind() == std::io::ErrorKind::NotFound,
        };
        self.write_shared_while(path, bytes, is_still)
    }

    fn write_shared_while(
        &self,
        path: &Path,
        bytes: &[u8],
        may_be_replaced: impl FnOnce() -> bool,
    ) -> Result<bool, StoreError> {
        let folder = path.parent().unwrap_or(Path::new("."));
        if !folder.is_dir() {
            let failed = |e| StoreError::io("create the folder", folder, e);
            self.step(WriteStep::CreateFolder).map_err(failed)?;
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let failed = |e| StoreError::io("write", path, e);
        self.step(WriteStep::CreateFile).map_err(failed)?;
        let before = fs::metadata(path).ok();
        self.step(WriteStep::Write).map_err(failed)?;
        let file = begin(path, bytes, 0o666)?;
        self.step(WriteStep::Sync).map_err(failed)?;
        file.as_file().sync_data().map_err(failed)?;
        let failed = |e| StoreError::io("replace", path, e);
        if let Some(before) = before {
            let kept = file.as_file().set_permissions(before.permissions());
            kept.map_err(failed)?;
        }
        self.step(WriteStep::Replace).map_err(failed)?;
        if !may_be_replaced() {
            return Ok(false);
        }
        file.persist(path).map_err(|e| failed(e.error))?;
        let failed = |e| StoreError::io("sync the folder", folder, e);
        self.step(WriteStep::SyncFolder).map_err(failed)?;
        sync_folder(folder).map_err(failed)?;
        Ok(true)
    }
}

/// Writes a file that is meant for others, into the repository: a user asked for it by name. As a whole,
/// with ordinary permissions.
///
/// # Errors
/// When the folder cannot be created or the file cannot be written; an old file is then untouched.
pub fn write_shared(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    write(path, bytes, 0o666)
}

/// Removes a folder that [`make_shared_folder`] made; it stays where anything was put into it.
pub fn remove_empty_folder(folder: &Path) {
    // Nobody misses anything if an empty folder stays.
    let _ = fs::remove_dir(folder);
}

/// Makes a folder that is meant for others, whose parent is there. Says whether it was not there before.
///
/// # Errors
/// When it cannot be made.
pub fn make_shared_folder(folder: &Path) -> Result<bool, StoreError> {
    match fs::create_dir(folder) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(StoreError::io("create the folder", folder, e)),
    }
}

/// As [`write_shared`], for a file that is run as a program.
///
/// # Errors
/// As [`write_shared`].
pub fn write_shared_program(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    write(path, bytes, 0o777)
}

/// As [`write_shared`], in the place of a file that is there: its permissions stay as they are.
///
/// # Errors
/// As [`write_shared`], and when the file is not there.
pub fn replace_shared(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    Replacement::prepare(path, bytes)?.finish()
}

/// What is to come in the place of a file, written beside it already: of several files, none is replaced before all can be.
#[derive(Debug)]
pub struct Replacement {
    path: PathBuf,
    file: NamedTempFile,
}

impl Replacement {
    /// Writes `bytes` beside `path`, with the permissions of the file there. It is taken away again where it is not finished.
    ///
    /// # Errors
    /// As [`replace_shared`].
    pub fn prepare(path: &Path, bytes: &[u8]) -> Result<Self, StoreError> {
        let before = fs::metadata(path).map_err(|e| StoreError::io("look at", path, e))?;
        let mut file = begin(path, bytes, 0o666)?;
        file.as_file_mut()
            .set_permissions(before.permissions())
            .map_err(|e| StoreError::io("replace", path, e))?;
        Ok(Self {
            path: path.to_owned(),
            file,
        })
    }

    /// Puts it in the place of the file.
    ///
    /// # Errors
    /// When it cannot be; the old file is then untouched.
    pub fn finish(self) -> Result<(), StoreError> {
        let Self { path, file } = self;
        let persisted = file.persist(&path);
        persisted.map_err(|e| StoreError::io("replace", &path, e.error))?;
        Ok(())
    }
}

/// Writes what a user wants to have in `path`: a file is replaced as a whole, where it lies that a link leads to, and keeps its
/// permissions; a device or a pipe is written into, and never replaced.
///
/// # Errors
/// When it is a folder, the folder of a new file cannot be created, or it cannot be written; an old file is then untouched.
pub fn write_out(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let failed = |e| StoreError::io("write", path, e);
    let Ok(there) = fs::metadata(path) else {
        return match fs::symlink_metadata(path) {
            // A link to what is not there yet.
            Ok(_) => fs::write(path, bytes).map_err(failed),
            Err(_) => write_shared(path, bytes),
        };
    };
    if there.is_file() {
        return replace_shared(&path.canonicalize().map_err(failed)?, bytes);
    }
    let opened = fs::OpenOptions::new().write(true).open(path);
    opened
        .and_then(|mut file| file.write_all(bytes))
        .map_err(failed)
}

fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|e| StoreError::io("create the folder", folder, e))?;
    begin(path, bytes, mode)?
        .persist(path)
        .map_err(|e| StoreError::io("replace", path, e.error))?;
    Ok(())
}

/// A file with these bytes beside `path`. What the umask takes away is taken away from `mode` as from any new file.
fn begin(path: &Path, bytes: &[u8], mode: u32) -> Result<NamedTempFile, StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |e| StoreError::io("write", path, e);
    let mut file = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = file.prefix(".tmp-").tempfile_in(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    Ok(file)
}

/// How much is written to see whether there is room, in bytes.
const PROBE: usize = 4096;

/// Whether files can be created in `folder`, and a few bytes written, which need not exist yet.
///
/// # Errors
/// When they cannot, with the reason.
pub fn check_writable(folder: &Path) -> Result<(), StoreError> {
    create_private_folder(folder).map_err(|e| StoreError::io("create the folder", folder, e))?;
    // A full disk still lets files be made: only what is written, and asked to be on the disk, tells.
    let write = || -> std::io::Result<()> {
        let mut file = tempfile::Builder::new()
            .prefix(".tmp-")
            .tempfile_in(folder)?;
        file.write_all(&[b' '; PROBE])?;
        file.as_file().sync_data()
    };
    write().map_err(|e| StoreError::io("write into", folder, e))
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
