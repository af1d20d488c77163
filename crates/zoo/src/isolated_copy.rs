//! Copies a user's repository for measured programs.
//!
//! The copy has no history, whose commit messages are the questions, and no files of cases, which
//! contain the answers. A program that finds either would look better than it is.

use std::path::{Path, PathBuf};

use crate::ZooError;
use crate::edits::git;
use crate::folder::{own_folder, put_bytes};
use crate::run_plan::Doing;
use crate::user_files::UserFiles;

/// A redacted copy of the searchable files, deleted on drop.
#[derive(Debug)]
pub(crate) struct IsolatedCopy {
    root: PathBuf,
    _folder: tempfile::TempDir,
}

impl IsolatedCopy {
    /// Copies `files` into a folder called `name`. Some tools need a git repository, so the folder
    /// becomes one with a single commit.
    ///
    /// # Errors
    ///
    /// Returns an error if git or the file system fails, or the run is stopped.
    pub(crate) fn of(files: &UserFiles, name: &str, doing: &Doing<'_>) -> Result<Self, ZooError> {
        let folder = own_folder()?;
        let root = folder.path().join("alone").join(name);
        for (path, shown) in files.shown() {
            doing.go_on()?;
            put_bytes(&root.join(path.as_str()), &shown)?;
        }
        commit_all(&root)
            .map_err(|error| ZooError::Data(format!("its files cannot be copied: {error}")))?;
        Ok(Self {
            root,
            _folder: folder,
        })
    }

    /// Returns the root of the copy.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }
}

fn commit_all(root: &Path) -> Result<(), Box<dyn std::error::Error>> {
    const AUTHOR: [&str; 4] = ["-c", "user.name=zoo", "-c", "user.email=zoo@localhost"];
    git(root, &["init", "-q"])?;
    git(root, &["add", "--all"])?;
    let how = [
        "commit",
        "-q",
        "--allow-empty",
        "--no-gpg-sign",
        "-m",
        "the files as they are",
    ];
    git(root, &[&AUTHOR[..], &how].concat())?;
    Ok(())
}
