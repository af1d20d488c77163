use windlass_base::RepoPath;
use windlass_repo::RepoKind;
use windlass_store::write_shared;

use crate::{Error, SECRETS_FILE, Site};

const EMPTY_LIST: &str = "# Secret paths in addition to the built-in list, one glob per line: `config/prod/**`.\n\
                          # Without git, the folder `.windlass` marks the root of the repository.\n";

/// Marks the root of a folder without git, so that commands in its subfolders find it.
///
/// The mark is an empty list of secret paths. Returns the new file, or `None` if there's a mark
/// already or the folder is a git repository.
///
/// # Errors
/// Returns an error if writing the file fails.
pub fn mark_root(site: &Site) -> Result<Option<RepoPath>, Error> {
    let mark = RepoPath::parse(SECRETS_FILE)?;
    let root = site.files().root_place();
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
