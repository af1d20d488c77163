//! Environment of all benchmarks: the binary, a temporary folder, and fixed variables.

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
    /// Builds the binary and creates an empty folder. `repeat` overrides the number of repetitions.
    pub(crate) fn new(repeat: Option<usize>) -> Result<Self, Error> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(&cargo)
            .args(["build", "--release", "--package", "windlass-cli"])
            .status()?;
        if !status.success() {
            return Err("the binary cannot be built".into());
        }
        // This program is in the folder into which the binary is built.
        let name = format!("windlass{}", std::env::consts::EXE_SUFFIX);
        let built = std::env::current_exe()?.with_file_name(&name);
        let folder = tempfile::Builder::new()
            .prefix("windlass-bench-")
            .tempdir()?;
        // A copy starts like an installed program. The original was written piece by piece and is
        // scattered in the page cache, which makes it slower.
        let binary = folder.path().join(name);
        std::fs::copy(&built, &binary).map_err(|error| format!("{}: {error}", built.display()))?;
        Ok(Self {
            binary,
            folder,
            repeat,
        })
    }

    /// Returns the number of repetitions: the requested one, or `usual`.
    pub(crate) fn repeat(&self, usual: usize) -> usize {
        self.repeat.unwrap_or(usual)
    }

    /// Creates a git repository called `name`.
    pub(crate) fn repository(&self, name: &str) -> Result<PathBuf, Error> {
        // Stored data of a repository is found by its canonical path.
        let folder = self.folder.path().canonicalize()?.join(name);
        std::fs::create_dir_all(&folder)?;
        self.git(&folder, &["init", "-q"])?;
        Ok(folder)
    }

    /// Runs git in `folder` and returns its output.
    pub(crate) fn git(&self, folder: &Path, args: &[&str]) -> Result<String, Error> {
        let mut command = self.program("git", folder);
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        Ok(String::from_utf8(output(command.args(args))?)?)
    }

    /// Returns our command, for `folder`.
    pub(crate) fn windlass<S: AsRef<OsStr>>(
        &self,
        folder: &Path,
        args: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = self.program(&self.binary, folder);
        command.args(args);
        command
    }

    /// Returns a command for the program `name` in `folder`, with a temporary home.
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

    /// Folder of our command's cache.
    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path().join("home/cache")
    }
}
