use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_engine::Step;
use windlass_plan::Plan;

use windlass_site::Error;

use super::find_plugins::{PREFIX, Plugins};
use super::plugin_service::PluginService;
use crate::World;

impl PluginService {
    /// Creates step kinds for the plugins in `plan`.
    ///
    /// Each gets the capabilities that both the runbook and the user grant. We skip missing
    /// plugins.
    ///
    /// # Errors
    /// Returns an error if reading the list of trusted plugins fails.
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
            // The plan was checked with these plugins, so a missing one has already been reported.
            let Some(Ok(found)) = plugins.find(uses) else {
                continue;
            };
            let asked = found.plugin.component().asks().capabilities();
            let mut granted = plan.permissions().of_kind(uses);
            granted.retain(|one| asked.contains(one));
            // Most plugins request no capabilities, so we don't have to read the grants.
            if !granted.is_empty() {
                let trusted = self.plugin_grants(&found.plugin.component().digest())?;
                granted.retain(|one| trusted.contains(one));
            }
            let help =
                format!("run `windlass trust {uses} --dry-run` to see its requested capabilities");
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
