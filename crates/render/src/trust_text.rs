//! Text output for decisions about trust: the permissions requested, and those already granted.

use windlass::base::NextAction;
use windlass::packs::harmless_line;
use windlass::{
    Asked, PluginStanding, PluginTrust, PluginTrustReport, ProgramFile, RouteTrust, SecretsReport,
    Standing, TrustRecord, TrustReport, TrustState,
};

/// Describes what a plugin may do once the user trusts it.
#[must_use]
pub fn plugin_trust_text(report: &PluginTrustReport) -> String {
    let mut text = format!(
        "plugin {} {}  {}  {}\n",
        report.name,
        report.version,
        harmless_line(&report.file),
        report.digest
    );
    if report.grants.is_empty() {
        text.push_str("  uses only its input, and needs no trust\n");
    }
    for grant in &report.grants {
        text.push_str(&format!("  may {}: `{grant}`\n", grant.allows()));
    }
    text
}

/// Describes a route before the user trusts it, and where it really leads if that is another place.
#[must_use]
pub fn route_trust_text(route: &RouteTrust) -> String {
    let leads = match route.leads_to == route.path {
        true => String::new(),
        false => format!("  leads to {}", harmless_line(&route.leads_to)),
    };
    format!(
        "route:{}  {}{leads}  {}\n",
        harmless_line(&route.prefix),
        harmless_line(&route.path),
        route.digest
    )
}

/// Appends the call to trust the subject of `text`.
#[must_use]
pub fn with_next(mut text: String, next: Option<NextAction>) -> String {
    if let Some(next) = next {
        let (call, reason) = (harmless_line(&next.written_out()), next.reason);
        text.push_str(&format!("\nNext\n  {call}  # {reason}\n"));
    }
    text
}

/// Formats a trusted plugin, and points out if its file has changed since.
#[must_use]
pub fn trusted_plugin_line((plugin, now): &(PluginTrust, PluginStanding)) -> String {
    let when = plugin.trusted_at.as_deref().unwrap_or("-");
    let became = match now {
        PluginStanding::Current => String::new(),
        PluginStanding::Changed(now) => {
            format!("  changed since, and not trusted in its current version: {now}")
        }
        PluginStanding::Gone => "  no longer exists".to_owned(),
    };
    format!(
        "plugin:{} {}  {}  {when}  {}{became}\n",
        harmless_line(&plugin.name),
        harmless_line(&plugin.version),
        plugin.digest,
        harmless_line(&plugin.grants.join(", "))
    )
}

/// Formats a trusted runbook or list of secret paths. If it has changed since, this includes what
/// the present version requests.
#[must_use]
pub fn trusted_line(state: &TrustState) -> String {
    let TrustRecord {
        name,
        digest,
        trusted_at,
        ..
    } = &state.record;
    let when = trusted_at.as_deref().unwrap_or("-");
    let became = match &state.standing {
        Standing::Current => String::new(),
        Standing::Earlier => "  an earlier version".to_owned(),
        Standing::Changed { now } => {
            let now = match now {
                Asked::Runbook(report) => trust_text(report),
                Asked::Secrets(report) => secrets_text(report),
            };
            let now = now.lines().map(|line| format!("\n    {line}"));
            let now: String = now.collect();
            format!("  changed since, and not trusted in its current version; it requests{now}")
        }
        Standing::Unusable { why } => format!("  cannot be used: {why}"),
    };
    format!("{name}  {digest}  {when}{became}\n")
}

/// Describes the programs that a runbook can start once the user trusts it, and the limits of that
/// trust.
#[must_use]
pub fn trust_text(report: &TrustReport) -> String {
    let mut text = format!("{}  {}\n", harmless_line(&report.file), report.digest);
    if report.commands.is_empty() {
        text.push_str("  starts no programs\n");
    }
    for program in &report.commands {
        let (runbook, step) = (harmless_line(&program.runbook), &program.step);
        text.push_str(&format!("  {runbook}/{step} runs {}", program.argv));
        for (what, value) in [
            (" in the folder ", &program.cwd),
            (", with the variables ", &program.env),
            (", passing through ", &program.inherit_env),
        ] {
            if let Some(value) = value {
                text.push_str(&format!("{what}{value}"));
            }
        }
        text.push('\n');
    }
    for condition in &report.asks {
        let condition = harmless_line(condition);
        let reads = match condition.starts_with("env.") {
            true => "reads the environment: ",
            false => "",
        };
        text.push_str(&format!(
            "  {reads}{condition}; the result is written to the log\n"
        ));
    }
    for ProgramFile { file, digest } in &report.programs {
        let what = digest.map_or_else(|| "no such file".to_owned(), |digest| digest.to_string());
        let file = harmless_line(file.as_str());
        text.push_str(&format!("  starts {file}  {what}\n"));
    }
    for (step, paths) in &report.unpinned {
        let paths = harmless_line(&paths.to_string());
        text.push_str(&format!(
            "  {step} excludes {paths}; changes to those do not revoke trust\n"
        ));
    }
    for (step, reasons) in &report.open_reasons {
        text.push_str(&format!(
            "  {step} may start or load other files; changes to those do not revoke trust:\n"
        ));
        for reason in reasons {
            text.push_str(&format!("    {}\n", harmless_line(reason)));
        }
    }
    for step in &report.open_ended {
        text.push_str(&format!(
            "  {step} runs a runbook that is determined at run time, and needs its own trust\n"
        ));
    }
    text
}

/// Lists the paths that become readable by the `!` lines of a list of secret paths.
#[must_use]
pub fn secrets_text(report: &SecretsReport) -> String {
    let mut text = format!("{}  {}\n", report.file, report.digest);
    if report.readable.is_empty() {
        text.push_str("  makes no paths readable\n");
    }
    for line in &report.readable {
        text.push_str(&format!("  {}\n", line.text));
    }
    text
}
