//! Differences between operating systems: opening files, kinds of files, file signatures, and
//! ending processes.
//!
//! Files are opened without following links or blocking. The path guard has decided that a path is
//! safe to read, but another process could replace the file with a link or a named pipe before we
//! open it. On Unix we rule this out; elsewhere, we do what's possible.

use std::fs::{DirEntry, File, Metadata};
use std::io;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// File metadata that identifies a state of a file.
///
/// Equal signatures mean equal contents, unless the file changed twice within one tick of the file
/// system's clock (see [`Signature::is_younger_than`]). The form as an array is written to disk, so
/// its order must not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(from = "[i64; 5]", into = "[i64; 5]")]
pub(crate) struct Signature {
    bytes: u64,
    /// Time of the last inode change on Unix, in nanoseconds since the epoch.
    ///
    /// Other systems do not have it, so this is the time of creation there. Only `modified` then
    /// shows a change, and any program can set that at will.
    changed: i64,
    modified: i64,
    device: u64,
    inode: u64,
}

/// Identity of a folder, which tells it apart from a later one at the same path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Birth {
    /// Inode number, or 0 on systems without them. File systems reuse the numbers, so the time of
    /// creation is needed as well.
    pub inode: u64,
    /// Time of creation, in nanoseconds since the epoch.
    pub created: i64,
}

impl Birth {
    /// Returns `None` if the file system does not record when files were created.
    pub(crate) fn of(folder: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(folder).ok()?;
        Some(Self {
            inode: imp::inode(&metadata),
            created: nanoseconds(metadata.created().ok()?),
        })
    }
}

/// Coarsest precision of common file system clocks: two seconds on FAT. Other file systems have
/// milliseconds or better.
const TICK: Duration = Duration::from_secs(2);

impl From<Signature> for [i64; 5] {
    fn from(signature: Signature) -> Self {
        let same = |number: u64| i64::from_ne_bytes(number.to_ne_bytes());
        [
            same(signature.bytes),
            signature.changed,
            signature.modified,
            same(signature.device),
            same(signature.inode),
        ]
    }
}

impl From<[i64; 5]> for Signature {
    fn from([bytes, changed, modified, device, inode]: [i64; 5]) -> Self {
        let same = |number: i64| u64::from_ne_bytes(number.to_ne_bytes());
        Self {
            bytes: same(bytes),
            changed,
            modified,
            device: same(device),
            inode: same(inode),
        }
    }
}

impl Signature {
    /// True if the file changed after `time`, or so shortly before that the signature might not
    /// show another change.
    pub(crate) fn is_younger_than(&self, time: SystemTime) -> bool {
        self.changed.max(self.modified) > nanoseconds(time.checked_sub(TICK).unwrap_or(UNIX_EPOCH))
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_nanos()).unwrap_or(i64::MAX),
    }
}

#[cfg(unix)]
mod imp {
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
    use std::path::Component;

    use rustix::fd::OwnedFd;
    use rustix::fs::{Mode, OFlags};

    use super::{Child, Command, DirEntry, File, Metadata, Path, Signature, io};

    /// Flags for opening without following a link, without waiting for the other end of a pipe, and
    /// without acquiring a controlling terminal.
    const FLAGS: OFlags = OFlags::RDONLY
        .union(OFlags::NOFOLLOW)
        .union(OFlags::NONBLOCK)
        .union(OFlags::NOCTTY)
        .union(OFlags::CLOEXEC);

    pub(crate) fn open_file(path: &Path) -> io::Result<File> {
        Ok(rustix::fs::open(path, FLAGS, Mode::empty())?.into())
    }

    /// Opens `relative` below `root`. Even if another process swaps in a link at the wrong moment,
    /// this does not read any other file.
    pub(crate) fn open_beneath(root: &Path, relative: &Path) -> io::Result<File> {
        Root::open(root)?.file(relative)
    }

