use std::fs;
use std::io::Write as _;
use std::path::Path;

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
        file.persist(path).map_err(|e| failed(e.error))?;
        let failed = |e| StoreError::io("sync the folder", folder, e);
        self.step(WriteStep::SyncFolder).map_err(failed)?;
        sync_folder(folder).map_err(failed)
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
    let before = fs::metadata(path).map_err(|e| StoreError::io("look at", path, e))?;
    let mut file = begin(path, bytes, 0o666)?;
    let failed = |e| StoreError::io("replace", path, e);
    file.as_file_mut()
        .set_permissions(before.permissions())
        .map_err(failed)?;
    file.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
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
