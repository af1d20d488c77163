//! Text output for molecules.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use windlass::base::NextAction;
use windlass::formula::Phase;
use windlass::ledger::event::BondKind;
use windlass::ledger::{Doer, MolFileStep, Molecule, PutAway, startable};
use windlass::{MolFinding, MolProgress, MolReport, MolSummary};

use crate::step_text::{push_rows, word_of};

fn counted(steps: &BTreeMap<&'static str, usize>) -> String {
    let told: Vec<String> = steps
        .iter()
        .map(|(status, count)| format!("{count} {status}"))
        .collect();
    told.join(", ")
}

/// Formats a molecule on one line, with the number of steps in each state.
#[must_use]
pub fn mol_line(summary: &MolSummary) -> String {
    format!(
        "{}  {}  {}  {}  ({})",
        summary.id,
        summary.state.as_str(),
        summary.status,
        summary.title,
        counted(&summary.steps)
    )
}

/// Formats a molecule with all of its steps.
#[must_use]
pub fn mol_text(report: &MolReport) -> String {
    let molecule = &report.molecule;
    let mut text = format!(
        "{}  {}  {}\n  formula  {}\n  poured   {} by {}\n",
        molecule.id,
        molecule.state.as_str(),
        molecule.title,
        molecule.formula,
        molecule.created_at,
        molecule.created_by
    );
    let made_of = molecule.from.as_ref().map(|from| {
        let (mol, step) = (&from.mol_id, &from.step_id);
        format!("item {} of `{step}` of {mol}", from.index)
    });
    let rows = [
        ("changed", report.formula_changed.clone()),
        ("bead", molecule.bead_id.clone()),
        ("made of", made_of),
    ];
    push_rows(&mut text, rows);
    for bond in &molecule.after {
        let kind = serde_json::to_value(bond.kind).unwrap_or_default();
        let kind = word_of(&kind);
        let met = match bond.met_at {
            Some(at) => format!(", met {at}"),
            None if bond.kind == BondKind::Parallel => String::new(),
            None => ", not met yet: steps are blocked".to_owned(),
        };
        let _ = writeln!(text, "  after    {} ({kind}{met})", bond.mol_id);
    }
    let (expires, end) = match report.expired {
        true => ("expired", ": removed by the next command on it"),
        false => ("expires", ", without activity"),
    };
    let rows = [
        (
            "at once",
            molecule.concurrency.map(|limit| limit.to_string()),
        ),
        (expires, molecule.expires_at.map(|at| format!("{at}{end}"))),
    ];
    push_rows(&mut text, rows);
    if let Some(at) = molecule.put_away_at {
        let how = match molecule.put_away {
            Some(PutAway::Squashed) => "squashed",
            _ => "burned",
        };
        let _ = writeln!(text, "  {how:<8} {at}");
    }
    if let (Some(at), Some(outcome)) = (molecule.ended_at, molecule.outcome) {
        let outcome = serde_json::to_value(outcome).unwrap_or_default();
        let summary = molecule.summary.as_deref().unwrap_or_default();
        let outcome = word_of(&outcome);
        let _ = writeln!(text, "  {outcome:<8} {at}  {summary}");
    }
    // Align the titles, but don't let a very long id push all of them to the right.
    let width = molecule.steps.iter().map(|step| step.id.chars().count());
    let width = width.max().unwrap_or(0).min(40);
    for step in &molecule.steps {
        let _ = writeln!(text, "{}", step_line(step, width));
    }
    text
}

fn step_line(step: &MolFileStep, width: usize) -> String {
    let status = step.status.as_str();
    let mut line = format!("  {status:<11}  {:<width$}  {}", step.id, step.title);
    if let Some(assignee) = &step.assignee {
        let _ = write!(line, "  ({assignee})");
    } else if let Some(target) = &step.target {
        let _ = write!(line, "  [only {target}]");
    } else if !step.runs_on.is_empty() {
        let _ = write!(line, "  [runs on {}]", step.runs_on.join(", "));
    }
    if let Some(reason) = &step.reason {
        let _ = write!(line, "  {reason}");
    }
    line
}

/// Reports a change to a molecule, e.g. `poured MOL: TITLE`.
#[must_use]
pub fn mol_done(what: &str, molecule: &Molecule) -> String {
    format!("{what} {}: {}", molecule.id, molecule.title)
}

/// Suggests the next call: let the machine do its steps, claim a step, or find out why no step is
/// ready.
#[must_use]
pub fn mol_next(molecule: &Molecule) -> NextAction {
    let ready = startable(molecule);
    let doers: Vec<Doer> = ready.map(|step| step.doer).collect();
    let (command, reason) = match doers.iter().all(|doer| *doer == Doer::Machine) {
        true if doers.is_empty() => ("mol doctor", "see what it waits for"),
        true => ("mol drive", "let the machine do its steps"),
        false => ("mol claim", "claim a ready step"),
    };
    NextAction::new(command, reason).positional(molecule.id.as_str())
}

/// Formats a molecule's progress on one line, including the estimated end if known.
#[must_use]
pub fn mol_progress(progress: &MolProgress) -> String {
    let mut line = format!(
        "{}  {}%  {} of {} steps  ({})",
        progress.id,
        progress.percent,
        progress.done,
        progress.total,
        counted(&progress.steps)
    );
    if let (Some(rate), Some(at)) = (progress.per_hour, progress.done_at) {
        let _ = write!(line, "  {rate} an hour, done about {at}");
    }
    line
}

/// Formats a finding about stalled work, along with the command to get it moving again.
#[must_use]
pub fn mol_finding(finding: &MolFinding) -> String {
    format!("{}\n    {}", finding.message, finding.next)
}

/// Returns a note if a molecule is poured in another phase than its formula declares. This is
/// allowed, but may not be intended.
#[must_use]
pub fn other_phase(phase: Option<Phase>, passes: bool) -> Option<&'static str> {
    match (phase, passes) {
        (Some(Phase::Vapor), false) => Some(
            "is declared as vapor but poured as a lasting molecule; `windlass mol wisp` pours it as declared",
        ),
        (Some(Phase::Liquid), true) => Some(
            "is declared as liquid but poured as a wisp; `windlass mol pour` pours it as declared",
        ),
        _ => None,
    }
}
