use std::sync::Arc;

use windlass_base::Cancel;
use windlass_site::Site;

use super::find_plugins::Plugins;

/// The plugins that runbooks of a repository may use: where they are found, and what they are granted.
#[derive(Debug, Clone)]
pub struct PluginService {
    pub(super) site: Site,
}

impl PluginService {
    /// Those of `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// The plugins there are, in one state for one job.
    #[must_use]
    pub fn plugins(&self) -> Arc<Plugins> {
        self.plugins_until(&Cancel::default())
    }

    /// The same, as long as somebody waits for them.
    #[must_use]
    pub fn plugins_until(&self, cancel: &Cancel) -> Arc<Plugins> {
        Arc::new(Plugins::of(&self.site, cancel.clone()))
    }
}
