use std::sync::Arc;

use windlass_base::Cancel;
use windlass_site::Site;

use super::find_plugins::Plugins;

/// Finds and trusts the plugins that a repository's runbooks can use.
#[derive(Debug, Clone)]
pub struct PluginService {
    pub(super) site: Site,
}

impl PluginService {
    /// Creates the service for one repository and its user.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// Returns a view of the plugins that stays the same for a whole job.
    #[must_use]
    pub fn plugins(&self) -> Arc<Plugins> {
        self.plugins_until(&Cancel::default())
    }

    /// Does the same as [`Self::plugins`], but lookups end early once `cancel` is triggered.
    #[must_use]
    pub fn plugins_until(&self, cancel: &Cancel) -> Arc<Plugins> {
        Arc::new(Plugins::of(&self.site, cancel.clone()))
    }
}
