//! Opens files and folders through handles, so that nobody can redirect us in between.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, Metadata, Permissions};
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::{Access, explained};
use crate::{DiskCall, RootedPath, Unfit};

/// Flags for opening any entry.
///
/// Another user may have put a link, a pipe or a terminal there. With these flags, we do not follow
/// the link, wait for the other end of the pipe, or acquire a controlling terminal.
const FLAGS: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Flags for folders to list, sync or write.
const FOLDER: OFlags = FLAGS.union(OFlags::DIRECTORY);

/// Flags for folders on the way to another entry. With `O_PATH`, it is enough if we may search
/// them.
#[cfg(target_os = "linux")]
const WAY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const WAY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// Permission bits that a new file inherits from the file it replaces. Special bits are not among
/// them.
const PERMISSIONS: u32 = 0o777;

pub(super) fn open(place: &RootedPath, access: Access) -> io::Result<File> {
    let (flags, mode) = match access {
        Access::Read => (OFlags::RDONLY, 0),
        Access::Append => (OFlags::RDWR | OFlags::APPEND, 0),
        Access::Create => (OFlags::RDWR | OFlags::APPEND | OFlags::CREATE, 0o666),
        Access::CreateNew => (
            OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL,
            0o600,
        ),
        Access::InPlace => (OFlags::RDWR | OFlags::CREATE, 0o600),
    };
    Ok(open_at(place, flags | FLAGS, mode)?.into())
}

pub(super) fn names_of(found: &Metadata) -> u64 {
    found.nlink()
}

/// Returns the metadata of an entry. With `O_PATH`, this does not open the entry for reading, which
/// could have side effects for a device.
#[cfg(target_os = "linux")]
pub(crate) fn look(place: &RootedPath) -> io::Result<Metadata> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = File::from(open_at(place, flags, 0)?).metadata()?;
    match found.is_symlink() {
        true => Err(Unfit::Link.at(place.path())),
        false => Ok(found),
    }
}

/// Returns the metadata of an entry. We open the folders one by one, but not the last component,
/// because opening a device can have side effects. We check that one by its path instead.
#[cfg(not(target_os = "linux"))]
pub(crate) fn look(place: &RootedPath) -> io::Result<Metadata> {
    if let Some(folder) = place.parent() {
        Folder::open(&folder)?;
    }
    let found = std::fs::symlink_metadata(place.path())?;
    match found.is_symlink() && place.file_name().is_some() {
        true => Err(Unfit::Link.at(place.path())),
        false => Ok(found),
    }
}

/// Opens the entry at `place`, and fails if any component below the root is a link.
fn open_at(place: &RootedPath, flags: OFlags, mode: u32) -> io::Result<OwnedFd> {
    let names = place.names()?;
    let mode = Mode::from_raw_mode(mode as rustix::fs::RawMode);
    if names.is_empty() {
        // The user has chosen the root, so it may be a link.
        let flags = flags.difference(OFlags::NOFOLLOW);
        return Ok(rustix::fs::open(place.root(), flags, mode)?);
    }
    let root = rustix::fs::open(place.root(), WAY, Mode::empty())?;
    open_beneath(&root, place, &names, flags, mode).map_err(|e| explained(place, e.into()))
}

#[cfg(target_os = "linux")]
fn open_beneath(
    root: &OwnedFd,
    place: &RootedPath,
    names: &[&OsStr],
    flags: OFlags,
    mode: Mode,
) -> rustix::io::Result<OwnedFd> {
    use rustix::fs::ResolveFlags;

    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    match rustix::fs::openat2(root, place.below(), flags, mode, resolve) {
        // Kernels before 5.6 and some sandboxes lack `openat2`, so open the components one by one.
        Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => walk(root, names, flags, mode),
        opened => opened,
    }
}

#[cfg(not(target_os = "linux"))]
fn open_beneath(
    root: &OwnedFd,
    _: &RootedPath,
    names: &[&OsStr],
    flags: OFlags,
    mode: Mode,
) -> rustix::io::Result<OwnedFd> {
    walk(root, names, flags, mode)
}

