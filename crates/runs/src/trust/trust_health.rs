//! Checks the trust list for `doctor`.

use windlass_base::counted;
use windlass_plan::Catalog;
use windlass_site::{Error, Health, HealthFinding, narrowing_lines_listed, secret_paths_health};

use super::{Asked, MadeRunbooks, Standing, TrustService, TrustState};

/// Maximum number of programs to list for each runbook. The others are only counted.
const MAX_PROGRAMS: usize = 3;

impl TrustService {
    /// Checks the trusted runbooks and the list of secret paths. The arguments are those of
    /// [`TrustService::trusted`].
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
        0 => "no runbook is trusted to start programs".to_owned(),
        count => format!("{} may start programs", counted(count, "runbook")),
    }];
    let mut help = None;
    for state in runbooks() {
        let name = &state.record.name;
        match &state.standing {
            Standing::Current | Standing::Earlier => {}
            Standing::Changed { now } => {
                found.push(format!(
                    "`{name}` changed since it was trusted; it requests {}",
                    asks_for(now)
                ));
                help = help.or_else(|| {
                    let file = state.record.file.as_deref().unwrap_or(name);
                    Some(format!("review it with `windlass trust {file} --dry-run`; then trust it again without the option, or revoke trust with `--revoke`"))
                });
            }
            Standing::Unusable { why } => {
                found.push(format!("trusted `{name}` cannot be used: {why}"));
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
                .take(MAX_PROGRAMS)
                .map(|program| format!("{} ({}/{})", program.argv, program.runbook, program.step))
                .collect();
            let more = report.commands.len().saturating_sub(MAX_PROGRAMS);
            if more > 0 {
                named.push(format!("{more} more programs"));
            }
            named.join(", ")
        }
    }
}
