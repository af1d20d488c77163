use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::RootedPath;

/// The folders Windlass keeps its own files in.
///
/// They belong to one user and to Windlass alone; none is created here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dirs {
    /// The folder of what must not be lost: notebooks.
    pub data: RootedPath,
    /// The folder of what is worth keeping for a while: records of runs.
    pub state: RootedPath,
    /// The folder of what may be deleted at any time.
    pub cache: RootedPath,
}

/// Neither a folder nor the home it would lie in is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "cannot tell where to keep {what}: neither `{variable}` nor `{home}` is set to an absolute path; set one of them"
)]
pub struct DirsError {
    what: &'static str,
    variable: &'static str,
    home: &'static str,
}

/// Where a folder lies when no variable names it.
struct Fallback {
    home: &'static str,
    tail: &'static str,
}

/// The XDG defaults; macOS uses them too, as most command line tools there do.
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
    /// Finds the folders in an environment: `XDG_DATA_HOME`, `XDG_STATE_HOME` and `XDG_CACHE_HOME`, else
    /// their defaults below `HOME` (`LOCALAPPDATA` on Windows).
    ///
    /// As the XDG specification says, an empty or relative value counts as none.
    ///
    /// # Errors
    /// When one of the folders follows from neither.
    pub fn resolve(env: &dyn Fn(&str) -> Option<OsString>) -> Result<Self, DirsError> {
        let [data, state, cache] = FALLBACKS;
        Ok(Self {
            data: folder(env, "data", "XDG_DATA_HOME", &data)?,
            state: folder(env, "state", "XDG_STATE_HOME", &state)?,
            cache: folder(env, "the cache", "XDG_CACHE_HOME", &cache)?,
        })
    }

    /// All three below one folder: for tests, and for a home that travels.
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
    fn defaults_lie_below_home() {
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
    fn relative_and_empty_values_count_as_none() {
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
    fn a_folder_that_cannot_be_known_is_named() {
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
