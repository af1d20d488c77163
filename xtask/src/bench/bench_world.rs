//! Setup shared by all benchmarks: the binary, an empty folder, and a controlled environment.
//!
//! The user's own settings, caches and hooks would make the figures incomparable, so programs only
//! get the variables that they need to run at all.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::bench_times::output;
use crate::Error;

pub(crate) struct World {
    binary: PathBuf,
    folder: tempfile::TempDir,
    repeat: Option<usize>,
}

impl World {
    /// Creates an empty folder for the binary `built`. If `repeat` is given, it replaces each
    /// benchmark's own number of measurements.
    pub(crate) fn new(built: &Path, repeat: Option<usize>) -> Result<Self, Error> {
        let folder = tempfile::Builder::new()
            .prefix("windlass-bench-")
            .tempdir()?;
        // Copy the binary like an installation does. The linker writes its file in pieces, which
        // end up scattered in the page cache, and the binary would start more slowly than the tools
        // we compare it with.
        let binary = folder.path().join("windlass");
        let binary = binary.with_extension(std::env::consts::EXE_EXTENSION);
        std::fs::copy(built, &binary).map_err(|error| format!("{}: {error}", built.display()))?;
        Ok(Self {
            binary,
            folder,
            repeat,
        })
    }

    pub(crate) fn repeat(&self, usual: usize) -> usize {
        self.repeat.unwrap_or(usual)
    }

    pub(crate) fn repository(&self, name: &str) -> Result<PathBuf, Error> {
        // We find cached results by the repository's canonical path.
        let folder = self.folder.path().canonicalize()?.join(name);
        std::fs::create_dir_all(&folder)?;
        self.git(&folder, &["init", "-q"])?;
        Ok(folder)
    }

    pub(crate) fn git(&self, folder: &Path, args: &[&str]) -> Result<String, Error> {
        let mut command = self.program("git", folder);
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        Ok(String::from_utf8(output(command.args(args))?)?)
    }

    pub(crate) fn windlass<S: AsRef<OsStr>>(
        &self,
        folder: &Path,
        args: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = self.program(&self.binary, folder);
        command.args(args);
        command
    }

    /// Returns a program to run in `folder`, with a home that is empty at first.
    pub(crate) fn program(&self, name: impl AsRef<OsStr>, folder: &Path) -> Command {
        let home = self.folder.path().join("home");
        let mut command = Command::new(name);
        command.current_dir(folder).env_clear();
        for variable in ["PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP"] {
            command.envs(std::env::var_os(variable).map(|value| (variable, value)));
        }
        command
            .env("XDG_CACHE_HOME", self.cache())
            .env("LOCALAPPDATA", home.join("local"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", home.join("gitconfig"))
            .env("HOME", home);
        command
    }

    /// Returns the cache folder of `windlass`, which benchmarks may delete at any time.
    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path().join("home/cache")
    }
}
