mod steps;

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::json;
use windlass::base::counted;
use windlass::formula::Phase;
use windlass::pack::{harmless, harmless_line};
use windlass::work::Molecule;
use windlass::work::event::{BondKind, MolChanged};
use windlass::{
    DistillRequest, FormulaNow, GateAnswer, MolFinding, MolReport, NewMolecule, StepReport, millis,
};

use self::steps::{approve, claim, complete, drive, fail, handoff, heartbeat, release};
use super::desk::Desk;
use super::formula::cooked_for_bead;
use super::{Failure, print_data};
use crate::args::{MolArgs, MolBondKind, MolCommand, MolPourArgs, MolShowArgs, OutputFormat};
use crate::exit::Exit;
use crate::outside::here;
use crate::screen::Screen;
use windlass::{mol_line, mol_text, ready_line, step_text};

pub(crate) fn run(desk: &Desk<'_>, command: MolCommand) -> Result<Exit, Failure> {
    match command {
        MolCommand::Pour(args) => pour(desk, &args, None),
        MolCommand::Wisp(args) => {
            let ttl = args.ttl.as_deref().map(millis).transpose()?;
            pour(desk, &args.pour, Some(ttl))
        }
        MolCommand::List { all, format } => desk.with("mol list", |ledger| {
            let molecules = ledger.molecules(all);
            if molecules.is_empty() && format.format == OutputFormat::Text {
                desk.screen
                    .say("there are no molecules; `windlass mol pour FORMULA` makes one");
            }
            let lines = molecules.iter().map(mol_line);
            list(
                desk.screen,
                format.format,
                lines,
                &json!({ "molecules": molecules }),
            )
        }),
        MolCommand::Show(args) => show(desk, &args),
        MolCommand::Current { who, format } => desk.with("mol current", |ledger| {
            let steps = ledger.current_steps(who.as_deref())?;
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
        MolCommand::Ready(args) => desk.with("mol ready", |ledger| {
            let ready = ledger.ready_steps(args.mol.as_deref(), args.all)?;
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
        MolCommand::Skip(args) => desk.with("mol skip", |ledger| {
            let step = ledger.skip_step(&args.mol, &args.step, &args.reason)?;
            tell_step(desk.screen, args.format.format, &step)
        }),
        MolCommand::Release(args) => release(desk, args),
        MolCommand::Handoff(args) => handoff(desk, args),
        MolCommand::Approve(args) => approve(desk, args),
        MolCommand::Reject(args) => desk.with("mol reject", |ledger| {
            let answer = GateAnswer::Reject(args.reason.clone());
            let step = ledger.answer_gate(&args.mol, &args.step, args.gate, &answer)?;
            tell_step(desk.screen, args.format.format, &step)
        }),
        MolCommand::PushBack(args) => desk.with("mol push-back", |ledger| {
            let from = args.from.as_deref();
            let step = ledger.push_back(&args.mol, &args.step, from, &args.reason)?;
            tell_step(desk.screen, args.format.format, &step)
        }),
        MolCommand::Drive(args) => drive(desk, &args),
        MolCommand::Set(args) => desk.with("mol set", |ledger| {
            let lease_ms = args.lease.as_deref().map(millis).transpose()?;
            let molecule = ledger.change_molecule(MolChanged {
                mol_id: args.mol.clone(),
                concurrency: args.concurrency,
                lease_ms,
            })?;
            changed(desk.screen, args.format.format, "changed", &molecule)
        }),
        MolCommand::Stale { after, format } => desk.with("mol stale", |ledger| {
            let found = ledger.stale_molecules(millis(&after)?)?;
            findings(desk.screen, format.format, &found)?;
            Ok(Exit::Done)
        }),
        MolCommand::Doctor { mol, after, format } => desk.with("mol doctor", |ledger| {
            let found = ledger.examine_molecules(mol.as_deref(), millis(&after)?)?;
            findings(desk.screen, format.format, &found)?;
            Ok(if found.is_empty() {
                Exit::Done
            } else {
                Exit::Failed
            })
        }),
        MolCommand::Bond {
            first,
            second,
            kind,
            format,
        } => desk.with("mol bond", |ledger| {
            let kind = match kind {
                MolBondKind::Sequential => BondKind::Sequential,
                MolBondKind::Parallel => BondKind::Parallel,
                MolBondKind::Conditional => BondKind::Conditional,
            };
            let molecule = ledger.bond(&first, &second, kind)?;
            changed(desk.screen, format.format, "bonded", &molecule)
        }),
        MolCommand::Distill {
            bead,
            name,
            vars,
            open,
        } => desk.with("mol distill", |ledger| {
            let request = DistillRequest {
                bead,
                name,
                vars: super::formula::vars(&vars)?,
                open,
            };
            desk.screen.print(&harmless(&ledger.distill(&request)?));
            Ok(Exit::Done)
        }),
        MolCommand::Squash {
            mol,
            summary,
            force,
            format,
        } => desk.with("mol squash", |ledger| {
            let molecule = ledger.squash(&mol, summary.as_deref(), force)?;
            changed(desk.screen, format.format, "squashed", &molecule)
        }),
        MolCommand::Burn {
            mols,
            reason,
            force,
        } => desk.with("mol burn", |ledger| {
            for molecule in ledger.burn(&mols, &reason, force)? {
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
) -> Result<Exit, Failure> {
    match format {
        OutputFormat::Text => {
            for line in lines {
                screen.print(&format!("{}\n", harmless(&line)));
            }
        }
        format => print_data(screen, format, data)?,
    }
    Ok(Exit::Done)
}

fn changed(
    screen: &Screen,
    format: OutputFormat,
    what: &str,
    molecule: &Molecule,
) -> Result<Exit, Failure> {
    let line = format!("{what} {}: {}", molecule.id, molecule.title);
    list(screen, format, std::iter::once(line), &molecule.to_file())
}

fn tell_step(screen: &Screen, format: OutputFormat, step: &StepReport) -> Result<Exit, Failure> {
    let reason = step.reason.as_ref();
    let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
    let line = format!("{} is {}{reason}", step.step_id, step.status.as_str());
    list(screen, format, std::iter::once(line), step)
}

fn findings(screen: &Screen, format: OutputFormat, found: &[MolFinding]) -> Result<(), Failure> {
    if found.is_empty() && format == OutputFormat::Text {
        screen.say("nothing stands still");
    }
    let lines = found
        .iter()
        .map(|finding| format!("{}\n    {}", finding.message, finding.next));
    list(screen, format, lines, &json!({ "findings": found })).map(drop)
}

fn pour(desk: &Desk<'_>, args: &MolPourArgs, ttl: Option<Option<u64>>) -> Result<Exit, Failure> {
    let workspace = desk.workspace()?;
    let mut ledger = workspace.ledger(desk.actor, "mol pour")?;
    // What it is poured for decides what is attached to it.
    let bead = args
        .bead
        .as_deref()
        .map(|id| ledger.bead(id, None))
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
    let molecule = ledger.pour(&formula, &new)?;
    ledger.finish()?;
    for warning in ledger.warnings() {
        desk.screen
            .complain(&harmless_line(&format!("warning: {warning}")));
    }
    changed(desk.screen, args.format, "poured", &molecule)
}

/// What a formula says of how it is meant to be kept, where it is kept otherwise.
fn other_phase(phase: Option<Phase>, passes: bool) -> Option<&'static str> {
    match (phase, passes) {
        (Some(Phase::Vapor), false) => {
            Some("says that it passes, and is poured to be kept; `windlass mol wisp` lets it pass")
        }
        (Some(Phase::Liquid), true) => {
            Some("says that it is kept, and is poured to pass; `windlass mol pour` keeps it")
        }
        _ => None,
    }
}

fn show(desk: &Desk<'_>, args: &MolShowArgs) -> Result<Exit, Failure> {
    let workspace = desk.workspace()?;
    desk.with("mol show", |ledger| {
        if let (Some(mol), Some(step)) = (&args.mol, &args.step) {
            let step = ledger.mol_step(mol, step)?;
            let text = step_text(&step);
            let text = std::iter::once(text.trim_end().to_owned());
            return list(desk.screen, args.format.format, text, &step);
        }
        let molecule = ledger.molecule(args.mol.as_deref(), args.at)?;
        let formula_changed = match ledger.formula_of(&molecule.id) {
            Ok(cooked) => match workspace.formula_of_molecule(&cooked, &here()) {
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
            expired: args.at.is_none() && molecule.is_expired(ledger.log_now()),
            molecule: molecule.to_file(),
            formula_changed,
        };
        let text = mol_text(&report);
        let text = std::iter::once(text.trim_end().to_owned());
        list(desk.screen, args.format.format, text, &report)
    })
}

fn progress(desk: &Desk<'_>, args: &MolArgs) -> Result<Exit, Failure> {
    desk.with("mol progress", |ledger| {
        let progress = ledger.mol_progress(args.mol.as_deref())?;
        let told: Vec<String> = progress
            .steps
            .iter()
            .map(|(status, count)| format!("{count} {status}"))
            .collect();
        let mut line = format!(
            "{}  {}%  {} of {} steps  ({})",
            progress.id,
            progress.percent,
            progress.done,
            progress.total,
            told.join(", ")
        );
        if let (Some(rate), Some(at)) = (progress.per_hour, progress.done_at) {
            let _ = write!(line, "  {rate} an hour, done about {at}");
        }
        list(
            desk.screen,
            args.format.format,
            std::iter::once(line),
            &progress,
        )
    })
}