/// Opens the components one by one, for systems without `openat2`.
fn walk(
    root: &OwnedFd,
    names: &[&OsStr],
    flags: OFlags,
    mode: Mode,
) -> rustix::io::Result<OwnedFd> {
    let Some((last, folders)) = names.split_last() else {
        return Err(Errno::INVAL);
    };
    let mut folder: Option<OwnedFd> = None;
    for name in folders {
        let within = folder.as_ref().unwrap_or(root);
        folder = Some(rustix::fs::openat(
            within,
            *name,
            WAY | OFlags::NOFOLLOW,
            Mode::empty(),
        )?);
    }
    rustix::fs::openat(folder.as_ref().unwrap_or(root), *last, flags, mode)
}

/// Creates the root of `place` and its missing parents. The user has chosen this path, so it may
/// have links.
fn make_root(place: &RootedPath, mode: u32, is_durable: bool) -> io::Result<()> {
    let (root, place) = (place.root(), place.root_place());
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = root.ancestors().take_while(is_missing).collect();
    if !missing.is_empty() {
        place.call(DiskCall::CreateFolder)?;
    }
    DirBuilder::new().recursive(true).mode(mode).create(root)?;
    for folder in missing.into_iter().filter(|_| is_durable) {
        let parent = folder.parent().filter(|it| !it.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        place.call(|_| DiskCall::SyncFolder(parent))?;
        File::open(parent)?.sync_all()?;
    }
    Ok(())
}

/// An open folder.
///
/// If somebody renames or replaces the folder, the handle still refers to the same one. Everything
/// that is done with its entries should therefore go through the handle.
#[derive(Debug)]
pub(crate) struct Folder {
    handle: OwnedFd,
    place: RootedPath,
}

/// A new file, either without a name or with a temporary one. Unless it is finished, the file is
/// removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Pending {
    folder: Folder,
    file: File,
    temporary: Option<OsString>,
}

impl Folder {
    pub(crate) fn open(place: &RootedPath) -> io::Result<Self> {
        let handle = open_at(place, OFlags::RDONLY | FOLDER, 0).map_err(|e| {
            // Something else is in place of the folder, so say that.
            match e.raw_os_error() == Some(Errno::NOTDIR.raw_os_error()) {
                true => Unfit::NoFolder.at(place.path()),
                false => e,
            }
        })?;
        Ok(Self {
            handle,
            place: place.clone(),
        })
    }

    /// Opens the folder at `place`, after creating it and its parents if they are missing. With
    /// `is_durable`, the names of new folders survive a power failure.
    pub(crate) fn make(place: &RootedPath, mode: u32, is_durable: bool) -> io::Result<Self> {
        match Self::open(place) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        make_root(place, mode, is_durable)?;
        let mut folder = Self::open(&place.root_place())?;
        for name in place.names()? {
            let below = folder.place.join(name);
            let flags = OFlags::RDONLY | FOLDER;
            let open =
                |folder: &Self| rustix::fs::openat(&folder.handle, name, flags, Mode::empty());
            let handle = match open(&folder) {
                Err(Errno::NOENT) => {
                    below.call(DiskCall::CreateFolder)?;
                    let mode = Mode::from_raw_mode(mode as rustix::fs::RawMode);
                    match rustix::fs::mkdirat(&folder.handle, name, mode) {
                        // Another process was faster.
                        Err(Errno::EXIST) => {}
                        made => made?,
                    }
                    if is_durable {
                        folder.sync()?;
                    }
                    open(&folder)
                }
                opened => opened,
            };
            let handle = handle.map_err(|e| match explained(&below, e.into()) {
                e if e.raw_os_error() == Some(Errno::NOTDIR.raw_os_error()) => {
                    Unfit::NoFolder.at(below.path())
                }
                e => e,
            })?;
            folder = Self {
                handle,
                place: below,
            };
        }
        Ok(folder)
    }

    pub(crate) fn into_file(self) -> io::Result<File> {
        Ok(self.handle.into())
    }

