//! Documents that the user names on the command line and that lie outside of the repository.

use std::fs::OpenOptions;
use std::io::Read as _;
use std::path::Path;

use windlass_base::RepoPath;

use crate::{Refusal, Repo};

/// Reads a document outside of any repository; the user named it, so only its kind and size are checked.
///
/// # Errors
/// When it cannot be read, is no regular file, or has more than `max_bytes` bytes.
pub fn read_foreign(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Refusal> {
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => Refusal::Missing,
        _ => Refusal::Unreadable {
            why: error.to_string(),
        },
    };
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if metadata.is_dir() {
        return Err(Refusal::Directory);
    }
    if !metadata.is_file() {
        return Err(Refusal::NotRegular {
            what: "a device or pipe".into(),
        });
    }
    let too_large = |bytes| Refusal::TooLarge {
        bytes,
        limit: max_bytes,
    };
    if metadata.len() > max_bytes {
        return Err(too_large(metadata.len()));
    }
    let file = OpenOptions::new().read(true).open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > max_bytes {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

impl Repo {
    /// `path` as a path of this repository, if it lies in it. Links on the way are followed; whether the
    /// file itself is there does not matter.
    #[must_use]
    pub fn path_of(&self, path: &Path) -> Option<RepoPath> {
        let (folder, name) = (path.parent()?, path.file_name()?);
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let folder = std::fs::canonicalize(folder).ok()?;
        let inside = folder.strip_prefix(self.root()).ok()?.join(name);
        let parts: Option<Vec<&str>> = inside.iter().map(|part| part.to_str()).collect();
        RepoPath::parse(&parts?.join("/")).ok()
    }
}
