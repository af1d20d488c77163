//! Symbolic links in the runbook folders. Lists of runbooks skip broken links, but if the user
//! names one or checks all runbooks, it is an error.

use windlass_base::RepoPath;
use windlass_repo::{Refusal, Repo, Snapshot};
use windlass_site::{Error, SiteError};

use super::runbook_place::{FOLDERS, files_called, stem};

/// Finds links in the runbook folders that are named like a runbook, sorted. Broken ones come with
/// an error.
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

/// Returns an error if a runbook `name` was not found because its file is a broken link. "No such
/// runbook" would be confusing then, as `ls` shows the file.
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