    /// Creates a subfolder. Returns false if it exists already.
    pub(crate) fn make_folder(&self, name: &OsStr, mode: u32) -> io::Result<bool> {
        self.place.join(name).call(DiskCall::CreateFolder)?;
        let mode = Mode::from_raw_mode(mode as rustix::fs::RawMode);
        match rustix::fs::mkdirat(&self.handle, name, mode) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(e) => Err(e.into()),
        }
    }

    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        File::from(self.handle.try_clone()?).metadata()
    }

    /// Returns the permissions of `name`, or `None` for anything but a regular file.
    pub(crate) fn permissions_of(&self, name: &OsStr) -> Option<Permissions> {
        let stat = rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let mode = u32::try_from(i128::from(stat.st_mode)).unwrap_or_default() & PERMISSIONS;
        let is_file = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file();
        is_file.then(|| Permissions::from_mode(mode))
    }

    pub(crate) fn link(&self, name: &OsStr, other: &Self, new: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::linkat(
            &self.handle,
            name,
            &other.handle,
            new,
            AtFlags::empty(),
        )?)
    }

    /// Removes the file or link `name`. The target of a link stays.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        self.place.join(name).call(DiskCall::Remove)?;
        Ok(rustix::fs::unlinkat(&self.handle, name, AtFlags::empty())?)
    }

    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        self.place.join(name).call(DiskCall::Remove)?;
        Ok(rustix::fs::unlinkat(
            &self.handle,
            name,
            AtFlags::REMOVEDIR,
        )?)
    }

    /// Makes the names in the folder durable, but not the contents of files.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.place.call(DiskCall::SyncFolder)?;
        Ok(rustix::fs::fsync(&self.handle)?)
    }

    /// Starts a new file in the folder. The umask may take away some of its `mode`.
    pub(crate) fn begin(self, mode: u32) -> io::Result<Pending> {
        let mode = Mode::from_raw_mode(mode as rustix::fs::RawMode);
        let (file, temporary) = match self.nameless(mode) {
            Some(file) => (file, None),
            None => {
                let (file, name) = self.temporary(mode)?;
                (file, Some(name))
            }
        };
        Ok(Pending {
            folder: self,
            file,
            temporary,
        })
    }

    /// Creates a file without a name, or returns `None` if the file system cannot do that. If the
    /// process is killed, such a file simply vanishes, while one with a temporary name would stay.
    #[cfg(target_os = "linux")]
    fn nameless(&self, mode: Mode) -> Option<File> {
        static HAS_PROC: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.handle, ".", flags, mode).ok()?;
        // We give the file its name through `/proc`, so without that, the file would be useless.
        let look = || rustix::fs::access("/proc/self/fd", rustix::fs::Access::EXISTS).is_ok();
        HAS_PROC.get_or_init(look).then(|| file.into())
    }

    #[cfg(not(target_os = "linux"))]
    fn nameless(&self, _mode: Mode) -> Option<File> {
        None
    }

    fn temporary(&self, mode: Mode) -> io::Result<(File, OsString)> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | FLAGS;
        loop {
            let name = random_name();
            match rustix::fs::openat(&self.handle, &*name, flags, mode) {
                Err(Errno::EXIST) => {}
                opened => return Ok((opened?.into(), name.into())),
            }
        }
    }
}

