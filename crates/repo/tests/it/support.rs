//! A folder with files to test on, and another one outside of it.

use std::fs;
use std::path::{Path, PathBuf};

use windlass_base::{Cancel, RepoPath};
use windlass_repo::{ListQuery, Refusal, Repo, Snapshot};

pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
}

impl Sandbox {
    /// Creates an empty folder `root`, and next to it a folder `outside` with a file that no test
    /// may ever get to see.
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("root")).unwrap();
        fs::create_dir(dir.path().join("outside")).unwrap();
        fs::write(dir.path().join("outside/file.txt"), OUTSIDE).unwrap();
        Self { dir }
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let sandbox = Self::new();
        for (path, text) in files {
            sandbox.write(path, text);
        }
        sandbox
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.dir.path().join("outside")
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    pub(crate) fn repo(&self) -> Repo {
        Repo::open(&self.root()).unwrap()
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        self.repo().snapshot()
    }

    pub(crate) fn refusal(&self, path: &str) -> Refusal {
        self.snapshot().read(&at(path)).unwrap_err()
    }

    pub(crate) fn list(&self, query: &ListQuery) -> Vec<String> {
        let listing = self.snapshot().list(query, &Cancel::default()).unwrap();
        listing.files.iter().map(ToString::to_string).collect()
    }
}

/// The contents of the file outside of the root.
pub(crate) const OUTSIDE: &str = "bytes from outside\n";

pub(crate) fn at(path: &str) -> RepoPath {
    RepoPath::parse(path).unwrap()
}
