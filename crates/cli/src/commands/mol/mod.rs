mod steps;

use serde::Serialize;
use serde_json::json;
use windlass::base::counted;
use windlass::ledger::Molecule;
use windlass::ledger::event::{BondKind, MolChanged};
use windlass::packs::{harmless, harmless_line};
use windlass::{
    DistillRequest, FormulaNow, GateAnswer, MolFinding, MolReport, NewMolecule, StepReport, millis,
};

use self::steps::{approve, claim, complete, drive, fail, handoff, heartbeat, release};
use super::desk::Desk;
use super::formula::cooked_for_bead;
use super::{Ended, Failure, print_either};
use crate::args::{MolArgs, MolBondKind, MolCommand, MolPourArgs, MolShowArgs, OutputFormat};
use crate::exit::Exit;
use crate::outside::here;
use crate::screen::Screen;
use windlass_render::{
    mol_done, mol_finding, mol_line, mol_progress, mol_text, other_phase, ready_line, step_done,
    step_text,
};

pub(crate) fn run(desk: &Desk<'_>, command: MolCommand) -> Ended {
    match command {
        MolCommand::Pour(args) => pour(desk, &args, None),
        MolCommand::Wisp(args) => {
            let ttl = args.ttl.as_deref().map(millis).transpose()?;
            pour(desk, &args.pour, Some(ttl))
        }
        MolCommand::List { all, format } => desk.with_molecules("mol list", |molecules| {
            let all = molecules.list(all);
            if all.is_empty() && format.format == OutputFormat::Text {
                desk.screen
                    .say("there are no molecules; `windlass mol pour FORMULA` makes one");
            }
            let lines = all.iter().map(mol_line);
            list(
                desk.screen,
                format.format,
                lines,
                &json!({ "molecules": all }),
            )
        }),
        MolCommand::Show(args) => show(desk, &args),
        MolCommand::Current { who, format } => desk.with_molecules("mol current", |molecules| {
            let steps = molecules.current_steps(who.as_deref())?;
            if steps.is_empty() && format.format == OutputFormat::Text {
                desk.screen
                    .say("no step is in hand; `windlass mol claim` takes one");
            }
            let texts = steps
                .iter()
                .map(|step| step_text(step).trim_end().to_owned());
            list(
                desk.screen,
                format.format,
                texts,
                &json!({ "steps": steps }),
            )
        }),
        MolCommand::Progress(args) => progress(desk, &args),
        MolCommand::Ready(args) => desk.with_molecules("mol ready", |molecules| {
            let ready = molecules.ready(args.mol.as_deref(), args.all)?;
            let is_text = args.format.format == OutputFormat::Text;
            match ready.for_others {
                0 if ready.steps.is_empty() && is_text => desk
                    .screen
                    .say("no step is ready; `windlass mol doctor` says what stands still"),
                1.. if is_text => desk.screen.say(&format!(
                    "ready and meant for others: {}; `--all` lists them as well",
                    counted(ready.for_others, "step")
                )),
                _ => {}
            }
            let lines = ready.steps.iter().map(ready_line);
            list(desk.screen, args.format.format, lines, &ready)
        }),
        MolCommand::Claim(args) => claim(desk, args),
        MolCommand::Heartbeat(args) => heartbeat(desk, args),
        MolCommand::Complete(args) => complete(desk, args),
        MolCommand::Fail(args) => fail(desk, args),
        MolCommand::Skip(args) => desk.with_molecules("mol skip", |molecules| {
            let step = molecules
                .steps()
                .skip(&args.mol, &args.step, &args.reason)?;
            tell_step(desk.screen, args.format.format, &step)
        }),
        MolCommand::Release(args) => release(desk, args),
        MolCommand::Handoff(args) => handoff(desk, args),
        MolCommand::Approve(args) => approve(desk, args),
        MolCommand::Reject(args) => desk.with_molecules("mol reject", |molecules| {
            let answer = GateAnswer::Reject(args.reason.clone());
            let step = molecules
                .steps()
                .answer_gate(&args.mol, &args.step, args.gate, &answer)?;
            tell_step(desk.screen, args.format.format, &step)
        }),
        MolCommand::PushBack(args) => desk.with_molecules("mol push-back", |molecules| {
            let from = args.from.as_deref();
            let step = molecules
                .steps()
                .push_back(&args.mol, &args.step, from, &args.reason)?;
            tell_step(desk.screen, args.format.format, &step)
        }),
        MolCommand::Drive(args) => drive(desk, &args),
        MolCommand::Set(args) => desk.with_molecules("mol set", |molecules| {
            let lease_ms = args.lease.as_deref().map(millis).transpose()?;
            let molecule = molecules.change(MolChanged {
                mol_id: args.mol.clone(),
                concurrency: args.concurrency,
                lease_ms,
            })?;
            changed(desk.screen, args.format.format, "changed", &molecule)
        }),
        MolCommand::Stale { after, format } => desk.with_molecules("mol stale", |molecules| {
            let found = molecules.doctor().stale(millis(&after)?)?;
            findings(desk.screen, format.format, &found)?;
            Ok(Exit::Done)
        }),
        MolCommand::Doctor { mol, after, format } => {
            desk.with_molecules("mol doctor", |molecules| {
                let found = molecules
                    .doctor()
                    .examine(mol.as_deref(), millis(&after)?)?;
                findings(desk.screen, format.format, &found)?;
                Ok(Exit::done_if(found.is_empty()))
            })
        }
        MolCommand::Bond {
            first,
            second,
            kind,
            format,
        } => desk.with_molecules("mol bond", |molecules| {
            let kind = match kind {
                MolBondKind::Sequential => BondKind::Sequential,
                MolBondKind::Parallel => BondKind::Parallel,
                MolBondKind::Conditional => BondKind::Conditional,
            };
            let molecule = molecules.bond(&first, &second, kind)?;
            changed(desk.screen, format.format, "bonded", &molecule)
        }),
        MolCommand::Distill {
            bead,
            name,
            vars,
            open,
        } => desk.with_molecules("mol distill", |molecules| {
            let request = DistillRequest {
                bead,
                name,
                vars: super::formula::vars(&vars)?,
                open,
            };
            desk.screen.print(&harmless(&molecules.distill(&request)?));
            Ok(Exit::Done)
        }),
        MolCommand::Squash {
            mol,
            summary,
            force,
            format,
        } => desk.with_molecules("mol squash", |molecules| {
            let molecule = molecules.squash(&mol, summary.as_deref(), force)?;
            changed(desk.screen, format.format, "squashed", &molecule)
        }),
        MolCommand::Burn {
            mols,
            reason,
            force,
        } => desk.with_molecules("mol burn", |molecules| {
            for molecule in molecules.burn(&mols, &reason, force)? {
                changed(desk.screen, OutputFormat::Text, "burned", &molecule)?;
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
        screen.say("nothing stands still");
    }
    let lines = found.iter().map(mol_finding);
    list(screen, format, lines, &json!({ "findings": found })).map(drop)
}

fn pour(desk: &Desk<'_>, args: &MolPourArgs, ttl: Option<Option<u64>>) -> Ended {
    let workspace = desk.workspace()?;
    let service = workspace.molecules();
    let mut ledger = service.ledger().open(desk.actor, "mol pour")?;
    // What it is poured for decides what is attached to it.
    let bead = args
        .bead
        .as_deref()
        .map(|id| ledger.beads().get(id, None))
        .transpose()?;
    let bead = bead.map(|report| report.bead);
    let formula = cooked_for_bead(&workspace, &args.values, bead, desk.screen)?;
    let new = NewMolecule {
        bead: args.bead.clone(),
        title: args.title.clone(),
        ttl_ms: ttl,
        concurrency: args.concurrency,
        lease_ms: args.lease.as_deref().map(millis).transpose()?,
    };
    if let Some(other) = other_phase(formula.cooked.phase, ttl.is_some()) {
        let name = &formula.cooked.formula;
        desk.screen
            .say(&format!("note: {}", harmless(&format!("{name} {other}"))));
    }
    let molecule = service.on(&mut ledger).pour(&formula, &new)?;
    ledger.finish()?;
    for warning in ledger.warnings() {
        desk.screen
            .complain(&harmless_line(&format!("warning: {warning}")));
    }
    changed(desk.screen, args.format, "poured", &molecule)
}

fn show(desk: &Desk<'_>, args: &MolShowArgs) -> Ended {
    desk.with_molecules("mol show", |molecules| {
        if let (Some(mol), Some(step)) = (&args.mol, &args.step) {
            let step = molecules.step(mol, step)?;
            let text = step_text(&step);
            let text = text.trim_end().to_owned();
            return one(desk.screen, args.format.format, text, &step);
        }
        let molecule = molecules.get(args.mol.as_deref(), args.at)?;
        let formula_changed = match molecules.formula_of(&molecule.id) {
            Ok(cooked) => match molecules.formula_now(&cooked, &here()) {
                FormulaNow::Same => None,
                FormulaNow::Changed => Some(
                    "the files of the formula changed since it was poured; its steps did not"
                        .to_owned(),
                ),
                FormulaNow::Broken(why) => {
                    Some(format!("the formula can no longer be cooked: {why}"))
                }
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
        one(desk.screen, args.format.format, text, &report)
    })
}

fn progress(desk: &Desk<'_>, args: &MolArgs) -> Ended {
    desk.with_molecules("mol progress", |molecules| {
        let progress = molecules.progress(args.mol.as_deref())?;
        one(
            desk.screen,
            args.format.format,
            mol_progress(&progress),
            &progress,
        )
    })
}
