use windlass_base::counted;
use windlass_ledger::Check;
use windlass_site::{Error, Health, HealthFinding};

use crate::Workspace;

const WHAT: &str = "ledger";

/// Checks the event log of the shared work, and everything derived from it.
pub(super) fn check(workspace: &Workspace) -> HealthFinding {
    match verified(workspace) {
        Ok(check) => finding(&check),
        Err(error) => HealthFinding::of_error(WHAT, &error),
    }
}

fn verified(workspace: &Workspace) -> Result<Check, Error> {
    workspace.ledger().open(None, "doctor")?.events().verify()
}

fn finding(check: &Check) -> HealthFinding {
    let mut wrong = check.findings.iter().filter(|finding| finding.is_wrong);
    let Some(first) = wrong.next() else {
        let events = match check.events {
            0 => "no events".to_owned(),
            events => counted(usize::try_from(events).unwrap_or(usize::MAX), "event"),
        };
        return HealthFinding::new(WHAT, Health::Good, events);
    };
    let more = match wrong.count() {
        0 => String::new(),
        more => format!(" (and {})", counted(more, "more problem")),
    };
    let found = format!("{}{more}", first.message);
    HealthFinding::new(WHAT, Health::Bad, found)
        .help("run `windlass events verify` to see all problems")
}
