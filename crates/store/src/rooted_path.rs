//! Locations of our own files.

use std::fmt;
use std::fs::Metadata;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::{Disk, DiskCall, beneath};

/// Location of a file or folder below a trusted folder, the root.
///
/// The root may be a link, because the user has chosen it, but components below it may not. Every
/// function in this crate opens the part below the root without following links, and makes its
/// calls through the location's [`Disk`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RootedPath {
    whole: PathBuf,
    root: PathBuf,
    below: PathBuf,
    disk: Disk,
}

impl RootedPath {
    /// Creates the location of the root itself.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            whole: root.clone(),
            root,
            below: PathBuf::new(),
            disk: Disk::default(),
        }
    }

    /// Creates the location of a path typed by the user. We trust its folder, but do not follow a
    /// link in the last component. If that should be followed, use [`RootedPath::resolved`].
    #[must_use]
    pub fn typed(path: &Path) -> Self {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        match path.file_name() {
            Some(name) => Self {
                whole: path.to_owned(),
                root: folder.to_owned(),
                below: name.into(),
                disk: Disk::default(),
            },
            None => Self::new(path),
        }
    }

    /// Creates the location of a file named by the user. This follows links, because the user has
    /// chosen the path.
    #[must_use]
    pub fn resolved(path: &Path) -> Self {
        match path.canonicalize() {
            Ok(real) => Self::typed(&real),
            Err(_) => Self::typed(path),
        }
    }

    /// Returns the same location on another disk. All locations derived from that one are on the
    /// same disk.
    #[must_use]
    pub fn on(mut self, disk: &Disk) -> Self {
        self.disk = disk.clone();
        self
    }

    /// Announces a call to the disk. Tests may make it fail here.
    pub(crate) fn call<'a>(
        &'a self,
        call: impl FnOnce(&'a Path) -> DiskCall<'a>,
    ) -> io::Result<()> {
        self.disk.call(call(&self.whole))
    }

    pub(crate) fn root_place(&self) -> Self {
        Self::new(&self.root).on(&self.disk)
    }

    /// Returns the location of `part` below this one. If `part` is absolute or has a `..`, that
    /// is not an error yet, but nobody can open the result.
    #[must_use]
    pub fn join(&self, part: impl AsRef<Path>) -> Self {
        let part = part.as_ref();
        Self {
            whole: self.whole.join(part),
            root: self.root.clone(),
            below: self.below.join(part),
            disk: self.disk.clone(),
        }
    }

    /// Returns the location of the parent folder, or `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.file_name()?;
        Some(Self {
            whole: self.whole.parent()?.to_owned(),
            root: self.root.clone(),
            below: self.below.parent()?.to_owned(),
            disk: self.disk.clone(),
        })
    }

    /// Replaces the extension, for example to get a lock file.
    #[must_use]
    pub fn with_extension(&self, extension: &str) -> Self {
        Self {
            whole: self.whole.with_extension(extension),
            root: self.root.clone(),
            below: self.below.with_extension(extension),
            disk: self.disk.clone(),
        }
    }

    /// Replaces the last component, for example to get a file next to this one.
    #[must_use]
    pub fn with_file_name(&self, name: impl AsRef<std::ffi::OsStr>) -> Self {
        let name = name.as_ref();
        Self {
            whole: self.whole.with_file_name(name),
            root: self.root.clone(),
            below: self.below.with_file_name(name),
            disk: self.disk.clone(),
        }
    }

    /// Returns the location of a full path below the same root, or `None` if the path is outside.
    #[must_use]
    pub fn with_path(&self, path: &Path) -> Option<Self> {
        let below = path.strip_prefix(&self.root).ok()?;
        Some(self.root_place().join(below))
    }

    /// The full path, for messages and comparisons. Do not open it directly, because that would
    /// follow links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.whole
    }

    /// The trusted folder above this location.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The last component, or `None` for the root.
    #[must_use]
    pub fn file_name(&self) -> Option<&std::ffi::OsStr> {
        self.below.file_name()
    }

    /// Formats the path for messages.
    #[must_use]
    pub fn display(&self) -> std::path::Display<'_> {
        self.whole.display()
    }

    /// True if there is any entry at this location, even a link. If we cannot find out, we assume
    /// that there is one.
    #[must_use]
    pub fn is_there(&self) -> bool {
        !matches!(self.look(), Ok(None))
    }

    /// True if there is a regular file at this location, without a link on the way.
    #[must_use]
    pub fn is_file(&self) -> bool {
        matches!(self.look(), Ok(Some(found)) if found.is_file())
    }

    /// True if there is a folder at this location, without a link on the way.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        matches!(self.look(), Ok(Some(found)) if found.is_dir())
    }

    /// Returns the metadata of an entry without opening it, or `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if a component is a link, or if reading the metadata fails.
    pub(crate) fn look(&self) -> io::Result<Option<Metadata>> {
        match beneath::look(self) {
            Ok(found) => Ok(Some(found)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    pub(crate) fn below(&self) -> &Path {
        &self.below
    }

    /// Splits the part below the root into its components. This fails if one of them is not a plain
    /// name, such as `..`.
    pub(crate) fn names(&self) -> io::Result<Vec<&std::ffi::OsStr>> {
        let names = self.below.components();
        let names = names.filter(|part| *part != Component::CurDir);
        let names = names.map(|part| match part {
            Component::Normal(name) => Ok(name),
            _ => Err(crate::Unfit::Outside.at(&self.whole)),
        });
        names.collect()
    }
}

impl fmt::Debug for RootedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} below {:?}", self.below, self.root)
    }
}
