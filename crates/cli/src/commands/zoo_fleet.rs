//! Spreads a run of the zoo over the machines that share the ledger (`zoo run --fleet`).

use std::num::NonZeroUsize;

use windlass::{Error, FleetRequest, FleetWork, Fleets, Molecules};
use windlass_zoo::{Results, ZooRequest};

use super::command_context::CommandContext;
use super::{Failure, fleet};
use crate::args::{FleetWorkArgs, ZooWork};

/// Measures each archetype as a step of a molecule, and returns their results.
///
/// If `mol` names a molecule, we continue with that one instead of pouring another.
pub(super) fn ran(
    archetypes: Vec<String>,
    request: &ZooRequest,
    (args, mol): (&ZooWork, Option<&str>),
    context: &CommandContext<'_>,
) -> Result<Vec<Results>, Failure> {
    context.with_molecules("zoo run", |molecules| {
        let mol = match mol {
            Some(mol) => molecules.id(Some(mol))?,
            None => poured(archetypes, request, args, molecules)?,
        };
        let note = format!("molecule {mol}: `--fleet={mol}` goes on after an interrupt");
        context.screen.say(&note);
        let work = FleetWorkArgs {
            labels: Vec::new(),
            jobs: NonZeroUsize::MIN,
            allow_commands: false,
        };
        fleet::drive(context.screen, molecules, &mol, &work)?;
        let parts = Fleets::of(molecules).outputs(&mol)?.into_iter();
        let parts = parts.map(|part| serde_json::from_value(part).map_err(Error::internal));
        Ok(parts.collect::<Result<_, _>>()?)
    })
}

fn poured(
    archetypes: Vec<String>,
    request: &ZooRequest,
    args: &ZooWork,
    molecules: &mut Molecules<'_>,
) -> Result<String, Failure> {
    let mut argv: Vec<String> = ["windlass", "zoo", "run", "--format=json", "--no-record"]
        .map(str::to_owned)
        .into();
    argv.extend(request.quick.then(|| "--quick".to_owned()));
    argv.extend(args.jobs.map(|jobs| format!("--jobs={jobs}")));
    argv.extend(args.systems.iter().map(|typed| format!("--system={typed}")));
    argv.push(format!("--timeout={}", args.timeout));
    let fleet = FleetRequest {
        work: FleetWork::Program {
            name: "zoo".to_owned(),
            argv,
        },
        places: archetypes,
        runs_on: Vec::new(),
    };
    Ok(Fleets::of(molecules).pour(&fleet)?.id)
}
