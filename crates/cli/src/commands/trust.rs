use std::path::Path;

use serde::Serialize;
use windlass::base::{Digest, NextAction, counted};
use windlass::pack::harmless_line;
use windlass::{
    Asked, Error, PluginStanding, PluginTrust, PluginTrustReport, ProgramFile, RouteTrust,
    SECRETS_FILE, SecretsReport, Standing, TrustRecord, TrustReport, TrustState, Workspace,
};

use super::{Failure, print_data, tell_troubles};
use crate::args::{OutputFormat, TrustArgs, TrustDigest};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, args: &TrustArgs, screen: &Screen) -> Result<Exit, Failure> {
    let workspace = workspace(root)?;
    let Some(name) = &args.runbook else {
        return list(&workspace, args, screen);
    };
    if let Some(prefix) = name.strip_prefix("route:") {
        return trust_route(&workspace, prefix, args, screen);
    }
    let is_plugin = ["plugin:", "oci://"]
        .iter()
        .any(|start| name.starts_with(start))
        || name.ends_with(".wasm");
    if args.revoke {
        return revoke(&workspace, name, is_plugin, screen);
    }
    if is_plugin {
        return trust_plugin(&workspace, name, args, screen);
    }
    if name == SECRETS_FILE {
        return trust_secrets(&workspace, args, screen);
    }
    let catalog = workspace.step_catalog();
    let runbook = match name.split_once(':') {
        Some(("mol", id)) => workspace.molecule_runbook(id),
        Some(("bead", id)) => workspace.bead_runbook(id),
        _ => workspace.runbook(name, &here(), &workspace.snapshot(), &catalog),
    };
    tell_troubles(&workspace, screen);
    if runbook.is_err()
        && workspace
            .plugin_files()
            .iter()
            .any(|(known, _)| known == name)
    {
        let call = harmless_line(&format!("windlass trust plugin:{name} --dry-run"));
        screen.say(&format!(
            "a plugin goes by that name: `{call}` says what it asks for"
        ));
    }
    let runbook = runbook?;
    let report = if args.dry_run {
        workspace.trust_report(&runbook, &catalog)?
    } else {
        workspace.trust(&runbook, &catalog, of_document(args.digest)?)?
    };
    let next = trusting(
        &workspace,
        runbook.call.as_deref().unwrap_or(name),
        &report.digest.to_string(),
    );
    let next = next.filter(|_| args.dry_run);
    match args.format {
        OutputFormat::Json | OutputFormat::Tron => {
            print_looked(screen, args.format, &report, next)?;
        }
        OutputFormat::Text => screen.print(&with_next(told(&report), next)),
    }
    if !args.dry_run {
        screen.say(&format!(
            "`{}` is trusted as it is now; a change to it, to a runbook it runs, or to a file named above ends that; what these start in turn may change",
            report.file
        ));
    }
    Ok(Exit::Done)
}

fn revoke(
    workspace: &Workspace,
    name: &str,
    is_plugin: bool,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let mut revoked = match is_plugin {
        true => 0,
        false => workspace.revoke_trust(name)?,
    };
    // A plugin that is meant by its bare name, or by its digest, is no longer trusted either.
    revoked += workspace.revoke_plugin(name, &here())?;
    if revoked == 0 {
        screen.say(&format!(
            "no version of `{name}` was trusted: `windlass trust --list` names what is"
        ));
        return Ok(Exit::NotFound);
    }
    let are = if revoked == 1 { "is" } else { "are" };
    let versions = counted(revoked, "version");
    screen.say(&format!("{versions} of `{name}` {are} no longer trusted"));
    Ok(Exit::Done)
}

/// The digest of a document that was looked at.
fn of_document(digest: Option<TrustDigest>) -> Result<Option<Digest>, Failure> {
    match digest {
        None => Ok(None),
        Some(TrustDigest::Document(digest)) => Ok(Some(digest)),
        Some(TrustDigest::Plugin(digest)) => Err(Failure::Usage(format!(
            "`{digest}` is the digest of a plugin, and this is none"
        ))),
    }
}

