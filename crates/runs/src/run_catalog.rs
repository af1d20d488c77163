use std::sync::Arc;

use windlass_plan::Catalog;
use windlass_plugin::{PluginService, Plugins};
use windlass_site::Site;

/// Returns the step kinds available to the runbooks of `site`: the built-in kinds and those of its
/// plugins. We don't load a plugin until one of its kinds is used.
#[must_use]
pub fn step_catalog(site: &Site) -> Catalog {
    catalog_with(&PluginService::new(site).plugins())
}

/// Returns the built-in step kinds and those of `plugins`.
pub(crate) fn catalog_with(plugins: &Arc<Plugins>) -> Catalog {
    windlass_steps::catalog().with_source(Arc::clone(plugins) as _)
}
