//! The only way to open Windlass's own files. Every path is opened below a trusted root, without
//! following links. Somebody may have placed a link there, and it must not redirect a read or a
//! write. The last component must be a regular file.

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

use crate::{RootedPath, Unfit};

/// Purpose of opening a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Read an existing file.
    Read,
    /// Read and append.
    Append,
    /// Read and append. A new file has ordinary permissions, since git may distribute it.
    Create,
    /// Append to a new private file, which must not exist yet.
    CreateNew,
    /// Write in place. A new file is private.
    InPlace,
}

/// Opens the regular file at `place`.
///
/// # Errors
/// Returns [`Unfit`] if the entry is not a regular file, if a component is a link, or if a file to write in place has
/// another hard link. Returns other errors of the operating system unchanged.
pub(crate) fn open(place: &RootedPath, access: Access) -> io::Result<File> {
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

/// Checks that a file has no other hard link. That link may be another user's, and a write in place
/// would change their file.
pub(crate) fn check_single(place: &RootedPath, found: &Metadata) -> io::Result<()> {
    match system::names_of(found) > 1 {
        true => Err(Unfit::Shared.at(place.path())),
        false => Ok(()),
    }
}

/// Replaces `error` with an [`Unfit`] error naming the offending component, if we can find it. The
/// plain error ("invalid argument") doesn't tell users which folder to fix.
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
