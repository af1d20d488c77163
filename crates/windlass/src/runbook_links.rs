//! Links where runbooks are looked for. A listing passes them over; who names one, or checks all there is, is told
//! where it leads nowhere.

use windlass_base::RepoPath;
use windlass_repo::{Refusal, Snapshot};

use crate::runbooks::{FOLDERS, files_called, stem};
use crate::{Error, Workspace};
use windlass_site::SiteError;

impl Workspace {
    /// The links in the folders of runbooks that are called like runbooks: sorted, those of no use with what to say of
    /// them.
    #[must_use]
    pub fn linked_runbooks(&self, snapshot: &Snapshot) -> Vec<(RepoPath, Option<Error>)> {
        let folders = FOLDERS
            .iter()
            .filter_map(|folder| RepoPath::parse(folder).ok());
        let links = folders.flat_map(|folder| self.repo().links_in(&folder));
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
    pub(crate) fn dangling_runbook(&self, name: &str) -> Option<Error> {
        let link = files_called(name).find(|file| self.repo().is_link(file))?;
        Some(broken_link(&link, &Refusal::Missing))
    }
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
