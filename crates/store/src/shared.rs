use std::fs;
use std::io::Write as _;
use std::path::Path;

use crate::StoreError;
use crate::platform::create_private_folder;

/// Writes a file that is meant for others, into the repository: a user asked for it by name. As a whole,
/// with ordinary permissions.
///
/// # Errors
/// When the folder cannot be created or the file cannot be written; an old file is then untouched.
pub fn write_shared(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|e| StoreError::io("create the folder", folder, e))?;
    let failed = |e| StoreError::io("write", path, e);
    let mut file = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What the umask takes away is taken away from this as from any new file.
        file.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = file.prefix(".tmp-").tempfile_in(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.persist(path)
        .map_err(|e| StoreError::io("replace", path, e.error))?;
    Ok(())
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
