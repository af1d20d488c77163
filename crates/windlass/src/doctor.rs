use windlass_site::{HealthFinding, data_folder_health, git_health, repository_health};

use crate::Workspace;

/// Checks everything that windlass depends on, with advice on each problem.
#[must_use]
pub fn doctor(workspace: &Workspace) -> Vec<HealthFinding> {
    let site = workspace.site();
    let catalog = workspace.runs().step_catalog();
    let made = |name: &str| workspace.molecules().runbook_called(name);
    let mut findings = vec![
        repository_health(site),
        git_health(site),
        workspace.runbooks().health(&catalog),
        workspace.notebook().file().health(),
        data_folder_health(site),
        workspace.kept_packs().health(),
    ];
    findings.extend(workspace.trust().health(&catalog, &made));
    findings
}