    /// An open folder. This saves opening the root again for each file, compared to
    /// [`open_beneath`].
    pub(crate) struct Root(OwnedFd);

    impl Root {
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            let flags = FLAGS | OFlags::DIRECTORY;
            Ok(Self(rustix::fs::open(path, flags, Mode::empty())?))
        }

        /// Opens `relative`. Fails if any part of it is a link.
        #[cfg(target_os = "linux")]
        pub(crate) fn file(&self, relative: &Path) -> io::Result<File> {
            use rustix::fs::ResolveFlags;
            use rustix::io::Errno;

            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            match rustix::fs::openat2(&self.0, relative, FLAGS, Mode::empty(), resolve) {
                // Kernels before 5.6 lack `openat2`, and some sandboxes deny unknown system calls.
                Err(Errno::NOSYS | Errno::PERM) => self.file_part_by_part(relative),
                opened => Ok(opened?.into()),
            }
        }

        /// Opens `relative`. Fails if any part of it is a link.
        #[cfg(not(target_os = "linux"))]
        pub(crate) fn file(&self, relative: &Path) -> io::Result<File> {
            self.file_part_by_part(relative)
        }

        /// Returns the size of the regular file at `relative` in bytes, or `None` for anything
        /// else, including a link.
        ///
        /// Use this to check a file before opening it. Folders on the way may be links, since
        /// opening the file checks them.
        pub(crate) fn size_of_file(&self, relative: &Path) -> Option<u64> {
            let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
            let stat = rustix::fs::statat(&self.0, relative, flags).ok()?;
            is_file(&stat).then(|| Signature::of_stat(&stat).bytes)
        }

        /// Returns the signature of the regular file at `relative`. Returns `None` if any part of
        /// the path is a link, if the file is larger than `max_bytes`, or if the system cannot
        /// tell.
        #[cfg(target_os = "linux")]
        pub(crate) fn signature_of_file(
            &self,
            relative: &Path,
            max_bytes: u64,
        ) -> Option<Signature> {
            use rustix::fs::ResolveFlags;

            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            // With `PATH`, the file isn't really opened. That's cheaper, and works for files that
            // we can't read.
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file =
                rustix::fs::openat2(&self.0, relative, flags, Mode::empty(), resolve).ok()?;
            let stat = rustix::fs::fstat(file).ok()?;
            let signature = Signature::of_stat(&stat);
            (is_file(&stat) && signature.bytes <= max_bytes).then_some(signature)
        }

        /// Always returns `None`, since this system cannot rule out links in the path without
        /// opening the file.
        #[cfg(not(target_os = "linux"))]
        pub(crate) fn signature_of_file(
            &self,
            _relative: &Path,
            _max_bytes: u64,
        ) -> Option<Signature> {
            None
        }

