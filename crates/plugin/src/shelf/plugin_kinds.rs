use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_engine::Step;
use windlass_plan::Plan;

use windlass_site::Error;

use super::find_plugins::{PREFIX, Plugins};
use super::plugin_service::PluginService;
use crate::World;

impl PluginService {
    /// The plugins that the steps of `plan` use, ready to run with what both the runbook and the user grant them.
    ///
    /// # Errors
    /// When the list of what is trusted cannot be read.
    pub fn kinds(
        &self,
        plan: &Plan,
        plugins: &Plugins,
        world: &Arc<dyn World>,
    ) -> Result<Vec<Arc<dyn Step>>, Error> {
        let used = plan.steps().iter().map(|step| &*step.uses);
        let used: BTreeSet<&str> = used.filter(|uses| uses.starts_with(PREFIX)).collect();
        let mut kinds: Vec<Arc<dyn Step>> = Vec::new();
        for uses in used {
            // The plan was checked with it.
            let Some(Ok(found)) = plugins.find(uses) else {
                continue;
            };
            let asked = found.plugin.component().asks().capabilities();
            let mut granted = plan.permissions().of_kind(uses);
            granted.retain(|one| asked.contains(one));
            // Most plugins ask for nothing, and reading the list would be for nothing.
            if !granted.is_empty() {
                let trusted = self.plugin_grants(&found.plugin.component().digest())?;
                granted.retain(|one| trusted.contains(one));
            }
            let help = format!("`windlass trust {uses} --dry-run` says what it asks for");
            kinds.push(Arc::new(found.plugin.step(
                uses,
                granted,
                Some(help),
                Arc::clone(world),
            )));
        }
        Ok(kinds)
    }
}
