//! Links where runbooks are looked for. A listing passes them over; who names one, or checks all there is, is told
//! where it leads nowhere.

use windlass_base::RepoPath;
use windlass_repo::{Refusal, Repo, Snapshot};
use windlass_site::{Error, SiteError};

use super::runbook_place::{FOLDERS, files_called, stem};

/// The links in the folders of runbooks that are called like runbooks: sorted, those of no use with what to say of
/// them.
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

/// What to say of a link that is called like the runbook `name` and leads nowhere, if there is one.
pub(super) fn dangling_runbook(repo: &Repo, name: &str) -> Option<Error> {
    let link = files_called(name).find(|file| repo.is_link(file))?;
    Some(broken_link(&link, &Refusal::Missing))
}

fn broken_link(link: &RepoPath, refusal: &Refusal) -> Error {
    let why = match refusal {
        Refusal::Missing => "it is a link to nothing".to_owned(),
        Refusal::OutsideRoot => "it is a link that leads out of the repository".to_owned(),
        other => format!("it is a link, and of what it leads to: {other}"),
    };
    SiteError::Unreadable {
        file: link.to_string(),
        why,
        missing: matches!(refusal, Refusal::Missing),
        secret: matches!(refusal, Refusal::Secret { .. }),
    }
    .into()
}
