use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::RootedPath;

/// Locations of the folders for Windlass's own files.
///
/// The folders belong to one user and to Windlass alone. This type only computes their locations,
/// without creating them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dirs {
    /// Folder for data that must not be lost, such as notebooks.
    pub data: RootedPath,
    /// Folder for data with a limited lifetime, such as run records.
    pub state: RootedPath,
    /// Folder for data that may be deleted at any time.
    pub cache: RootedPath,
}

/// Error for a folder of unknown location. Neither its own variable nor the home folder's is set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no folder for {what}: neither `{variable}` nor `{home}` is set to an absolute path; set one of them"
)]
pub struct DirsError {
    what: &'static str,
    variable: &'static str,
    home: &'static str,
}

/// A folder's default location, used without its XDG variable.
struct Fallback {
    home: &'static str,
    tail: &'static str,
}

/// XDG defaults. They apply to macOS as well, because most command line tools there use them.
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
    /// `XDG_STATE_HOME` or `XDG_CACHE_HOME`, or else at its default location below `HOME`
    /// (`LOCALAPPDATA` on Windows).
    ///
    /// Empty and relative values are ignored, as the XDG specification requires.
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

    /// Returns locations with all three folders below `folder`, for tests and portable
    /// installations.
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
mod tests {
    use super::*;

    fn resolve(pairs: &[(&str, &str)]) -> Result<Dirs, DirsError> {
        Dirs::resolve(&|name| {
            pairs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn resolve_defaults_are_below_home() {
        let dirs = resolve(&[("HOME", "/home/ann")]).unwrap();
        assert_eq!(
            dirs.data.path(),
            Path::new("/home/ann/.local/share/windlass")
        );
        assert_eq!(
            dirs.state.path(),
            Path::new("/home/ann/.local/state/windlass")
        );
        assert_eq!(dirs.cache.path(), Path::new("/home/ann/.cache/windlass"));
    }

    #[test]
    fn resolve_ignores_relative_and_empty() {
        let dirs = resolve(&[
            ("HOME", "/home/ann"),
            ("XDG_DATA_HOME", "/data"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CACHE_HOME", ""),
        ])
        .unwrap();
        assert_eq!(dirs.data.path(), Path::new("/data/windlass"));
        assert_eq!(
            dirs.state.path(),
            Path::new("/home/ann/.local/state/windlass")
        );
        assert_eq!(dirs.cache.path(), Path::new("/home/ann/.cache/windlass"));
    }

    #[test]
    fn resolve_unknown_folder_is_named() {
        let error = resolve(&[("XDG_DATA_HOME", "/d"), ("HOME", "relative")]).unwrap_err();
        assert!(error.to_string().contains("`XDG_STATE_HOME`"), "{error}");
        let all = [
            ("XDG_DATA_HOME", "/d"),
            ("XDG_STATE_HOME", "/s"),
            ("XDG_CACHE_HOME", "/c"),
        ];
        assert!(resolve(&all).is_ok());
    }
}
