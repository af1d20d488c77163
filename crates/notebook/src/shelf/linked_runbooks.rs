//! Symbolic links in the runbook folders. Listing runbooks skips broken links, but naming one or
//! checking all runbooks gives an error.

use windlass_base::RepoPath;
use windlass_repo::{Refusal, Repo, Snapshot};
use windlass_site::{Error, SiteError};

use super::runbook_place::{FOLDERS, files_called, stem};

/// Returns the links in the runbook folders whose file name is that of a runbook, sorted. Broken
/// links come with an error.
pub(super) fn linked_runbooks(repo: &Repo, snapshot: &Snapshot) -> Vec<(RepoPath, Option<Error>)> {
    let folders = FOLDERS
        .iter()
        .filter_map(|folder| RepoPath::parse(folder).ok());
    let links = folders.flat_map(|folder| repo.links_in(&folder));
    links
        .filter(|link| stem(link).is_some())
        .map(|link| {
            let refusal = snapshot.read(&link).err();
            let error = refusal.map(|refusal| broken_link(&link, &refusal));
            (link, error)
        })
        .collect()
}

/// Returns the error for a broken link whose file name is that of the runbook `name`, or `None` if
/// there's no such link.
pub(super) fn dangling_runbook(repo: &Repo, name: &str) -> Option<Error> {
    let link = files_called(name).find(|file| repo.is_link(file))?;
    Some(broken_link(&link, &Refusal::Missing))
}

fn broken_link(link: &RepoPath, refusal: &Refusal) -> Error {
    let why = match refusal {
        Refusal::Missing => "the link is broken".to_owned(),
        Refusal::OutsideRoot => "the link leads out of the repository".to_owned(),
        other => format!("the target of the link: {other}"),
    };
    SiteError::Unreadable {
        file: link.to_string(),
        why,
        missing: matches!(refusal, Refusal::Missing),
        secret: matches!(refusal, Refusal::Secret { .. }),
    }
    .into()
}
