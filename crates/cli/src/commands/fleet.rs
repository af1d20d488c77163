//! Runs a runbook in many repositories (`windlass fleet`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use windlass::packs::harmless;
use windlass::plan::Outcome;
use windlass::{
    DriveOptions, DriveReport, FleetReport, FleetRequest, FleetWork, Fleets, MolWait, Molecules,
    Patience, Workspace,
};
use windlass_render::{fleet_text, step_waiting};

use super::command_context::{CommandContext, interruptible};
use super::given_file::read_lines;
use super::{Ended, Failure, WORKER_LEASE, print_either};
use crate::args::{FleetCommand, FleetRunArgs, FleetWorkArgs, OutputFormat};
use crate::exit::Exit;
use crate::outside::here;
use crate::screen::Screen;

pub(crate) fn run(context: &CommandContext<'_>, command: FleetCommand) -> Ended {
    match command {
        FleetCommand::Run(args) => start(context, args),
        FleetCommand::Resume(args) => context.with_molecules("fleet resume", |molecules| {
            let mol = molecules.id(args.mol.as_deref())?;
            work(context, molecules, &mol, &args.work, args.format.format)
        }),
        FleetCommand::Show { mol, format } => context.with_molecules("fleet show", |molecules| {
            let report = Fleets::of(molecules).report(mol.as_deref())?;
            print(context, &report, format.format)
        }),
    }
}

fn start(context: &CommandContext<'_>, args: FleetRunArgs) -> Ended {
    let workspace = context.workspace()?;
    let mut inputs = BTreeMap::new();
    for given in &args.inputs {
        let (name, value) = super::pair("input", "NAME=VALUE", given)?;
        inputs.insert(name.to_owned(), value.to_owned());
    }
    let request = FleetRequest {
        work: FleetWork::Runbook {
            name: args.runbook,
            inputs,
        },
        places: repositories(&workspace, &args.repos)?,
        runs_on: args.runs_on,
    };
    context.with_molecules("fleet run", |molecules| {
        let molecule = Fleets::of(molecules).pour(&request)?;
        if args.detach {
            let report = Fleets::of(molecules).report(Some(&molecule.id))?;
            print(context, &report, args.format.format)?;
            return Ok(Exit::Done);
        }
        let (work_args, format) = (&args.work, args.format.format);
        work(context, molecules, &molecule.id, work_args, format)
    })
}

fn repositories(workspace: &Workspace, given: &[String]) -> Result<Vec<String>, Failure> {
    let root = workspace.site().repo().root();
    let mut folders = Vec::new();
    for one in given {
        let path = here().join(one);
        // A file lists folders, one per line. Lines starting with `#` are comments.
        if path.is_file() {
            let (_, text) = read_lines(workspace, one)?;
            let lines = text.lines().map(str::trim);
            let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
            folders.extend(lines.map(str::to_owned));
        } else if here() == root {
            folders.push(one.clone());
        } else {
            // A relative folder on the command line starts at the current folder, while the
            // molecule has paths relative to the root.
            let below = path.strip_prefix(root).unwrap_or(&path);
            folders.push(below.to_string_lossy().into_owned());
        }
    }
    Ok(folders)
}

fn work(
    context: &CommandContext<'_>,
    molecules: &mut Molecules<'_>,
    mol: &str,
    args: &FleetWorkArgs,
    format: OutputFormat,
) -> Ended {
    let screen = context.screen;
    // This fails if `mol` doesn't belong to a fleet, so do it before any work.
    Fleets::of(molecules).report(Some(mol))?;
    let driven = drive(screen, molecules, mol, args)?;
    let report = Fleets::of(molecules).report(Some(mol))?;
    // We may not run commands, but that only matters if no other worker has finished the molecule.
    if driven.refused && report.outcome.is_none() {
        print(context, &report, format)?;
        screen.complain(&format!(
            "error: `{mol}` is not trusted on this machine\nhelp: run `windlass trust mol:{mol}`, or pass `--allow-commands`"
        ));
        return Ok(Exit::Refused);
    }
    if report.outcome.is_none() {
        screen.say(&format!(
            "interrupted: `windlass fleet resume {mol}` goes on"
        ));
    }
    print(context, &report, format)
}

/// Works on the molecule until it ends, together with other workers.
pub(super) fn drive(
    screen: &Screen,
    molecules: &mut Molecules<'_>,
    mol: &str,
    args: &FleetWorkArgs,
) -> Result<DriveReport, Failure> {
    let waiting = |waits: &[MolWait]| {
        for wait in waits {
            screen.say(&harmless(&step_waiting(wait)));
        }
    };
    let trouble = |text: &str| screen.complain(&harmless(&format!("warning: {text}")));
    interruptible(async |stop| {
        let options = DriveOptions {
            allow_commands: args.allow_commands,
            patience: Patience::Steps,
            stop: &stop,
            drain: Duration::ZERO,
            labels: &args.labels,
            jobs: args.jobs,
            lease_ms: None,
            max_lease_ms: Some(WORKER_LEASE),
            stats: &Arc::default(),
            waiting: &waiting,
            trouble: &trouble,
        };
        molecules.driver(options).one(mol).await
    })
}

fn print(context: &CommandContext<'_>, report: &FleetReport, format: OutputFormat) -> Ended {
    print_either(context.screen, format, report, || {
        context.screen.print(&harmless(&fleet_text(report)));
    })?;
    Ok(match report.outcome {
        None => Exit::Interrupted,
        Some(Outcome::Completed) => Exit::Done,
        Some(_) => Exit::Failed,
    })
}
