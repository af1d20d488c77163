//! The only access to our own files: every path below a root is opened without following links, and has to be
//! a regular file.

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
    /// Read and append; a new file has ordinary permissions, since git may distribute it.
    Create,
    /// Append to a new private file; it must not exist yet.
    CreateNew,
    /// Write in place; a new file is private.
    InPlace,
}

/// Opens the regular file at `place`.
///
/// # Errors
/// [`Unfit`] if it is not a regular file, a component is a link, or it would be written in place and has
/// another name.
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

/// Checks that a file has no other hard link, which another user may own.
pub(crate) fn check_single(place: &RootedPath, found: &Metadata) -> io::Result<()> {
    match system::names_of(found) > 1 {
        true => Err(Unfit::Shared.at(place.path())),
        false => Ok(()),
    }
}

/// Adds the component that caused the error, if it is unfit.
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
