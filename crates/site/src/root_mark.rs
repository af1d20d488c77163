use windlass_base::RepoPath;
use windlass_repo::RepoKind;
use windlass_store::{RootedPath, write_shared};

use crate::{Error, SECRETS_FILE, Site};

/// Contents of a new list of secret paths without entries.
const EMPTY_LIST: &str = "# Secret paths in addition to the built-in list, one glob per line: `config/prod/**`.\n\
                          # Without git, the folder `.windlass` marks the root of the repository.\n";

/// Writes a file that marks the root of a folder without git, so that commands in its subfolders
/// can find the root. Returns the file, or `None` if the root has already been marked.
///
/// # Errors
///
/// Returns an error if the file cannot be written.
pub fn mark_root(site: &Site) -> Result<Option<RepoPath>, Error> {
    let mark = RepoPath::parse(SECRETS_FILE)?;
    let root = RootedPath::new(site.repo().root());
    let is_marked = site.repo().identity().kind == RepoKind::Git
        || mark
            .parent()
            .is_none_or(|folder| root.join(folder.as_str()).is_there());
    if is_marked {
        return Ok(None);
    }
    write_shared(&site.files().place_of(&mark)?, EMPTY_LIST.as_bytes())?;
    Ok(Some(mark))
}
