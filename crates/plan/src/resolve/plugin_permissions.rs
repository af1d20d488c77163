use std::collections::BTreeSet;

use windlass_base::Diagnostic;

use super::Resolution;
use crate::permissions::plugin_of;
use crate::quote::cut;
use crate::{Capability, KindSpec, PlanParts};

pub(super) struct PluginPermissions<'r, 'a>(pub(super) &'r mut Resolution<'a>);

impl PluginPermissions<'_, '_> {
    pub(super) fn check(&mut self, at: usize, kind: &KindSpec) {
        let Some(plugin) = plugin_of(&kind.name) else {
            return;
        };
        let permissions = self.0.runbook.permissions.as_ref();
        let allowed = permissions.and_then(|all| all.plugins.get(plugin));
        let is_missing = |one: &&Capability| !allowed.is_some_and(|all| all.contains(one));
        let missing: Vec<&str> = kind
            .asks
            .iter()
            .filter(is_missing)
            .map(|one| one.as_str())
            .collect();
        if missing.is_empty() {
            return;
        }
        let all: Vec<&str> = kind.asks.iter().map(|one| one.as_str()).collect();
        let message = format!(
            "`{}` requires permissions that the runbook does not grant: {}",
            kind.name,
            missing.join(", ")
        );
        let help = format!(
            "to grant them, add at the top: `permissions: {{ plugins: {{ '{plugin}': [{}] }} }}`",
            all.join(", ")
        );
        let wrong = Diagnostic::error("not-permitted", message).help(help);
        self.0.report(self.0.places.step(at, &["uses"]), wrong);
    }

    /// Warns about permissions for plugins that no step uses.
    ///
    /// Otherwise, a step with such a plugin could be added later, and nobody would notice that it
    /// already has these permissions.
    pub(super) fn report_unused(&mut self, parts: &PlanParts) {
        let steps = parts.steps.iter();
        let used: BTreeSet<&str> = steps.filter_map(|step| plugin_of(&step.uses)).collect();
        for plugin in parts.permissions.plugins.keys() {
            if !used.contains(&**plugin) {
                let message = format!("no step uses the plugin `{}`", cut(plugin));
                let wrong = Diagnostic::warning("unused-permission", message)
                    .help("remove unused permissions");
                let place = self.0.places.root(&["permissions", "plugins", plugin]);
                self.0.report(place, wrong);
            }
        }
    }
}
