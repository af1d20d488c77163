use std::sync::Arc;

use windlass_plan::Catalog;
use windlass_plugin::{PluginService, Plugins};
use windlass_site::Site;

/// Returns the step kinds that runbooks of `site` can use: the built-in ones and those of its
/// plugins. Loading a plugin is slow, so that only happens when one of its kinds is used.
#[must_use]
pub fn step_catalog(site: &Site) -> Catalog {
    catalog_with(&PluginService::new(site).plugins())
}

pub(crate) fn catalog_with(plugins: &Arc<Plugins>) -> Catalog {
    windlass_steps::catalog().with_source(Arc::clone(plugins) as _)
}
