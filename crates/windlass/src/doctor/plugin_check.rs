use std::collections::BTreeSet;

use windlass_plugin::{NotGranted, PluginReport, PluginStanding};
use windlass_site::{Error, Health, HealthFinding, PluginTrust};

use crate::Workspace;

const WHAT: &str = "plugin";

/// Checks that each plugin can be loaded, that it is the one that the user trusts, and that it has
/// been granted all capabilities it requests.
pub(super) fn check(workspace: &Workspace) -> Vec<HealthFinding> {
    let service = workspace.plugins();
    let mut findings = Vec::new();
    let mut present = BTreeSet::new();
    for (place, plugin) in service.list_plugins() {
        match plugin {
            Ok(plugin) => {
                present.insert(plugin.card.name.clone());
                findings.push(usable(workspace, &plugin));
            }
            Err(why) => {
                let help = format!("run `windlass plugin inspect {place}` to see the cause");
                findings.push(HealthFinding::new(WHAT, Health::Bad, why).help(help));
            }
        }
    }
    match service.trusted_plugins() {
        Ok(trusted) => findings.extend(
            trusted
                .iter()
                .filter_map(|(trust, standing)| changed(trust, *standing, &present)),
        ),
        Err(error) => findings.push(HealthFinding::of_error(WHAT, &error)),
    }
    findings
}

/// Reports a plugin that can be loaded, with the grants that it lacks.
fn usable(workspace: &Workspace, plugin: &PluginReport) -> HealthFinding {
    let named = format!("`{}` {}", plugin.card.name, plugin.card.version);
    let missing: Result<Option<NotGranted>, Error> = match &plugin.uses {
        Some(uses) => workspace.plugins().not_granted(uses),
        None => Ok(None),
    };
    match missing {
        Ok(None) => {
            let found = format!("{named}, {}", plugin.digest);
            HealthFinding::new(WHAT, Health::Good, found)
        }
        Ok(Some(lacks)) => {
            let found = format!("{named}: {}", lacks.why());
            HealthFinding::new(WHAT, Health::Fair, found).help(lacks.help())
        }
        Err(error) => HealthFinding::of_error(WHAT, &error),
    }
}

/// Reports a trusted plugin whose digest has changed. It is fine if the plugin is missing, because
/// trust does not mean that this repository uses it.
fn changed(
    trust: &PluginTrust,
    standing: PluginStanding,
    present: &BTreeSet<String>,
) -> Option<HealthFinding> {
    let PluginStanding::Changed(now) = standing else {
        return None;
    };
    if !present.contains(&trust.name) {
        return None;
    }
    let name = &trust.name;
    let found = format!("`{name}` changed since it was trusted: it is now {now}");
    let file = trust.file.as_ref().unwrap_or(name);
    let help = format!("run `windlass trust {file} --dry-run` to see what it requests now");
    Some(HealthFinding::new(WHAT, Health::Fair, found).help(help))
}
