//! Checks the notebook for `windlass doctor`.

use windlass_base::counted;
use windlass_site::{Health, HealthFinding};

use super::NotebookFile;

impl NotebookFile {
    /// Checks the notebook for `doctor`. All of it should be readable, and there should be no
    /// damaged notebooks that were moved aside.
    #[must_use]
    pub fn health(&self) -> HealthFinding {
        const WHAT: &str = "notebook";
        if !self.is_enabled() {
            return HealthFinding::new(WHAT, Health::Fair, "switched off")
                .help("unset WINDLASS_NOTEBOOK, and set HOME, to save anchors and runbooks");
        }
        let notebook = match self.read() {
            Ok(notebook) => notebook,
            Err(error) => return HealthFinding::new(WHAT, Health::Bad, error.to_string()),
        };
        let found = format!(
            "{} and {} in {}",
            counted(notebook.anchors().len(), "anchor"),
            counted(notebook.runbooks().len(), "runbook"),
            self.path().display()
        );
        match notebook.damage() {
            [] => HealthFinding::new(WHAT, Health::Good, found),
            damage => {
                let told: Vec<String> = damage.iter().map(ToString::to_string).collect();
                let found = format!("{found}; {}", told.join("; "));
                HealthFinding::new(WHAT, Health::Bad, found)
            }
        }
    }
}
