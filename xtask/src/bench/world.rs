//! What all benchmarks share: the binary, a folder of their own, and an environment without surprises.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Options;
use crate::Error;

pub(crate) struct World {
    binary: PathBuf,
    folder: tempfile::TempDir,
    repeat: Option<usize>,
    repo: Option<PathBuf>,
    files: Option<usize>,
    peers: Vec<(&'static str, PathBuf)>,
}

impl World {
    /// Builds the binary and makes an empty folder.
    pub(crate) fn new(options: &Options) -> Result<Self, Error> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let release = (!options.debug).then_some("--release");
        let status = Command::new(&cargo)
            .args(["build", "--package", "windlass-cli"])
            .args(release)
            .status()?;
        if !status.success() {
            return Err("the binary cannot be built".into());
        }
        // This program stands in the folder that the binary is built into.
        let here = std::env::current_exe()?;
        let binary = here
            .with_file_name("windlass")
            .with_extension(std::env::consts::EXE_EXTENSION);
        if !binary.is_file() {
            return Err(format!("there is no `{}`", binary.display()).into());
        }
        let folder = tempfile::Builder::new()
            .prefix("windlass-bench-")
            .tempdir()?;
        // As it is installed, and as the others are: what a linker has just written piece by piece lies scattered in
        // the page cache, and takes longer to start.
        let installed = folder
            .path()
            .join("windlass")
            .with_extension(std::env::consts::EXE_EXTENSION);
        std::fs::copy(&binary, &installed)?;
        Ok(Self {
            binary: installed,
            folder,
            repeat: options.repeat,
            repo: options.repo.clone(),
            files: options.files,
            peers: options.peers.clone(),
        })
    }

    /// Our own command, as it is measured.
    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    /// How often to measure: what was asked for, else `usual`.
    pub(crate) fn repeat(&self, usual: usize) -> usize {
        self.repeat.unwrap_or(usual)
    }

    /// The repository that is measured instead of a generated one.
    pub(crate) fn repo(&self) -> Option<&Path> {
        self.repo.as_deref()
    }

    /// How many files a generated repository has: what was asked for, else `usual`.
    pub(crate) fn files(&self, usual: usize) -> usize {
        self.files.unwrap_or(usual)
    }

    /// The program that was named to measure the peer `name` by, which is built apart.
    pub(crate) fn peer(&self, name: &str) -> Option<(&'static str, &Path)> {
        let peer = self
            .peers
            .iter()
            .find(|(of, _)| of.eq_ignore_ascii_case(name));
        peer.map(|(name, program)| (*name, &**program))
    }

    /// A new folder called `name`.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf, Error> {
        // Results kept about a repository are found by its canonical path.
        let folder = self.folder.path().canonicalize()?.join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Our own command, to be run in `folder`.
    pub(crate) fn windlass<S: AsRef<OsStr>>(
        &self,
        folder: &Path,
        args: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = self.program(self.binary.as_os_str(), folder);
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
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env("LOCALAPPDATA", home.join("local"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", home.join("gitconfig"))
            .env("HOME", home);
        command
    }

    /// Where our command keeps what belongs to its user.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("home/data/windlass")
    }

    /// Where our command keeps what may be lost at any time.
    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path().join("home/cache/windlass")
    }

    /// Whether the program `name` can be started.
    pub(crate) fn has(&self, name: &str) -> bool {
        let mut command = self.program(name, self.folder.path());
        command.arg("--version").output().is_ok()
    }
}
