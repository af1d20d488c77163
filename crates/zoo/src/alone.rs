//! The files of a repository of the user's alone, for programs that are measured on it: a commit that asks stands in its history with the
//! files it changed, and a file of cases has the answers in it. Who is to find them is given neither.

use std::path::{Path, PathBuf};

use crate::ZooError;
use crate::edits::git;
use crate::folder::{own_folder, put_bytes};
use crate::own_files::OwnFiles;
use crate::run_plan::Doing;

/// A copy of the files that a search reads, as they may be shown; gone when nobody needs it any more.
#[derive(Debug)]
pub(crate) struct Alone {
    root: PathBuf,
    _folder: tempfile::TempDir,
}

impl Alone {
    /// Of `files`; its folder is called `name`. It is a git repository of one commit, for tools that need one.
    ///
    /// # Errors
    /// When git or the file system cannot, or it is stopped.
    pub(crate) fn of(files: &OwnFiles, name: &str, doing: &Doing<'_>) -> Result<Self, ZooError> {
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

    /// Where they are.
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
