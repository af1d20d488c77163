//! Shared setup of all benchmarks: the binary, a folder of their own, and a controlled environment.

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
    /// Builds the binary and makes an empty folder; each is measured `repeat` times, where that is said.
    pub(crate) fn new(repeat: Option<usize>) -> Result<Self, Error> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(&cargo)
            .args(["build", "--release", "--package", "windlass-cli"])
            .status()?;
        if !status.success() {
            return Err("the binary cannot be built".into());
        }
        // This program stands in the folder that the binary is built into.
        let name = format!("windlass{}", std::env::consts::EXE_SUFFIX);
        let built = std::env::current_exe()?.with_file_name(&name);
        let folder = tempfile::Builder::new()
            .prefix("windlass-bench-")
            .tempdir()?;
        // A copy, like an installed binary and those of the other tools: a file that a linker has just written in
        // pieces is scattered in the page cache, and takes longer to start.
        let binary = folder.path().join(name);
        std::fs::copy(&built, &binary).map_err(|error| format!("{}: {error}", built.display()))?;
        Ok(Self {
            binary,
            folder,
            repeat,
        })
    }

    /// Number of measurements: the requested number, or `usual`.
    pub(crate) fn repeat(&self, usual: usize) -> usize {
        self.repeat.unwrap_or(usual)
    }

    /// A new folder called `name`, which is a git repository.
    pub(crate) fn repository(&self, name: &str) -> Result<PathBuf, Error> {
        // Results kept about a repository are found by its canonical path.
        let folder = self.folder.path().canonicalize()?.join(name);
        std::fs::create_dir_all(&folder)?;
        self.git(&folder, &["init", "-q"])?;
        Ok(folder)
    }

    /// Returns the output of git in `folder`.
    pub(crate) fn git(&self, folder: &Path, args: &[&str]) -> Result<String, Error> {
        let mut command = self.program("git", folder);
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        Ok(String::from_utf8(output(command.args(args))?)?)
    }

    /// Our own command, to be run in `folder`.
    pub(crate) fn windlass<S: AsRef<OsStr>>(
        &self,
        folder: &Path,
        args: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = self.program(&self.binary, folder);
        command.args(args);
        command
    }

    /// A program, to be run in `folder` with a home that is empty at first.
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

    /// Returns the cache folder of our command, which may be lost at any time.
    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path().join("home/cache")
    }
}
