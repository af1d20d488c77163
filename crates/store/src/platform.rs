//! Differences between operating systems: permissions and preallocation of our files.

use std::fs;
use std::io;

/// Whether nobody but the user can write to `folder`: it is theirs, and open to no group and nobody else.
#[cfg(unix)]
pub(crate) fn is_private(folder: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = folder.uid() == rustix::process::geteuid().as_raw();
    folder.is_dir() && own && folder.mode() & 0o022 == 0
}

/// Whether it is a folder: the access list of the user's own data folder keeps others out.
#[cfg(not(unix))]
pub(crate) fn is_private(folder: &fs::Metadata) -> bool {
    folder.is_dir()
}

/// Whether nobody but the user can write to `file`: it is theirs, and open to no group and nobody else.
#[cfg(unix)]
pub(crate) fn is_own_file(file: &fs::File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = file.metadata()?;
    let own = metadata.uid() == rustix::process::geteuid().as_raw();
    Ok(own && metadata.mode() & 0o022 == 0)
}

/// The access list of the folder it is in keeps others out.
#[cfg(not(unix))]
pub(crate) fn is_own_file(_file: &fs::File) -> io::Result<bool> {
    Ok(true)
}

/// Fills `bytes` from `at` on, wherever the file is read otherwise.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &fs::File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Fills `bytes` from `at` on.
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

/// Makes room for `bytes` from `at` on, without a change of what is read. A file system that cannot does nothing.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn reserve(file: &fs::File, at: u64, bytes: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    match fallocate(file, FallocateFlags::KEEP_SIZE, at, bytes).map_err(io::Error::from) {
        Err(e) if is_full(&e) => Err(e),
        _ => Ok(()),
    }
}

/// Nothing here makes room without a change of what is read.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn reserve(_file: &fs::File, _at: u64, _bytes: u64) -> io::Result<()> {
    Ok(())
}

/// Whether the disk, or the part of it that may be used, is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}
