use std::fmt;
use std::fs::Metadata;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::beneath;

/// Location of a file or folder below a trusted folder, the root.
///
/// The root may be a link, but components below it may not. Every function of this crate opens the
/// part below the root without following links.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RootedPath {
    whole: PathBuf,
    root: PathBuf,
    below: PathBuf,
}

impl RootedPath {
    /// Creates the location of the trusted folder `root`.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            whole: root.clone(),
            root,
            below: PathBuf::new(),
        }
    }

    /// Creates the location of a path typed by the user. Its folder is trusted, but a link in the
    /// last component is not followed.
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
            },
            None => Self::new(path),
        }
    }

    /// Creates the location of a file named by the user. Links to the file are followed, since the
    /// user chose the path.
    #[must_use]
    pub fn resolved(path: &Path) -> Self {
        match path.canonicalize() {
            Ok(real) => Self::typed(&real),
            Err(_) => Self::typed(path),
        }
    }

    /// Returns the location of `part` below this one. If `part` is absolute or contains `..`, the
    /// result cannot be opened.
    #[must_use]
    pub fn join(&self, part: impl AsRef<Path>) -> Self {
        let part = part.as_ref();
        Self {
            whole: self.whole.join(part),
            root: self.root.clone(),
            below: self.below.join(part),
        }
    }

    /// Returns the location of the containing folder, or `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.file_name()?;
        Some(Self {
            whole: self.whole.parent()?.to_owned(),
            root: self.root.clone(),
            below: self.below.parent()?.to_owned(),
        })
    }

    /// Returns the location with another extension.
    #[must_use]
    pub fn with_extension(&self, extension: &str) -> Self {
        Self {
            whole: self.whole.with_extension(extension),
            root: self.root.clone(),
            below: self.below.with_extension(extension),
        }
    }

    /// Returns the location with another last component.
    #[must_use]
    pub fn with_file_name(&self, name: impl AsRef<std::ffi::OsStr>) -> Self {
        let name = name.as_ref();
        Self {
            whole: self.whole.with_file_name(name),
            root: self.root.clone(),
            below: self.below.with_file_name(name),
        }
    }

    /// Returns the location of the full path `path` below the same root, or `None` if it's not
    /// below the root.
    #[must_use]
    pub fn with_path(&self, path: &Path) -> Option<Self> {
        let below = path.strip_prefix(&self.root).ok()?;
        Some(Self::new(&self.root).join(below))
    }

    /// Returns the full path for messages and comparisons. Don't open it directly, since that would
    /// follow links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.whole
    }

    /// Returns the trusted folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the last component of the part below the root, or `None` for the root.
    #[must_use]
    pub fn file_name(&self) -> Option<&std::ffi::OsStr> {
        self.below.file_name()
    }

    /// Returns the path in displayable form.
    #[must_use]
    pub fn display(&self) -> std::path::Display<'_> {
        self.whole.display()
    }

    /// Returns true if there is an entry at this location, or if we can't find out. A link counts
    /// as an entry.
    #[must_use]
    pub fn is_there(&self) -> bool {
        !matches!(self.look(), Ok(None))
    }

    /// Returns true if there is a regular file at this location.
    #[must_use]
    pub fn is_file(&self) -> bool {
        matches!(self.look(), Ok(Some(found)) if found.is_file())
    }

    /// Returns true if there is a folder at this location.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        matches!(self.look(), Ok(Some(found)) if found.is_dir())
    }

    /// Returns the entry's metadata without opening it, or `None` if there is no entry.
    ///
    /// # Errors
    /// Returns an error if a component is a link, or if the metadata cannot be read.
    pub(crate) fn look(&self) -> io::Result<Option<Metadata>> {
        match beneath::look(self) {
            Ok(found) => Ok(Some(found)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Returns the part below the root.
    pub(crate) fn below(&self) -> &Path {
        &self.below
    }

    /// Returns the components below the root.
    ///
    /// # Errors
    /// Returns an error if a component is not a plain name, such as `..`.
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