        pub(super) fn file_part_by_part(&self, relative: &Path) -> io::Result<File> {
            let mut folder: Option<OwnedFd> = None;
            let mut parts = relative.components().peekable();
            while let Some(part) = parts.next() {
                let Component::Normal(name) = part else {
                    return Err(io::ErrorKind::InvalidInput.into());
                };
                let last = parts.peek().is_none();
                let flags = if last {
                    FLAGS
                } else {
                    FLAGS | OFlags::DIRECTORY
                };
                let within = folder.as_ref().unwrap_or(&self.0);
                // `FLAGS` contain `NOFOLLOW`, which only applies to the last part of a path. That's
                // why we open each part on its own.
                folder = Some(rustix::fs::openat(within, name, flags, Mode::empty())?);
            }
            let file = folder.ok_or(io::ErrorKind::InvalidInput)?;
            Ok(file.into())
        }
    }

    fn is_file(stat: &rustix::fs::Stat) -> bool {
        rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file()
    }

    /// Names the kind of a special file, e.g. `a pipe`, or returns `None` for a regular file or
    /// folder.
    pub(crate) fn special_kind(metadata: &Metadata) -> Option<&'static str> {
        let kind = metadata.file_type();
        if kind.is_file() || kind.is_dir() {
            None
        } else if kind.is_fifo() {
            Some("a pipe")
        } else if kind.is_socket() {
            Some("a socket")
        } else if kind.is_symlink() {
            Some("a symbolic link")
        } else {
            Some("a device")
        }
    }

    pub(crate) fn is_pipe(metadata: &Metadata) -> bool {
        metadata.file_type().is_fifo()
    }

    pub(crate) fn inode(metadata: &Metadata) -> u64 {
        metadata.ino()
    }

    pub(crate) fn is_hidden(entry: &DirEntry) -> bool {
        entry.file_name().as_encoded_bytes().starts_with(b".")
    }

    pub(crate) struct Folder(OwnedFd);

    impl Folder {
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            let flags = FLAGS | OFlags::DIRECTORY;
            Ok(Self(rustix::fs::open(path, flags, Mode::empty())?))
        }

        pub(crate) fn signature(&self) -> io::Result<Signature> {
            Ok(Signature::of_stat(&rustix::fs::fstat(&self.0)?))
        }

        /// Returns the signature of `name` itself, even if it is a link.
        pub(crate) fn signature_of(&self, name: &str) -> io::Result<Signature> {
            let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
            let stat = rustix::fs::statat(&self.0, name, flags)?;
            Ok(Signature::of_stat(&stat))
        }
    }

    impl Signature {
        /// Converts a `stat` result in the same way as [`Signature::of`]. The widths of the
        /// integers vary between systems, so we go through `i128`.
        fn of_stat(stat: &rustix::fs::Stat) -> Self {
            let number = |number: i128| u64::try_from(number).unwrap_or(u64::MAX);
            let time = |seconds: i128, nanos: i128| {
                i64::try_from(seconds * 1_000_000_000 + nanos).unwrap_or(i64::MAX)
            };
            Self {
                bytes: number(stat.st_size.into()),
                changed: time(stat.st_ctime.into(), stat.st_ctime_nsec.into()),
                modified: time(stat.st_mtime.into(), stat.st_mtime_nsec.into()),
                device: number(stat.st_dev.into()),
                inode: number(stat.st_ino.into()),
            }
        }

        pub(crate) fn of(metadata: &Metadata) -> Self {
            let time = |seconds: i64, nanos: i64| {
                seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
            };
            Self {
                bytes: metadata.len(),
                changed: time(metadata.ctime(), metadata.ctime_nsec()),
                modified: time(metadata.mtime(), metadata.mtime_nsec()),
                device: metadata.dev(),
                inode: metadata.ino(),
            }
        }
    }

    /// Makes `command` run in its own process group, so that [`end_process`] can end it along with
    /// its children.
    pub fn own_process_group(command: &mut Command) {
        std::os::unix::process::CommandExt::process_group(command, 0);
    }

    /// Ends a process and its children. Unless it was started with [`own_process_group`], the
    /// children go on running.
    pub fn end_process(child: &mut Child) {
        let group = i32::try_from(child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        if let Some(group) = group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = child.kill();
    }

    /// The bytes of a path, for hashing.
    pub(crate) fn path_bytes(path: &Path) -> Vec<u8> {
        std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec()
    }
}

#[cfg(not(unix))]
mod imp {
    use super::{Child, Command, DirEntry, File, Metadata, Path, Signature, io, nanoseconds};

