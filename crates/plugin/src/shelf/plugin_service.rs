use std::sync::Arc;

use windlass_base::Cancel;
use windlass_site::Site;

use super::find_plugins::Plugins;

/// Plugins available to a repository's runbooks: lookup and grants.
#[derive(Debug, Clone)]
pub struct PluginService {
    pub(super) site: Site,
}

impl PluginService {
    /// Creates the service for `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// Returns the plugins, in one state for the whole job.
    #[must_use]
    pub fn plugins(&self) -> Arc<Plugins> {
        self.plugins_until(&Cancel::default())
    }

    /// Returns the plugins like [`Self::plugins`], with lookups that end early if `cancel` is
    /// triggered.
    #[must_use]
    pub fn plugins_until(&self, cancel: &Cancel) -> Arc<Plugins> {
        Arc::new(Plugins::of(&self.site, cancel.clone()))
    }
}
