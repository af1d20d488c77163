//! Checks everything that Windlass depends on. To add a check, append it to [`CHECKS`].

mod ledger_check;
mod memory_check;
mod plugin_check;
mod program_check;

use std::path::Path;

use windlass_site::{HealthFinding, data_folder_health, git_health, repository_health};

use crate::Workspace;

/// A check of one thing. It returns no findings if there's nothing to check.
type Check = fn(&Workspace) -> Vec<HealthFinding>;

/// All checks. The findings are reported in this order.
const CHECKS: [Check; 12] = [
    |workspace| vec![repository_health(workspace.site())],
    |workspace| vec![git_health(workspace.site())],
    |workspace| workspace.impact().hook_health().into_iter().collect(),
    |workspace| {
        vec![
            workspace
                .runbooks()
                .health(&workspace.runs().step_catalog()),
        ]
    },
    |workspace| vec![workspace.notebook().file().health()],
    |workspace| vec![ledger_check::check(workspace)],
    ledger_check::shared,
    |workspace| vec![memory_check::check(workspace)],
    plugin_check::check,
    |workspace| vec![data_folder_health(workspace.site())],
    |workspace| vec![workspace.kept_packs().health()],
    trust_check,
];

/// Checks everything that Windlass depends on, and gives advice on each problem. `program` is the
/// path of the running executable, if it's known.
#[must_use]
pub fn doctor(workspace: &Workspace, program: Option<&Path>) -> Vec<HealthFinding> {
    let mut findings = vec![program_check::check(workspace, program)];
    findings.extend(CHECKS.iter().flat_map(|check| check(workspace)));
    findings
}

fn trust_check(workspace: &Workspace) -> Vec<HealthFinding> {
    let catalog = workspace.runs().step_catalog();
    let made = |name: &str| workspace.molecules().runbook_called(name);
    workspace.trust().health(&catalog, &made).into()
}