fn trust_plugin(
    workspace: &Workspace,
    name: &str,
    args: &TrustArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let reviewed = match args.digest {
        None => None,
        Some(TrustDigest::Plugin(digest)) => Some(digest),
        Some(TrustDigest::Document(digest)) => {
            let message = format!("`{digest}` is not the digest of a plugin");
            return Err(Failure::Usage(message));
        }
    };
    let report = match args.dry_run {
        true => workspace.plugin_trust_report(name, &here())?,
        false => workspace.trust_plugin(name, &here(), reviewed)?,
    };
    let next = trusting(workspace, name, &report.digest.to_string());
    let next = next.filter(|_| args.dry_run);
    match args.format {
        OutputFormat::Json | OutputFormat::Tron => {
            print_looked(screen, args.format, &report, next)?;
        }
        OutputFormat::Text => screen.print(&with_next(told_of_plugin(&report), next)),
    }
    if !args.dry_run {
        screen.say(&format!(
            "the plugin `{}` has what it asks for in this repository, where a runbook allows it too; a change to its file ends that",
            report.name
        ));
    }
    Ok(Exit::Done)
}

fn told_of_plugin(report: &PluginTrustReport) -> String {
    let mut text = format!(
        "plugin {} {}  {}  {}\n",
        report.name,
        report.version,
        harmless_line(&report.file),
        report.digest
    );
    if report.grants.is_empty() {
        text.push_str("  works on its input alone, and needs no trust\n");
    }
    for grant in &report.grants {
        text.push_str(&format!("  may {}: `{grant}`\n", grant.allows()));
    }
    text
}

fn trust_secrets(
    workspace: &Workspace,
    args: &TrustArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let report = if args.dry_run {
        workspace.secrets_report()
    } else {
        workspace.trust_secrets(of_document(args.digest)?)?
    };
    let Some(report) = report else {
        return Err(Error::missing(SECRETS_FILE).into());
    };
    let next = trusting(workspace, SECRETS_FILE, &report.digest.to_string());
    let next = next.filter(|_| args.dry_run);
    match args.format {
        OutputFormat::Json | OutputFormat::Tron => {
            print_looked(screen, args.format, &report, next)?;
        }
        OutputFormat::Text => screen.print(&with_next(told_of_secrets(&report), next)),
    }
    if !args.dry_run {
        screen.say("its `!` lines count as it is now; a change to it ends that");
    }
    Ok(Exit::Done)
}

fn trust_route(
    workspace: &Workspace,
    prefix: &str,
    args: &TrustArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    if args.revoke {
        return Ok(match workspace.revoke_route(prefix)? {
            0 => {
                screen.say(&format!("the route of `{prefix}` was not trusted"));
                Exit::NotFound
            }
            _ => {
                screen.say(&format!("the route of `{prefix}` is no longer trusted"));
                Exit::Done
            }
        });
    }
    let report = match args.dry_run {
        true => workspace.route_trust_report(prefix)?,
        false => workspace.trust_route(prefix, of_document(args.digest)?)?,
    };
    let name = format!("route:{prefix}");
    let next = trusting(workspace, &name, &report.digest.to_string());
    let next = next.filter(|_| args.dry_run);
    match args.format {
        OutputFormat::Json | OutputFormat::Tron => {
            print_looked(screen, args.format, &report, next)?;
        }
        OutputFormat::Text => screen.print(&with_next(told_of_route(&report), next)),
    }
    if !args.dry_run {
        screen.say(
            "beads of that prefix are read and written there; another path or folder ends that",
        );
    }
    Ok(Exit::Done)
}

fn told_of_route(route: &RouteTrust) -> String {
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

/// The call that trusts what was looked at, as long as it is the same.
fn trusting(workspace: &Workspace, name: &str, digest: &str) -> Option<NextAction> {
    NextAction::new("trust", "trust it exactly as it is shown here")
        .positional(name)
        .option("digest", digest)
        .for_caller(workspace.caller())
}

/// What was looked at as JSON, with the call that trusts it.
fn print_looked<T: Serialize>(
    screen: &Screen,
    format: OutputFormat,
    report: &T,
    next: Option<NextAction>,
) -> Result<(), Failure> {
    /// A report with what to do next.
    #[derive(Serialize)]
    struct Looked<'a, T> {
        #[serde(flatten)]
        report: &'a T,
        #[serde(skip_serializing_if = "Option::is_none")]
        next_actions: Option<[NextAction; 1]>,
    }
    let next_actions = next.map(|next| [next]);
    print_data(
        screen,
        format,
        &Looked {
            report,
            next_actions,
        },
    )
}

