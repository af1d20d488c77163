//! Commands on molecules (`windlass mol`).

mod drive;
mod steps;

use serde::Serialize;
use serde_json::json;
use windlass::base::counted;
use windlass::ledger::Molecule;
use windlass::ledger::event::MolChanged;
use windlass::packs::{harmless, harmless_line};
use windlass::{
    DistillRequest, Error, FormulaNow, GateAnswer, MolFinding, MolReport, NewMolecule, StepReport,
    millis,
};

use self::drive::drive;
use self::steps::{approve, claim, complete, fail, handoff, heartbeat, release};
use super::command_context::CommandContext;
use super::formula::{cooked_for_bead, print_graph};
use super::{Ended, Failure, print_either};
use crate::args::{MolArgs, MolCommand, MolPourArgs, MolShowArgs, OutputFormat};
use crate::exit::Exit;
use crate::outside::here;
use crate::screen::Screen;
use windlass_render::{
    StepStates, mol_done, mol_finding, mol_line, mol_next, mol_progress, mol_text, other_phase,
    ready_line, step_done, step_text,
};

pub(crate) fn run(context: &CommandContext<'_>, command: MolCommand) -> Ended {
    match command {
        MolCommand::Pour(args) => pour(context, &args, None),
        MolCommand::Wisp(args) => {
            let ttl = args.ttl.as_deref().map(millis).transpose()?;
            pour(context, &args.pour, Some(ttl))
        }
        MolCommand::List { all, format } => context.with_molecules("mol list", |molecules| {
            let all = molecules.list(all);
            if all.is_empty() && format.format == OutputFormat::Text {
                context
                    .screen
                    .say("no molecules; create one with `windlass mol pour FORMULA`");
            }
            let lines = all.iter().map(mol_line);
            list(
                context.screen,
                format.format,
                lines,
                &json!({ "molecules": all }),
            )
        }),
        MolCommand::Show(args) => show(context, &args),
        MolCommand::Current { who, format } => context.with_molecules("mol current", |molecules| {
            let steps = molecules.current_steps(who.as_deref())?;
            if steps.is_empty() && format.format == OutputFormat::Text {
                context
                    .screen
                    .say("no claimed steps; claim one with `windlass mol claim`");
            }
            let texts = steps
                .iter()
                .map(|step| step_text(step).trim_end().to_owned());
            list(
                context.screen,
                format.format,
                texts,
                &json!({ "steps": steps }),
            )
        }),
        MolCommand::Progress(args) => progress(context, &args),
        MolCommand::Graph { mol, format } => context.with_molecules("mol graph", |molecules| {
            let molecule = molecules.get(mol.as_deref(), None)?;
            let plan = molecules.formula_of(&molecule.id)?.to_plan();
            let plan = plan.map_err(Error::document)?;
            print_graph(&plan, &StepStates::of(&molecule), format, context.screen)
        }),
        MolCommand::Ready(args) => context.with_molecules("mol ready", |molecules| {
            let ready = molecules.ready(args.mol.as_deref(), args.all)?;
            let is_text = args.format.format == OutputFormat::Text;
            match ready.for_others {
                0 if ready.steps.is_empty() && is_text => context
                    .screen
                    .say("no step is ready; run `windlass mol doctor` to see why"),
                1.. if is_text => context.screen.say(&format!(
                    "ready for other actors: {}; add `--all` to list them",
                    counted(ready.for_others, "step")
                )),
                _ => {}
            }
            let lines = ready.steps.iter().map(ready_line);
            list(context.screen, args.format.format, lines, &ready)
        }),
        MolCommand::Claim(args) => claim(context, args),
        MolCommand::Heartbeat(args) => heartbeat(context, args),
        MolCommand::Complete(args) => complete(context, args),
        MolCommand::Fail(args) => fail(context, args),
        MolCommand::Skip(args) => context.with_molecules("mol skip", |molecules| {
            let step = molecules
                .steps()
                .skip(&args.mol, &args.step, &args.reason)?;
            tell_step(context.screen, args.format.format, &step)
        }),
        MolCommand::Release(args) => release(context, args),
        MolCommand::Handoff(args) => handoff(context, args),
        MolCommand::Approve(args) => approve(context, args),
        MolCommand::Reject(args) => context.with_molecules("mol reject", |molecules| {
            let answer = GateAnswer::Reject(args.reason.clone());
            let step = molecules
                .steps()
                .answer_gate(&args.mol, &args.step, args.gate, &answer)?;
            tell_step(context.screen, args.format.format, &step)
        }),
        MolCommand::PushBack(args) => context.with_molecules("mol push-back", |molecules| {
            let from = args.gate_step.as_deref();
            let step = molecules
                .steps()
                .push_back(&args.mol, &args.step, from, &args.reason)?;
            tell_step(context.screen, args.format.format, &step)
        }),
        MolCommand::Drive(args) => drive(context, &args),
        MolCommand::Set(args) => context.with_molecules("mol set", |molecules| {
            let lease_ms = args.lease.as_deref().map(millis).transpose()?;
            let molecule = molecules.change(&MolChanged {
                mol_id: args.mol.clone(),
                concurrency: args.concurrency,
                lease_ms,
            })?;
            changed(context.screen, args.format.format, "changed", &molecule)
        }),
        MolCommand::Stale { idle, format } => context.with_molecules("mol stale", |molecules| {
            let found = molecules.doctor().stale(millis(&idle)?)?;
            findings(context.screen, format.format, &found)?;
            Ok(Exit::Done)
        }),
        MolCommand::Doctor { mol, idle, format } => {
            context.with_molecules("mol doctor", |molecules| {
                let found = molecules.doctor().examine(mol.as_deref(), millis(&idle)?)?;
                findings(context.screen, format.format, &found)?;
                Ok(Exit::done_if(found.is_empty()))
            })
        }
        MolCommand::Bond {
            first,
            second,
            kind,
            format,
        } => context.with_molecules("mol bond", |molecules| {
            let molecule = molecules.bond(&first, &second, kind)?;
            changed(context.screen, format.format, "bonded", &molecule)
        }),
        MolCommand::Distill {
            bead,
            name,
            vars,
            all,
        } => context.with_molecules("mol distill", |molecules| {
            let request = DistillRequest {
                bead,
                name,
                vars: super::formula::vars(&vars)?,
                open: all,
            };
            context
                .screen
                .print(&harmless(&molecules.distill(&request)?));
            Ok(Exit::Done)
        }),
        MolCommand::Squash {
            mol,
            summary,
            force,
            format,
        } => context.with_molecules("mol squash", |molecules| {
            let molecule = molecules.squash(&mol, summary.as_deref(), force)?;
            changed(context.screen, format.format, "squashed", &molecule)
        }),
        MolCommand::Burn {
            mols,
            reason,
            force,
        } => context.with_molecules("mol burn", |molecules| {
            for molecule in molecules.burn(&mols, &reason, force)? {
                changed(context.screen, OutputFormat::Text, "burned", &molecule)?;
            }
            Ok(Exit::Done)
        }),
    }
}

