//! Permissions and preallocation of files, which differ between operating systems.

use std::fs;
use std::io;

/// Returns true if only the user can write to `folder`: the user owns it, and neither group nor
/// others have write permission.
#[cfg(unix)]
pub(crate) fn is_private(folder: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = folder.uid() == rustix::process::geteuid().as_raw();
    folder.is_dir() && own && folder.mode() & 0o022 == 0
}

/// Returns true if `folder` is a folder, since the access list of the user's data folder excludes
/// other users.
#[cfg(not(unix))]
pub(crate) fn is_private(folder: &fs::Metadata) -> bool {
    folder.is_dir()
}

/// Returns true if only the user can write to `file`: the user owns it, and neither group nor
/// others have write permission.
#[cfg(unix)]
pub(crate) fn is_own_file(file: &fs::File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = file.metadata()?;
    let own = metadata.uid() == rustix::process::geteuid().as_raw();
    Ok(own && metadata.mode() & 0o022 == 0)
}

/// Returns true, since the access list of the containing folder excludes other users.
#[cfg(not(unix))]
pub(crate) fn is_own_file(_file: &fs::File) -> io::Result<bool> {
    Ok(true)
}

/// Fills `bytes` with the contents from offset `at`, ignoring the file's position.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &fs::File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Fills `bytes` from offset `at`.
#[cfg(windows)]
pub(crate) fn read_exact_at(file: &fs::File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt as _;
    let mut done = 0;
    while done < bytes.len() {
        match file.seek_read(&mut bytes[done..], at + done as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => done += read,
        }
    }
    Ok(())
}

/// Reserves space for `bytes` bytes from offset `at` without changing the contents. Does nothing if
/// the file system doesn't support that.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn reserve(file: &fs::File, at: u64, bytes: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    match fallocate(file, FallocateFlags::KEEP_SIZE, at, bytes).map_err(io::Error::from) {
        Err(e) if is_full(&e) => Err(e),
        _ => Ok(()),
    }
}

/// Does nothing, because reserving space here would change the contents.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn reserve(_file: &fs::File, _at: u64, _bytes: u64) -> io::Result<()> {
    Ok(())
}

/// Returns true if the disk or the user's quota is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}
