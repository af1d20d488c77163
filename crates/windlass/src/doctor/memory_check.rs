use windlass_base::counted;
use windlass_memory::{MemoryCheck, MemoryCheckRequest};
use windlass_site::{Error, Health, HealthFinding};

use crate::Workspace;

const WHAT: &str = "memory";

/// Checks the Markdown memory, or reports its absence.
pub(super) fn check(workspace: &Workspace) -> HealthFinding {
    match checked(workspace) {
        Ok(Some(check)) => finding(&check),
        Ok(None) => HealthFinding::new(WHAT, Health::Good, "none"),
        Err(error) => HealthFinding::of_error(WHAT, &error),
    }
}

fn checked(workspace: &Workspace) -> Result<Option<MemoryCheck>, Error> {
    let memory = workspace.memory();
    if !memory.read_memory(&workspace.site().snapshot())?.is_there() {
        return Ok(None);
    }
    let request = MemoryCheckRequest {
        fix: false,
        dry_run: true,
    };
    memory.check_memory(request).map(Some)
}

fn finding(check: &MemoryCheck) -> HealthFinding {
    let found = format!(
        "{}, {}, {}",
        counted(check.records, "record"),
        counted(check.errors, "error"),
        counted(check.warnings, "warning")
    );
    match check.valid {
        true => HealthFinding::new(WHAT, Health::Good, found),
        false => HealthFinding::new(WHAT, Health::Bad, found)
            .help("run `windlass memory check` to see the errors"),
    }
}