fn with_next(mut text: String, next: Option<NextAction>) -> String {
    if let Some(next) = next {
        let (call, reason) = (harmless_line(&next.written_out()), next.reason);
        text.push_str(&format!("\nNext\n  {call}  # {reason}\n"));
    }
    text
}

fn list(workspace: &Workspace, args: &TrustArgs, screen: &Screen) -> Result<Exit, Failure> {
    let trusted = workspace.trusted(&workspace.step_catalog())?;
    let plugins = workspace.trusted_plugins()?;
    let routes = workspace.trusted_routes()?;
    match args.format {
        OutputFormat::Json | OutputFormat::Tron => {
            let plugins = plugins.iter().map(|(plugin, now)| {
                let mut row = serde_json::json!(plugin);
                row["state"] = match now {
                    PluginStanding::Current => "current",
                    PluginStanding::Changed(_) => "changed",
                    PluginStanding::Gone => "gone",
                }
                .into();
                row
            });
            let plugins: Vec<_> = plugins.collect();
            let data =
                serde_json::json!({ "trusted": trusted, "plugins": plugins, "routes": routes });
            print_data(screen, args.format, &data)?;
        }
        OutputFormat::Text => {
            let plugins = plugins.iter().map(listed_plugin);
            let routes = routes.iter().map(told_of_route);
            let text = trusted.iter().map(listed).chain(plugins).chain(routes);
            screen.print(&text.collect::<String>());
        }
    }
    Ok(Exit::Done)
}

fn listed_plugin((plugin, now): &(PluginTrust, PluginStanding)) -> String {
    let when = plugin.trusted_at.as_deref().unwrap_or("-");
    let became = match now {
        PluginStanding::Current => String::new(),
        PluginStanding::Changed(now) => {
            format!("  changed since, and not trusted as it is: {now}")
        }
        PluginStanding::Gone => "  is not there any more".to_owned(),
    };
    format!(
        "plugin:{} {}  {}  {when}  {}{became}\n",
        harmless_line(&plugin.name),
        harmless_line(&plugin.version),
        plugin.digest,
        harmless_line(&plugin.grants.join(", "))
    )
}

fn listed(state: &TrustState) -> String {
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
                Asked::Runbook(report) => told(report),
                Asked::Secrets(report) => told_of_secrets(report),
            };
            let now = now.lines().map(|line| format!("\n    {line}"));
            let now: String = now.collect();
            format!("  changed since, and not trusted as it is; it asks for{now}")
        }
        Standing::Unusable { why } => format!("  cannot be used: {why}"),
    };
    format!("{name}  {digest}  {when}{became}\n")
}

fn told(report: &TrustReport) -> String {
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
            (", letting through ", &program.inherit_env),
        ] {
            if let Some(value) = value {
                text.push_str(&format!("{what}{value}"));
            }
        }
        text.push('\n');
    }
    for condition in &report.asks {
        let condition = harmless_line(condition);
        text.push_str(&format!(
            "  asks for the environment: {condition}; what comes of it is written into the log\n"
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
            "  {step} leaves out {paths}; a change to those does not end trust\n"
        ));
    }
    for (step, reasons) in &report.open_reasons {
        text.push_str(&format!(
            "  {step} may start or load other files, and a change to those does not end trust:\n"
        ));
        for reason in reasons {
            text.push_str(&format!("    {}\n", harmless_line(reason)));
        }
    }
    for step in &report.open_ended {
        text.push_str(&format!(
            "  {step} runs a runbook whose name is only known later; that one needs its own trust\n"
        ));
    }
    text
}

fn told_of_secrets(report: &SecretsReport) -> String {
    let mut text = format!("{}  {}\n", report.file, report.digest);
    if report.readable.is_empty() {
        text.push_str("  makes no paths readable\n");
    }
    for line in &report.readable {
        text.push_str(&format!("  {}\n", line.text));
    }
    text
}
