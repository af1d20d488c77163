use std::path::PathBuf;

use windlass_base::RepoPath;

use crate::guard::slashed;
use crate::{Refusal, Repo};

/// All files of a folder, as far as they were counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilesBelow {
    /// The files, in the order of their paths. Links are named and not followed.
    pub files: Vec<RepoPath>,
    /// True if the folder holds no other file.
    pub complete: bool,
}

impl Repo {
    /// Returns the files at any depth below `folder`, ignored and hidden ones too, at most `limit` of them. Git's own
    /// folders are left out.
    ///
    /// # Errors
    /// When `folder` is no folder of the repository, or the system refuses to list one.
    pub fn files_below(&self, folder: &RepoPath, limit: usize) -> Result<FilesBelow, Refusal> {
        let mut below = FilesBelow {
            complete: true,
            ..FilesBelow::default()
        };
        let (mut folders, mut seen): (Vec<PathBuf>, usize) = (vec![self.folder(folder)?], 0);
        while let Some(next) = folders.pop() {
            #[expect(
                clippy::disallowed_methods,
                reason = "a folder that the guard resolved"
            )]
            let entries = std::fs::read_dir(&next).map_err(|error| Refusal::from_io(&error))?;
            for entry in entries {
                let entry = entry.map_err(|error| Refusal::from_io(&error))?;
                if entry.file_name().eq_ignore_ascii_case(".git") {
                    continue;
                }
                seen += 1;
                if seen > limit {
                    below.complete = false;
                    below.files.sort_unstable();
                    return Ok(below);
                }
                let kind = entry
                    .file_type()
                    .map_err(|error| Refusal::from_io(&error))?;
                if kind.is_dir() {
                    folders.push(entry.path());
                    continue;
                }
                let path = entry.path();
                let inside = path
                    .strip_prefix(self.root())
                    .ok()
                    .filter(|path| path.to_str().is_some());
                let inside = inside.map(slashed);
                match inside.and_then(|inside| RepoPath::parse(&inside).ok()) {
                    Some(file) => below.files.push(file),
                    // A name that is no text.
                    None => below.complete = false,
                }
            }
        }
        below.files.sort_unstable();
        Ok(below)
    }
}
