//! Permissions and preallocation of files, depending on the operating system.

use std::fs;
use std::io;

/// True if only the user can write to `folder`: they own it, and neither its group nor others have
/// write permission.
#[cfg(unix)]
pub(crate) fn is_private(folder: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = folder.uid() == rustix::process::geteuid().as_raw();
    folder.is_dir() && own && folder.mode() & 0o022 == 0
}

/// The access list of the user's data folder keeps others out, so any folder will do.
#[cfg(not(unix))]
pub(crate) fn is_private(folder: &fs::Metadata) -> bool {
    folder.is_dir()
}

/// True if only the user can write to `file`, by the same rules as for [`is_private`].
#[cfg(unix)]
pub(crate) fn is_own_file(file: &fs::File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = file.metadata()?;
    let own = metadata.uid() == rustix::process::geteuid().as_raw();
    Ok(own && metadata.mode() & 0o022 == 0)
}

/// The access list of the folder keeps others out, so there's nothing to check.
#[cfg(not(unix))]
pub(crate) fn is_own_file(_file: &fs::File) -> io::Result<bool> {
    Ok(true)
}

/// Fills `bytes` from offset `at`, regardless of the file's position.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &fs::File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

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

/// Reserves space for `bytes` bytes from offset `at` without changing the contents. If the file
/// system can't do this, we go on without a reservation; the only failure that counts is a full
/// disk.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn reserve(file: &fs::File, at: u64, bytes: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    match fallocate(file, FallocateFlags::KEEP_SIZE, at, bytes).map_err(io::Error::from) {
        Err(e) if is_full(&e) => Err(e),
        _ => Ok(()),
    }
}

/// Reserving space would change the contents on this system, so we do without.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn reserve(_file: &fs::File, _at: u64, _bytes: u64) -> io::Result<()> {
    Ok(())
}

pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}
