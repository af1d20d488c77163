use windlass_notebook::RunbookShelf;
use windlass_site::Site;

/// Permission to start programs, and to make secret paths readable: what the user has reviewed, by digest.
#[derive(Debug, Clone)]
pub struct TrustService {
    pub(super) site: Site,
    pub(super) shelf: RunbookShelf,
}

impl TrustService {
    /// Creates the service of `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self::of_shelf(site, RunbookShelf::new(site))
    }

    /// The same, where the runbooks of `shelf` are meant.
    #[must_use]
    pub(crate) fn of_shelf(site: &Site, shelf: RunbookShelf) -> Self {
        Self {
            site: site.clone(),
            shelf,
        }
    }
}