fn list(
    screen: &Screen,
    format: OutputFormat,
    lines: impl Iterator<Item = String>,
    data: &impl Serialize,
) -> Ended {
    print_either(screen, format, data, || {
        for line in lines {
            screen.print(&format!("{}\n", harmless(&line)));
        }
    })
}

fn one(screen: &Screen, format: OutputFormat, text: String, data: &impl Serialize) -> Ended {
    list(screen, format, std::iter::once(text), data)
}

fn changed(screen: &Screen, format: OutputFormat, what: &str, molecule: &Molecule) -> Ended {
    let line = mol_done(what, molecule);
    one(screen, format, line, &molecule.to_file())
}

fn tell_step(screen: &Screen, format: OutputFormat, step: &StepReport) -> Ended {
    one(screen, format, step_done(step), step)
}

fn findings(screen: &Screen, format: OutputFormat, found: &[MolFinding]) -> Result<(), Failure> {
    if found.is_empty() && format == OutputFormat::Text {
        screen.say("no stalled work; `windlass mol graph` shows who works on what");
    }
    // Add the typed root and actor to the calls that we suggest.
    let found = found.iter().cloned().map(|finding| {
        // `with_root` only changes commands in backticks, so add some for the moment.
        let call = format!("`{}`", finding.next);
        let next = screen.with_root(&call).trim_matches('`').to_owned();
        MolFinding { next, ..finding }
    });
    let found: Vec<MolFinding> = found.collect();
    let lines = found.iter().map(mol_finding);
    list(screen, format, lines, &json!({ "findings": found })).map(drop)
}

