//! State of what is trusted, for `doctor`.

use windlass_base::counted;
use windlass_plan::Catalog;
use windlass_site::{Error, Health, HealthFinding, narrowing_lines_listed, secret_paths_health};

use super::{Asked, MadeRunbooks, Standing, TrustService, TrustState};

/// How many programs of a runbook are named.
const PROGRAMS: usize = 3;

impl TrustService {
    /// Looks at the runbooks that are trusted, and at which paths are secret; `catalog` and `made` as for [`TrustService::trusted`].
    #[must_use]
    pub fn health(&self, catalog: &Catalog, made: &MadeRunbooks<'_>) -> [HealthFinding; 2] {
        let trusted = self.trusted(catalog, made);
        let was_trusted = || {
            let trusted = trusted.as_ref();
            trusted.is_ok_and(|trusted| trusted.iter().any(TrustState::is_of_secrets))
        };
        let secrets = secret_paths_health(&self.site, was_trusted);
        [runbook_trust_health(&trusted), secrets]
    }
}

fn runbook_trust_health(trusted: &Result<Vec<TrustState>, Error>) -> HealthFinding {
    let trusted = match trusted {
        Ok(trusted) => trusted,
        Err(error) => return HealthFinding::new("trust", Health::Bad, error.to_string()),
    };
    let runbooks = || trusted.iter().filter(|state| !state.is_of_secrets());
    let current = runbooks().filter(|state| state.standing == Standing::Current);
    let mut found = vec![match current.count() {
        0 => "no runbook may start programs without being asked".to_owned(),
        count => format!("{} may start programs", counted(count, "runbook")),
    }];
    let mut help = None;
    for state in runbooks() {
        let name = &state.record.name;
        match &state.standing {
            Standing::Current | Standing::Earlier => {}
            Standing::Changed { now } => {
                found.push(format!(
                    "`{name}` changed since it was trusted; it asks for {}",
                    asks_for(now)
                ));
                help = help.or_else(|| {
                    let file = state.record.file.as_deref().unwrap_or(name);
                    Some(format!("look at it with `windlass trust {file} --dry-run`; without the option it is trusted anew, with `--revoke` no longer"))
                });
            }
            Standing::Unusable { why } => {
                found.push(format!(
                    "`{name}`, which was trusted, cannot be used: {why}"
                ));
            }
        }
    }
    let health = if found.len() == 1 {
        Health::Good
    } else {
        Health::Fair
    };
    let finding = HealthFinding::new("trust", health, found.join("; "));
    match help {
        Some(help) => finding.help(help),
        None => finding,
    }
}

fn asks_for(now: &Asked) -> String {
    match now {
        Asked::Secrets(report) => narrowing_lines_listed(&report.readable),
        Asked::Runbook(report) if report.commands.is_empty() => "no programs".to_owned(),
        Asked::Runbook(report) => {
            let programs = report.commands.iter();
            let mut named: Vec<String> = programs
                .take(PROGRAMS)
                .map(|program| format!("{} ({}/{})", program.argv, program.runbook, program.step))
                .collect();
            let more = report.commands.len().saturating_sub(PROGRAMS);
            if more > 0 {
                named.push(format!("{more} more programs"));
            }
            named.join(", ")
        }
    }
}
