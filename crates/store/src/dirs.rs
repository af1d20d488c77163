//! Folders for Windlass's own files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::{Disk, RootedPath};

/// Locations of the folders for Windlass's own files.
///
/// They belong to a single user, and no other program uses them. This only determines the
/// locations; the folders are created when something is written to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dirs {
    /// Folder for data that must not be lost, such as notebooks.
    pub data: RootedPath,
    /// Folder for data with a limited lifetime, such as run records.
    pub state: RootedPath,
    /// Folder for data that anyone may delete at any time.
    pub cache: RootedPath,
}

/// The error for a folder whose location is unknown, because neither its own variable nor the one
/// for the home folder is set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no folder for {what}: neither `{variable}` nor `{home}` is set to an absolute path; set one of them"
)]
pub struct DirsError {
    what: &'static str,
    variable: &'static str,
    home: &'static str,
}

struct Fallback {
    home: &'static str,
    tail: &'static str,
}

/// XDG defaults. They also apply on macOS, where most command line tools use them as well.
#[cfg(not(windows))]
const FALLBACKS: [Fallback; 3] = [
    Fallback {
        home: "HOME",
        tail: ".local/share/windlass",
    },
    Fallback {
        home: "HOME",
        tail: ".local/state/windlass",
    },
    Fallback {
        home: "HOME",
        tail: ".cache/windlass",
    },
];

#[cfg(windows)]
const FALLBACKS: [Fallback; 3] = [
    Fallback {
        home: "LOCALAPPDATA",
        tail: "windlass/data",
    },
    Fallback {
        home: "LOCALAPPDATA",
        tail: "windlass/state",
    },
    Fallback {
        home: "LOCALAPPDATA",
        tail: "windlass/cache",
    },
];

impl Dirs {
    /// Determines the folders from environment variables. Each folder is in `XDG_DATA_HOME`,
    /// `XDG_STATE_HOME` or `XDG_CACHE_HOME`. If that variable is not set, the folder is at its
    /// default location below `HOME` (`LOCALAPPDATA` on Windows).
    ///
    /// Empty and relative values are ignored, as required by the XDG specification.
    ///
    /// # Errors
    /// Returns an error if a folder has neither a variable nor a default location.
    pub fn resolve(env: &dyn Fn(&str) -> Option<OsString>) -> Result<Self, DirsError> {
        let [data, state, cache] = FALLBACKS;
        Ok(Self {
            data: folder(env, "data", "XDG_DATA_HOME", &data)?,
            state: folder(env, "state", "XDG_STATE_HOME", &state)?,
            cache: folder(env, "the cache", "XDG_CACHE_HOME", &cache)?,
        })
    }

    /// Returns the same locations on another disk, for tests.
    #[must_use]
    pub fn on(self, disk: &Disk) -> Self {
        Self {
            data: self.data.on(disk),
            state: self.state.on(disk),
            cache: self.cache.on(disk),
        }
    }

    /// Puts all three folders into `folder`. This is for tests and portable installations.
    #[must_use]
    pub fn below(folder: &Path) -> Self {
        Self {
            data: RootedPath::new(folder.join("data")),
            state: RootedPath::new(folder.join("state")),
            cache: RootedPath::new(folder.join("cache")),
        }
    }
}

fn folder(
    env: &dyn Fn(&str) -> Option<OsString>,
    what: &'static str,
    variable: &'static str,
    fallback: &Fallback,
) -> Result<RootedPath, DirsError> {
    let absolute = |name: &str| {
        env(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute(variable)
        .map(|base| base.join("windlass"))
        .or_else(|| absolute(fallback.home).map(|home| home.join(fallback.tail)))
        .map(RootedPath::new)
        .ok_or(DirsError {
            what,
            variable,
            home: fallback.home,
        })
}

#[cfg(all(test, not(windows)))]
mod tests;
