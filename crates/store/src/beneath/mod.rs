//! Opens Windlass's own files. No other module opens them directly.
//!
//! Anybody with write access to a folder may have planted a link there, which must not redirect our
//! reads and writes. That's why we open every path below a trusted root without following links,
//! and insist on a regular file as the last component.

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

use std::fs::{File, Metadata};
use std::io;

#[cfg(not(unix))]
use portable as system;
#[cfg(unix)]
use unix as system;

pub(crate) use system::{Folder, Pending, look};

use crate::{DiskCall, RootedPath, Unfit};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Append,
    /// Read and append. A new file gets ordinary permissions, because git may distribute it.
    Create,
    /// Append to a new file. It's private, and must not exist yet.
    CreateNew,
    /// Write in place. A new file is private.
    InPlace,
}

/// Opens the regular file at `place`.
///
/// # Errors
/// Returns [`Unfit`] for anything but a regular file, if a component is a link, or if the file is
/// to be written in place and has another hard link. Other errors come straight from the operating
/// system.
pub(crate) fn open(place: &RootedPath, access: Access) -> io::Result<File> {
    place.call(match access {
        Access::Read | Access::Append => DiskCall::Read,
        Access::Create | Access::CreateNew | Access::InPlace => DiskCall::CreateFile,
    })?;
    let file = system::open(place, access)?;
    let found = file.metadata()?;
    check_regular(place, &found)?;
    if access == Access::InPlace {
        check_single(place, &found)?;
    }
    Ok(file)
}

fn check_regular(place: &RootedPath, found: &Metadata) -> io::Result<()> {
    match (found.is_file(), found.is_dir()) {
        (true, _) => Ok(()),
        (_, true) => Err(Unfit::Folder.at(place.path())),
        _ => Err(Unfit::Special.at(place.path())),
    }
}

/// Checks that a file has no other hard links. Another name may belong to another user, whose file
/// would change as well if we wrote in place.
pub(crate) fn check_single(place: &RootedPath, found: &Metadata) -> io::Result<()> {
    match system::names_of(found) > 1 {
        true => Err(Unfit::Shared.at(place.path())),
        false => Ok(()),
    }
}

/// Replaces `error` with an [`Unfit`] that names the component at fault, if we can find it.
///
/// For a link in the middle of a path, for example, the system only reports an invalid argument or
/// a loop, which doesn't tell the user which folder to fix. The look-up happens after the fact and
/// by path, so it must not be used for anything but the message.
fn explained(place: &RootedPath, error: io::Error) -> io::Error {
    if matches!(
        error.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::AlreadyExists
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
    ) {
        return error;
    }
    let Ok(names) = place.names() else {
        return error;
    };
    let mut path = place.root().to_owned();
    for (at, name) in names.iter().enumerate() {
        path.push(name);
        let Ok(found) = std::fs::symlink_metadata(&path) else {
            return error;
        };
        let is_last = at + 1 == names.len();
        let unfit = match (found.is_symlink(), found.is_dir(), is_last) {
            (true, ..) => Unfit::Link,
            (_, true, true) if error.kind() == io::ErrorKind::IsADirectory => Unfit::Folder,
            (_, true, true) => return error,
            (_, true, false) => continue,
            (_, _, false) => Unfit::NoFolder,
            _ if found.is_file() => return error,
            _ => Unfit::Special,
        };
        return unfit.at(&path);
    }
    error
}
