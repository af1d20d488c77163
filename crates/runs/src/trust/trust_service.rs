use windlass_notebook::RunbookShelf;
use windlass_site::Site;

/// What may start programs, and whether the repository may make secret paths readable: what the user looked at, by
/// digest.
#[derive(Debug, Clone)]
pub struct TrustService {
    pub(super) site: Site,
    pub(super) shelf: RunbookShelf,
}

impl TrustService {
    /// That of `site`.
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
