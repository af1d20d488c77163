use windlass_base::counted;
use windlass_ledger::{Check, ShareStatus};
use windlass_site::{Error, Health, HealthFinding};

use crate::Workspace;

const WHAT: &str = "ledger";
const SHARED: &str = "shared ledger";

/// Checks the event log of shared work, and whatever is derived from it.
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

/// Checks the connection to the shared log and the settings of its server. If the ledger is not
/// shared, there are no findings.
pub(super) fn shared(workspace: &Workspace) -> Vec<HealthFinding> {
    let opened = workspace.ledger().open(None, "doctor");
    match opened.and_then(|mut ledger| ledger.sharing().status()) {
        Ok(Some(status)) => shared_findings(&status),
        // The other check has already reported this error.
        Ok(None) | Err(_) => Vec::new(),
    }
}

fn shared_findings(status: &ShareStatus) -> Vec<HealthFinding> {
    if let Some(since) = status.offline_since {
        let found = format!("offline since {since} by request; changes stay on this machine");
        let finding = HealthFinding::new(SHARED, Health::Good, found);
        return vec![finding.help("run `windlass ledger online` to merge and share again")];
    }
    if let Some(problem) = &status.problem {
        let finding = HealthFinding::new(SHARED, Health::Bad, problem.clone());
        return vec![
            finding
                .help("run `windlass ledger status` to see the location and the age of this copy"),
        ];
    }
    let found = format!(
        "`{}` is reachable; its clock is {} ms ahead of this machine's",
        status.location, status.clock_ahead_ms
    );
    let mut findings = vec![HealthFinding::new(SHARED, Health::Good, found)];
    findings.extend(status.findings.iter().map(|(is_problem, found)| {
        let health = if *is_problem {
            Health::Bad
        } else {
            Health::Good
        };
        HealthFinding::new(SHARED, health, found.clone())
    }));
    findings
}
