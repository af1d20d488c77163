//! Checks the runbooks for `windlass doctor`.

use windlass_plan::Catalog;
use windlass_repo::Snapshot;
use windlass_site::{Health, HealthFinding};

use super::{RunbookEntry, RunbookShelf};

impl RunbookShelf {
    /// Checks all runbooks for `doctor`. They should be valid, and only use step kinds from
    /// `catalog`.
    #[must_use]
    pub fn health(&self, catalog: &Catalog) -> HealthFinding {
        const WHAT: &str = "runbooks";
        let snapshot = self.site().snapshot();
        let entries = self.all(&snapshot);
        if entries.is_empty() {
            // A folder like `.git` itself has no files to run a runbook on, so `init` wouldn't help
            // there.
            let help = match self.site().repo().is_git_folder() {
                true => "windlass works in a working tree; `git worktree add` makes one",
                false => "`windlass init` writes one that fits",
            };
            return HealthFinding::new(WHAT, Health::Fair, "none").help(help);
        }
        let broken = entries
            .iter()
            .filter(|entry| !self.is_valid(entry, &entries, &snapshot, catalog));
        let broken: Vec<String> = broken.map(|entry| entry.place.to_string()).collect();
        if broken.is_empty() {
            let found = format!("{} valid", entries.len());
            return HealthFinding::new(WHAT, Health::Good, found);
        }
        let found = format!("not valid: {}", broken.join(", "));
        HealthFinding::new(WHAT, Health::Bad, found).help(format!(
            "run `windlass check {}` to see the errors",
            broken.join(" ")
        ))
    }

    /// True if `entry` is valid and no other runbook has the same name. `all` contains all runbooks
    /// available by name.
    #[must_use]
    pub fn is_valid(
        &self,
        entry: &RunbookEntry,
        all: &[RunbookEntry],
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> bool {
        self.find(&entry.place.to_string(), self.root(), snapshot, catalog)
            .and_then(|runbook| self.check_name(runbook, all, snapshot))
            .is_ok()
    }
}
