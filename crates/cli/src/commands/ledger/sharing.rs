use std::sync::Arc;

use windlass::ledger::{ShareReport, ShareStatus};
use windlass::share::{Backends, GivenLocation, Location, default_name};

use super::{Ended, print_either, print_result};
use crate::args::{FormatArgs, LedgerCommand};
use crate::commands::Failure;
use crate::commands::command_context::CommandContext;
use crate::exit::Exit;

pub(crate) fn run(context: &CommandContext<'_>, command: LedgerCommand) -> Ended {
    match command {
        LedgerCommand::Share {
            location,
            name,
            format,
        } => share(context, &location, name, &format),
        LedgerCommand::Status(format) => context.with("ledger status", |ledger| {
            let Some(status) = ledger.sharing().status()? else {
                context.screen.say(
                    "this ledger is not shared: `windlass ledger share LOCATION` shares it with other machines",
                );
                return Ok(Exit::NotFound);
            };
            print_result(context.screen, format.format, &status, || status_text(&status))?;
            Ok(Exit::done_if(status.is_reachable))
        }),
        LedgerCommand::Detach { force } => context.with("ledger detach", |ledger| {
            let config = ledger.sharing().detach(force)?;
            let location = config.location;
            context.screen.say(&format!(
                "detached from `{location}`; this clone keeps all events"
            ));
            Ok(Exit::Done)
        }),
        LedgerCommand::Offline => context.with("ledger offline", |ledger| {
            let config = ledger.sharing().go_offline()?;
            let location = config.location;
            context.screen.say(&format!(
                "working without `{location}`: `windlass ledger online` merges and uses it again"
            ));
            Ok(Exit::Done)
        }),
        LedgerCommand::Online => context.with("ledger online", |ledger| {
            let report = ledger.sharing().go_online()?;
            context.screen.print(&report_text("merged with", &report));
            Ok(Exit::Done)
        }),
    }
}

fn share(
    context: &CommandContext<'_>,
    location: &str,
    name: Option<String>,
    format: &FormatArgs,
) -> Ended {
    let workspace = context.workspace()?;
    let site = workspace.site();
    let given = Location::parse(location, site.repo().root());
    let GivenLocation { location, password } =
        given.map_err(|error| Failure::Usage(error.to_string()))?;
    let name = name.or_else(|| default_name(site.repo(), &location));
    let Some(name) = name else {
        return Err(Failure::Usage(
            "the repository has no commits that name its ledger: pass `--name NAME`".to_owned(),
        ));
    };
    if password.is_some() {
        context.screen.complain(
            "warning: the password of the URL is not stored: set `PGPASSWORD`, or add an entry to `~/.pgpass`",
        );
    }
    let backends = Backends::new(site).with_password(password);
    let service = workspace.ledger().sharing(Arc::new(backends));
    let ledger = service.open(context.actor, "ledger share")?;
    context.finish(&workspace, ledger, |ledger| {
        let report = ledger.sharing().share(&location.to_text(), &name)?;
        print_either(context.screen, format.format, &report, || {
            context.screen.print(&report_text("shared at", &report));
        })
    })
}

fn report_text(what: &str, report: &ShareReport) -> String {
    format!(
        "{what} `{}` as `{}`: {} events sent, {} received\n",
        report.location, report.name, report.pushed, report.pulled
    )
}

fn status_text(status: &ShareStatus) -> String {
    let mut text = format!("location: {}\nname: {}\n", status.location, status.name);
    let reachable = match (&status.problem, status.offline_since) {
        (_, Some(since)) => format!("offline since {since} by request"),
        (Some(problem), None) => format!("no: {problem}"),
        (None, None) => format!("yes; its clock is {} ms ahead", status.clock_ahead_ms),
    };
    text.push_str(&format!("reachable: {reachable}\n"));
    let pulled = status
        .pulled_at
        .map_or("never".to_owned(), |at| at.to_string());
    text.push_str(&format!("up to date as of: {pulled}\n"));
    for (is_problem, found) in &status.findings {
        let kind = if *is_problem { "warning" } else { "note" };
        text.push_str(&format!("{kind}: {found}\n"));
    }
    text
}
