use std::path::Path;

use windlass::{Error, SECRETS_FILE, TrustReport, Workspace, step_catalog};

use super::{Failure, print_json};
use crate::args::{OutputFormat, TrustArgs};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, args: &TrustArgs, screen: &Screen) -> Result<Exit, Failure> {
    let workspace = workspace(root)?;
    let Some(name) = &args.runbook else {
        return list(&workspace, args, screen);
    };
    if args.revoke {
        let revoked = workspace.revoke_trust(name)?;
        screen.say(&format!(
            "{revoked} versions of `{name}` are no longer trusted"
        ));
        return Ok(if revoked == 0 {
            Exit::NotFound
        } else {
            Exit::Done
        });
    }
    if name == SECRETS_FILE {
        return trust_secrets(&workspace, args, screen);
    }
    let catalog = step_catalog();
    let runbook = workspace.runbook(name, &here(), &workspace.snapshot(), &catalog)?;
    let report = if args.dry_run {
        workspace.trust_report(&runbook, &catalog)
    } else {
        workspace.trust(&runbook, &catalog, args.digest)?
    };
    match args.format {
        OutputFormat::Json => print_json(screen, &report)?,
        OutputFormat::Text => screen.print(&told(&report)),
    }
    if !args.dry_run {
        screen.say(&format!(
            "`{}` is trusted as it is now; a change to it or to a runbook it runs ends that; programs of the repository that it starts may change",
            report.file
        ));
    }
    Ok(Exit::Done)
}

fn trust_secrets(
    workspace: &Workspace,
    args: &TrustArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let policy = workspace.repo().secrets();
    let narrowing = policy
        .ignored_lines()
        .iter()
        .map(|line| format!("  {}\n", line.text));
    let digest = if args.dry_run {
        policy.digest()
    } else {
        workspace.trust_secrets(args.digest)?
    };
    let Some(digest) = digest else {
        let file = SECRETS_FILE.to_owned();
        let why = "it does not exist".to_owned();
        return Err(Error::Unreadable {
            file,
            why,
            missing: true,
            secret: false,
        }
        .into());
    };
    screen.print(&format!(
        "{SECRETS_FILE}  {digest}\n{}",
        narrowing.collect::<String>()
    ));
    if !args.dry_run {
        screen.say("its `!` lines count as it is now; a change to it ends that");
    }
    Ok(Exit::Done)
}

fn list(workspace: &Workspace, args: &TrustArgs, screen: &Screen) -> Result<Exit, Failure> {
    let trusted = workspace.trusted()?;
    match args.format {
        OutputFormat::Json => print_json(screen, &serde_json::json!({ "trusted": trusted }))?,
        OutputFormat::Text => {
            let line = |record: &windlass::TrustRecord| {
                format!(
                    "{}  {}  {}\n",
                    record.name,
                    record.digest,
                    record.trusted_at.as_deref().unwrap_or("-")
                )
            };
            screen.print(&trusted.iter().map(line).collect::<String>());
        }
    }
    Ok(Exit::Done)
}

fn told(report: &TrustReport) -> String {
    let mut text = format!("{}  {}\n", report.file, report.digest);
    if report.commands.is_empty() {
        text.push_str("  starts no programs\n");
    }
    for (runbook, step, argv) in &report.commands {
        text.push_str(&format!("  {runbook}/{step} runs {argv}\n"));
    }
    for step in &report.open_ended {
        text.push_str(&format!(
            "  {step} runs a runbook whose name is only known later; that one needs its own trust\n"
        ));
    }
    text
}
