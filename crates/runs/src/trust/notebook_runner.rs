//! Tells the notebook which of its runbooks are not trusted.

use windlass_notebook::{RunbookFile, RunbookShelf, Runner};
use windlass_plan::Catalog;
use windlass_repo::Snapshot;

use super::trust_service::TrustService;
use crate::run_catalog::step_catalog;

impl Runner for TrustService {
    fn catalog(&self) -> Catalog {
        step_catalog(&self.site)
    }

    fn why_untrusted(
        &self,
        shelf: &RunbookShelf,
        runbook: &RunbookFile,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Option<String> {
        let trust = Self::of_shelf(&self.site, shelf.clone());
        let permission = trust.permission(runbook, snapshot, catalog, false);
        let is_covered = permission.is_ok_and(|permission| permission.covers(runbook));
        match trust.trust_report(runbook, catalog) {
            Err(error) => Some(error.to_string()),
            Ok(programs) if !programs.commands.is_empty() && !is_covered => {
                Some("it starts programs, but is not trusted to".to_owned())
            }
            Ok(_) => None,
        }
    }
}