impl Pending {
    pub(crate) fn file(&mut self) -> io::Result<&mut File> {
        Ok(&mut self.file)
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Gives the file its final name, and replaces any entry of that name. If that is a link, its
    /// target does not change.
    pub(crate) fn finish(&mut self, name: &OsStr) -> io::Result<()> {
        let handle = &self.folder.handle;
        if let Some(temporary) = &self.temporary {
            rustix::fs::renameat(handle, temporary, handle, name)?;
            self.temporary = None;
            return Ok(());
        }
        match self.link_as(name) {
            Err(Errno::EXIST) => {}
            linked => return Ok(linked?),
        }
        // A hard link can't replace an existing name, so we link the file under a temporary name
        // first and rename that.
        //
        // If we're killed in between, the temporary name remains. We derive it from the final name,
        // so the next writer of the same file finds it and cleans it up. The lock tells that writer
        // if we're still alive: it's free as soon as we're dead.
        let is_held = rustix::fs::flock(&self.file, FlockOperation::LockExclusive).is_ok();
        let digest = blake3::hash(name.as_encoded_bytes()).to_hex();
        let mut temporary = format!(".tmp-{}", &digest[..16]);
        loop {
            match self.link_as(OsStr::new(&temporary)) {
                Err(Errno::EXIST) if is_held && remove_left_over(handle, &temporary)? => {}
                Err(Errno::EXIST) => temporary = random_name(),
                Err(e) => return Err(e.into()),
                Ok(()) => break,
            }
        }
        let renamed = rustix::fs::renameat(handle, &*temporary, handle, name);
        if renamed.is_err() {
            remove_if_there(handle, &temporary)?;
        }
        Ok(renamed?)
    }

    fn link_as(&self, name: &OsStr) -> rustix::io::Result<()> {
        use rustix::fd::AsRawFd as _;
        let file = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        rustix::fs::linkat(
            CWD,
            &*file,
            &self.folder.handle,
            name,
            AtFlags::SYMLINK_FOLLOW,
        )
    }
}

fn random_name() -> String {
    format!(
        ".tmp-{:016x}",
        RandomState::new().hash_one(std::process::id())
    )
}

/// Removes the temporary file `name` if its writer is dead. Returns false if the writer is still
/// alive.
fn remove_left_over(folder: &OwnedFd, name: &str) -> io::Result<bool> {
    let file = match rustix::fs::openat(folder, name, OFlags::RDONLY | FLAGS, Mode::empty()) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(true),
        // We never create links here, so nobody is using it.
        Err(Errno::LOOP) => {
            remove_if_there(folder, name)?;
            return Ok(true);
        }
        Err(e) => return Err(e.into()),
    };
    if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(false);
    }
    let (held, named) = (
        rustix::fs::fstat(&file)?,
        rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW),
    );
    // We hold the lock of the file, but somebody may have removed the file in the meantime, and
    // given its name to another one. Only remove the name if it's still that of our file.
    if named.is_ok_and(|named| (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino)) {
        remove_if_there(folder, name)?;
    }
    Ok(true)
}

fn remove_if_there(folder: &OwnedFd, name: &str) -> rustix::io::Result<()> {
    match rustix::fs::unlinkat(folder, name, AtFlags::empty()) {
        Err(Errno::NOENT) => Ok(()),
        removed => removed,
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(name) = &self.temporary {
            let _ = self.folder.remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_writers_are_isolated() {
        let dir = tempfile::tempdir().unwrap();
        let place = RootedPath::new(dir.path()).join("file");
        // A writer was killed before it could rename this file.
        let digest = blake3::hash(b"file").to_hex();
        let left_over = dir.path().join(format!(".tmp-{}", &digest[..16]));
        std::fs::write(place.path(), "old").unwrap();
        std::fs::write(&left_over, "left over").unwrap();
        std::thread::scope(|scope| {
            for text in ["a", "b", "c", "d"] {
                let place = &place;
                scope.spawn(move || {
                    for _ in 0..100 {
                        crate::write_shared(place, text.as_bytes()).unwrap();
                    }
                });
            }
        });
        let text = std::fs::read_to_string(place.path()).unwrap();
        assert!(["a", "b", "c", "d"].contains(&&*text), "{text}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn walk_equals_kernel_lookup() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("root/in/er")).unwrap();
        std::fs::create_dir(at("other")).unwrap();
        for name in ["root/in/er/file", "other/file", "root/file"] {
            std::fs::write(at(name), name).unwrap();
        }
        std::os::unix::fs::symlink("in", at("root/way")).unwrap();
        std::os::unix::fs::symlink("../other", at("root/out")).unwrap();
        std::os::unix::fs::symlink("in/er/file", at("root/link")).unwrap();
        let root = rustix::fs::open(at("root"), WAY, Mode::empty()).unwrap();
        for (name, is_there) in [
            ("file", true),
            ("in/er/file", true),
            ("in/er", true),
            ("in/./er/file", true),
            ("link", false),
            ("way/er/file", false),
            ("out/file", false),
            ("file/x", false),
            ("missing/file", false),
        ] {
            let place = RootedPath::new(at("root")).join(name);
            let names = place.names().unwrap();
            let flags = OFlags::RDONLY | FLAGS;
            let walked = walk(&root, &names, flags, Mode::empty());
            let opened = open_beneath(&root, &place, &names, flags, Mode::empty());
            assert_eq!(
                (walked.is_ok(), opened.is_ok()),
                (is_there, is_there),
                "{name}"
            );
        }
    }
}