    /// Opens the file at `path`. The caller must have resolved any links. This does not block,
    /// since folders on these systems do not contain pipes.
    pub(crate) fn open_file(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    /// Opens `relative` below `root`, if the path still resolves to a file there. Unlike on Unix,
    /// another process could swap in a link between the two steps; we accept that here.
    pub(crate) fn open_beneath(root: &Path, relative: &Path) -> io::Result<File> {
        let path = root.join(relative).canonicalize()?;
        if !path.starts_with(root) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        File::open(path)
    }

    pub(crate) struct Root(std::path::PathBuf);

    impl Root {
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            Ok(Self(path.to_owned()))
        }

        /// Always returns `None`: the size is unknown without resolving the path.
        pub(crate) fn size_of_file(&self, _relative: &Path) -> Option<u64> {
            None
        }

        /// Always returns `None`: the signature is unknown without resolving the path.
        pub(crate) fn signature_of_file(
            &self,
            _relative: &Path,
            _max_bytes: u64,
        ) -> Option<Signature> {
            None
        }

        /// Opens `relative`, which the walk has found without following links.
        pub(crate) fn file(&self, relative: &Path) -> io::Result<File> {
            File::open(self.0.join(relative))
        }
    }

    /// Always returns `false`, because folders on these systems do not contain pipes.
    pub(crate) fn is_pipe(_: &Metadata) -> bool {
        false
    }

    pub(crate) fn special_kind(metadata: &Metadata) -> Option<&'static str> {
        let kind = metadata.file_type();
        (!kind.is_file() && !kind.is_dir()).then_some("a special file")
    }

    pub(crate) fn inode(_metadata: &Metadata) -> u64 {
        0
    }

    pub(crate) fn is_hidden(entry: &DirEntry) -> bool {
        entry.file_name().as_encoded_bytes().starts_with(b".") || is_marked(entry)
    }

    #[cfg(windows)]
    fn is_marked(entry: &DirEntry) -> bool {
        use std::os::windows::fs::MetadataExt as _;
        const HIDDEN: u32 = 0x2;
        let metadata = entry.metadata();
        metadata.is_ok_and(|metadata| metadata.file_attributes() & HIDDEN != 0)
    }

    #[cfg(not(windows))]
    fn is_marked(_entry: &DirEntry) -> bool {
        false
    }

    pub(crate) struct Folder(std::path::PathBuf);

    impl Folder {
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            Ok(Self(path.to_owned()))
        }

        pub(crate) fn signature(&self) -> io::Result<Signature> {
            Ok(Signature::of(&self.0.symlink_metadata()?))
        }

        /// Returns the signature of `name` itself, even if it is a link.
        pub(crate) fn signature_of(&self, name: &str) -> io::Result<Signature> {
            Ok(Signature::of(&self.0.join(name).symlink_metadata()?))
        }
    }

    impl Signature {
        pub(crate) fn of(metadata: &Metadata) -> Self {
            let modified = metadata.modified().map_or(0, nanoseconds);
            Self {
                bytes: metadata.len(),
                changed: metadata.created().map_or(0, nanoseconds),
                modified,
                device: 0,
                inode: 0,
            }
        }
    }

    /// Does nothing on this system. To end child processes as well, we would need a job object, so
    /// for now only git itself is ended.
    pub fn own_process_group(_command: &mut Command) {}

    /// Ends a process but not its children, see [`own_process_group`].
    pub fn end_process(child: &mut Child) {
        let _ = child.kill();
    }

    /// The bytes of a path, for hashing.
    pub(crate) fn path_bytes(path: &Path) -> Vec<u8> {
        path.to_string_lossy().into_owned().into_bytes()
    }
}

pub(crate) use imp::{
    Folder, Root, is_hidden, is_pipe, open_beneath, open_file, path_bytes, special_kind,
};
pub use imp::{end_process, own_process_group};

/// Joins the parts of a relative path with `/`, and replaces invalid UTF-8 with `U+FFFD`.
pub(crate) fn slashed(relative: &Path) -> String {
    let mut text = String::new();
    for part in relative.components() {
        if let std::path::Component::Normal(name) = part {
            if !text.is_empty() {
                text.push('/');
            }
            text.push_str(&name.to_string_lossy());
        }
    }
    text
}

#[cfg(all(test, unix))]
mod tests;
