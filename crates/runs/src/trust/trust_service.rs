use windlass_notebook::RunbookShelf;
use windlass_site::Site;

/// Manages the user's trust in runbooks that start programs, and in the list of secret paths.
#[derive(Debug, Clone)]
pub struct TrustService {
    pub(super) site: Site,
    pub(super) shelf: RunbookShelf,
}

impl TrustService {
    /// Creates the service. Nothing is read from disk yet.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self::of_shelf(site, RunbookShelf::new(site))
    }

    /// Like [`new`](Self::new), but finds runbooks in `shelf`.
    #[must_use]
    pub(crate) fn of_shelf(site: &Site, shelf: RunbookShelf) -> Self {
        Self {
            site: site.clone(),
            shelf,
        }
    }
}