fn pour(context: &CommandContext<'_>, args: &MolPourArgs, ttl: Option<Option<u64>>) -> Ended {
    let workspace = context.workspace()?;
    let service = workspace.molecules();
    let mut ledger = service.ledger().open(context.actor, "mol pour")?;
    // The bead's labels, type and priority decide which hooks attach steps.
    let bead = args
        .bead
        .as_deref()
        .map(|id| ledger.beads().get(id, None))
        .transpose()?;
    let bead = bead.map(|report| report.bead);
    let formula = cooked_for_bead(&workspace, &args.values, bead, context.screen)?;
    let new = NewMolecule {
        bead: args.bead.clone(),
        title: args.title.clone(),
        ttl_ms: ttl,
        concurrency: args.concurrency,
        lease_ms: args.lease.as_deref().map(millis).transpose()?,
    };
    if let Some(other) = other_phase(formula.cooked.phase, ttl.is_some()) {
        let name = &formula.cooked.formula;
        context
            .screen
            .say(&format!("note: {}", harmless(&format!("{name} {other}"))));
    }
    let molecule = service.on(&mut ledger).pour(&formula, &new)?;
    ledger.finish()?;
    for warning in ledger.warnings() {
        context
            .screen
            .complain(&harmless_line(&format!("warning: {warning}")));
    }
    let text = format!(
        "{}\n{}",
        mol_done("poured", &molecule),
        context
            .next_line(&workspace, mol_next(&molecule))
            .trim_end()
    );
    one(context.screen, args.format, text, &molecule.to_file())
}

fn show(context: &CommandContext<'_>, args: &MolShowArgs) -> Ended {
    context.with_molecules("mol show", |molecules| {
        if let (Some(mol), Some(step)) = (&args.mol, &args.step) {
            let step = molecules.step(mol, step)?;
            let text = step_text(&step);
            let text = text.trim_end().to_owned();
            return one(context.screen, args.format.format, text, &step);
        }
        let molecule = molecules.get(args.mol.as_deref(), args.at)?;
        let formula_changed = match molecules.formula_of(&molecule.id) {
            Ok(cooked) => match molecules.formula_now(&cooked, &here()) {
                FormulaNow::Same => None,
                FormulaNow::Changed => Some(
                    "the files of the formula changed after it was poured; the steps are unchanged"
                        .to_owned(),
                ),
                FormulaNow::Broken(why) => Some(format!("the formula no longer cooks: {why}")),
            },
            Err(_) => None,
        };
        let report = MolReport {
            expired: args.at.is_none() && molecule.is_expired(molecules.session().log_now()),
            molecule: molecule.to_file(),
            formula_changed,
        };
        let text = mol_text(&report);
        let text = text.trim_end().to_owned();
        one(context.screen, args.format.format, text, &report)
    })
}

fn progress(context: &CommandContext<'_>, args: &MolArgs) -> Ended {
    context.with_molecules("mol progress", |molecules| {
        let progress = molecules.progress(args.mol.as_deref())?;
        one(
            context.screen,
            args.format.format,
            mol_progress(&progress),
            &progress,
        )
    })
}
