//! For systems without folder handles. We check each component for links before we use the path.
//! That is weaker than on Unix, because we would follow a link planted between the check and the
//! use.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::hash::{BuildHasher as _, RandomState};
use std::io;

use super::{Access, explained};
use crate::{DiskCall, RootedPath, Unfit};

pub(super) fn open(place: &RootedPath, access: Access) -> io::Result<File> {
    check_way(place)?;
    let mut options = OpenOptions::new();
    match access {
        Access::Read => options.read(true),
        Access::Append => options.read(true).append(true),
        Access::Create => options.read(true).append(true).create(true),
        Access::CreateNew => options.append(true).create_new(true),
        Access::InPlace => options.read(true).write(true).create(true).truncate(false),
    };
    options.open(place.path()).map_err(|e| explained(place, e))
}

/// This system does not report the number of hard links, so assume that there are no others.
pub(super) fn names_of(_: &Metadata) -> u64 {
    1
}

pub(crate) fn look(place: &RootedPath) -> io::Result<Metadata> {
    check_way(place)?;
    match place.file_name() {
        Some(_) => fs::symlink_metadata(place.path()),
        None => fs::metadata(place.path()),
    }
}

fn check_way(place: &RootedPath) -> io::Result<()> {
    let mut path = place.root().to_owned();
    for name in place.names()? {
        path.push(name);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => return Err(Unfit::Link.at(&path)),
            Ok(_) => {}
            Err(_) => break,
        }
    }
    Ok(())
}

/// A folder, known by its path. Only Unix has handles for folders.
#[derive(Debug)]
pub(crate) struct Folder {
    place: RootedPath,
}

/// A new file with a temporary name. Unless it is finished, the file is removed when this is
/// dropped.
#[derive(Debug)]
pub(crate) struct Pending {
    folder: Folder,
    file: Option<File>,
    temporary: Option<OsString>,
}

impl Folder {
    pub(crate) fn open(place: &RootedPath) -> io::Result<Self> {
        match look(place)?.is_dir() {
            true => Ok(Self {
                place: place.clone(),
            }),
            false => Err(Unfit::NoFolder.at(place.path())),
        }
    }

    pub(crate) fn make(place: &RootedPath, _mode: u32, _is_durable: bool) -> io::Result<Self> {
        check_way(place)?;
        place.call(DiskCall::CreateFolder)?;
        fs::create_dir_all(place.path())?;
        Self::open(place)
    }

    pub(crate) fn into_file(self) -> io::Result<File> {
        File::open(self.place.path())
    }

    pub(crate) fn make_folder(&self, name: &OsStr, _mode: u32) -> io::Result<bool> {
        self.place.join(name).call(DiskCall::CreateFolder)?;
        match fs::create_dir(self.place.path().join(name)) {
            Ok(()) => Ok(true),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(e) => Err(e),
        }
    }

    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        fs::metadata(self.place.path())
    }

    pub(crate) fn permissions_of(&self, name: &OsStr) -> Option<Permissions> {
        let found = fs::symlink_metadata(self.place.path().join(name)).ok()?;
        found.is_file().then(|| found.permissions())
    }

    pub(crate) fn link(&self, name: &OsStr, other: &Self, new: &OsStr) -> io::Result<()> {
        fs::hard_link(self.place.path().join(name), other.place.path().join(new))
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        self.place.join(name).call(DiskCall::Remove)?;
        fs::remove_file(self.place.path().join(name))
    }

    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        self.place.join(name).call(DiskCall::Remove)?;
        fs::remove_dir(self.place.path().join(name))
    }

    /// A folder cannot be synced here, so this only exists for the tests that watch the disk. The
    /// file system's journal has to suffice.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.place.call(DiskCall::SyncFolder)
    }

    pub(crate) fn begin(self, _mode: u32) -> io::Result<Pending> {
        loop {
            let name = format!(
                ".tmp-{:016x}",
                RandomState::new().hash_one(std::process::id())
            );
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true);
            match options.open(self.place.path().join(&name)) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
                Ok(file) => {
                    return Ok(Pending {
                        folder: self,
                        file: Some(file),
                        temporary: Some(name.into()),
                    });
                }
            }
        }
    }
}

impl Pending {
    pub(crate) fn file(&mut self) -> io::Result<&mut File> {
        self.file.as_mut().ok_or(io::ErrorKind::NotFound.into())
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    pub(crate) fn finish(&mut self, name: &OsStr) -> io::Result<()> {
        // An open file can't be renamed on this system.
        self.file = None;
        let folder = self.folder.place.path();
        if let Some(temporary) = &self.temporary {
            fs::rename(folder.join(temporary), folder.join(name))?;
            self.temporary = None;
        }
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.file = None;
        if let Some(name) = &self.temporary {
            let _ = self.folder.remove(name);
        }
    }
}
