//! Diagnoses stuck molecules. Each problem comes with a command to resolve it.
//!
//! The diagnosis never writes, so it also works for a user without an actor name. This means that
//! events that have become due are not in the state yet: for example, we have to find expired
//! leases by comparing times.

use std::time::Duration;

use serde::Serialize;
use windlass_ledger::{Doer, MolStep, Molecule, Stamp, is_document, outdated_items};
use windlass_plan::{Outcome, Status, format_duration};
use windlass_vcontext::DocumentService;

use crate::Molecules;
use crate::gate_needs::{GateNeed, GateView};
use windlass_site::Error;

/// A problem with a molecule or a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MolFinding {
    /// The molecule's ID, or an empty string for problems that do not concern a molecule.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mol_id: String,
    /// The step's name, or `None` for problems that do not concern a single step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// The kind of problem.
    pub trouble: MolTrouble,
    /// A sentence about the problem, for the user.
    pub message: String,
    /// A command to resolve the problem, or a first step towards that.
    pub next: String,
}

/// Kinds of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MolTrouble {
    /// A step has been ready for a while, but nobody has claimed it.
    Unclaimed,
    /// The step's holder has not sent a heartbeat in time.
    Expired,
    /// A temporary molecule has been inactive for longer than its lifetime.
    WispExpired,
    /// A step failed and has no retries left.
    Failed,
    /// A gate is waiting for a person, or for an event that nothing here will trigger.
    Gate,
    /// A clock that no other clock has confirmed. Deadlines do not expire by it.
    Clock,
    /// A machine step is ready, but no drive is running it.
    Machine,
    /// The molecule is waiting for another one that will never be completed.
    Bond,
    /// The molecule's document does not show its progress.
    Document,
    /// The molecule has not had an event for a long time.
    Stale,
}

impl Molecules<'_> {
    /// Borrows the molecules to diagnose them.
    #[must_use]
    pub fn doctor(&self) -> MoleculeDoctor<'_> {
        MoleculeDoctor { molecules: self }
    }
}

/// Diagnoses the molecules of a ledger without changing them.
#[derive(Debug)]
pub struct MoleculeDoctor<'a> {
    molecules: &'a Molecules<'a>,
}

impl MoleculeDoctor<'_> {
    /// Finds the problems of all open molecules, or of molecule `id`. Steps that have been waiting
    /// for less than `patience_ms` are not reported, since that is normal.
    ///
    /// # Errors
    /// Returns an error if the molecule does not exist.
    pub fn examine(&self, id: Option<&str>, patience_ms: u64) -> Result<Vec<MolFinding>, Error> {
        let before = self.before(patience_ms);
        let now = self.molecules.session.log_now();
        let mut findings: Vec<MolFinding> = self
            .molecules
            .session
            .log_clock()
            .wrong()
            .map(wrong_clock)
            .collect();
        let world = self.molecules.session.world();
        let ids = match id {
            Some(_) => vec![self.molecules.id(id)?],
            None => {
                let all = self.molecules.session.state().molecules.iter();
                all.map(|(id, _)| id.to_owned()).collect()
            }
        };
        for id in ids {
            // Look at the state as it is. Settling the molecule would write events.
            let Some(molecule) = self.molecules.session.state().molecule(&id) else {
                continue;
            };
            if molecule.closing.is_some() {
                continue;
            }
            if let Some(at) = molecule.expires_at().filter(|_| molecule.is_expired(now)) {
                findings.push(MolFinding {
                    message: format!("`{id}` expired at {at}: no activity during its time to live"),
                    next: format!("windlass mol burn {id}"),
                    mol_id: id,
                    step_id: None,
                    trouble: MolTrouble::WispExpired,
                });
                continue;
            }
            findings.extend(self.unwritten_progress(&molecule));
            if molecule.is_waiting() {
                findings.extend(bonds(self.molecules.session.state(), &molecule));
                continue;
            }
            let cooked = self.molecules.formula_of(&id).ok();
            let view = GateView {
                state: self.molecules.session.state(),
                world: &world,
                molecule: &molecule,
                cooked: cooked.as_ref(),
                now,
            };
            for step in &molecule.steps {
                let clock = self.molecules.session.now();
                findings.extend(finding(&molecule, step, Clocks { now, clock }, before));
                findings.extend(gates(&view, step, before));
            }
        }
        Ok(findings)
    }

    /// Counts the steps with `status` in all open molecules, and in those that failed but have not
    /// been closed.
    #[must_use]
    pub fn unfinished(&self, status: Status) -> usize {
        let state = self.molecules.session.state();
        let molecules = state.molecules.iter().filter(|(_, found)| {
            let head = found.head().filter(|head| head.put_away.is_none());
            head.is_some_and(|head| {
                !matches!(head.outcome, Some(Outcome::Completed | Outcome::Partial))
            })
        });
        let count = |(id, _)| {
            let molecule = state.molecule(id)?;
            let steps = molecule.steps.iter();
            Some(steps.filter(|step| step.shown() == status).count())
        };
        molecules.filter_map(count).sum()
    }

    fn before(&self, patience_ms: u64) -> Stamp {
        let patience = i64::try_from(patience_ms).unwrap_or(i64::MAX);
        let now = self.molecules.session.now().micros();
        Stamp::from_micros(now.saturating_sub(patience.saturating_mul(1000)))
    }

    /// Reports a document that does not show the molecule's progress. This happens if the ledger
    /// was written, but writing the document failed.
    fn unwritten_progress(&self, molecule: &Molecule) -> Option<MolFinding> {
        let (mol, file) = (&molecule.id, &molecule.formula);
        if !is_document(file) {
            return None;
        }
        let count = self.molecules.formula_of(mol).and_then(|cooked| {
            let site = self.molecules.session.site();
            let documents = DocumentService::new(site);
            let document = documents.vcontext(file, site.repo().root(), &site.snapshot())?;
            Ok(outdated_items(&document, molecule, &cooked))
        });
        let message = match count {
            Ok(0) => return None,
            Ok(count) => format!(
                "`{file}` does not show the progress of `{mol}`: {} with an outdated status",
                windlass_base::counted(count, "item")
            ),
            Err(error) => {
                let why = error.to_string();
                let why = why.lines().next().unwrap_or_default();
                format!("`{file}`, the document of `{mol}`, cannot be read: {why}")
            }
        };
        Some(MolFinding {
            mol_id: mol.clone(),
            step_id: None,
            trouble: MolTrouble::Document,
            message,
            next: format!("windlass mol drive {mol}"),
        })
    }

    /// Finds the open molecules without an event in the last `patience_ms`.
    ///
    /// # Errors
    /// Returns an error if the ledger cannot be read.
    pub fn stale(&self, patience_ms: u64) -> Result<Vec<MolFinding>, Error> {
        let before = self.before(patience_ms).micros();
        let open = self.molecules.open(None)?.into_iter();
        let stale = open.filter_map(|id| {
            let found = self.molecules.session.state().molecules.find(&id)?;
            let head = found.head().filter(|head| head.touched <= before)?;
            let since = Stamp::from_micros(head.touched);
            Some(MolFinding {
                message: format!("`{id}` has had no event since {since}"),
                next: format!("windlass mol doctor {id}"),
                mol_id: id.clone(),
                step_id: None,
                trouble: MolTrouble::Stale,
            })
        });
        Ok(stale.collect())
    }
}

fn bonds(state: &windlass_ledger::State, molecule: &Molecule) -> Option<MolFinding> {
    molecule.open_bonds().find_map(|bond| {
        let found = state.molecules.find(&bond.mol_id)?;
        let head = found.head()?;
        let why = match (head.outcome, head.put_away) {
            (Some(Outcome::Failed | Outcome::Cancelled), _) => "failed",
            (None, Some(_)) => "was put away",
            _ => return None,
        };
        Some(MolFinding {
            message: format!("`{}` waits for `{}`, which {why}", molecule.id, bond.mol_id),
            next: format!("windlass mol burn {}", molecule.id),
            mol_id: molecule.id.clone(),
            step_id: None,
            trouble: MolTrouble::Bond,
        })
    })
}

fn wrong_clock((actor, ahead): (&str, i64)) -> MolFinding {
    let by = format_duration(Duration::from_secs(ahead.unsigned_abs() / 1_000_000));
    let way = if ahead > 0 { "ahead of" } else { "behind" };
    MolFinding {
        mol_id: String::new(),
        step_id: None,
        trouble: MolTrouble::Clock,
        message: format!("the clock of {actor} is {by} {way} log time: no deadline expires by it"),
        next: format!("windlass events list --by {actor}"),
    }
}

fn gates(view: &GateView<'_>, step: &MolStep, before: Stamp) -> Vec<MolFinding> {
    // It's normal for a gate to be closed for a while.
    if step.reached_at.is_some_and(|at| at > before) {
        return Vec::new();
    }
    let (mol, id) = (&view.molecule.id, &step.id);
    let since = step.reached_at.map(|at| format!(" since {at}"));
    let since = since.unwrap_or_default();
    let finding = |need: GateNeed| MolFinding {
        mol_id: mol.clone(),
        step_id: Some(id.clone()),
        trouble: MolTrouble::Gate,
        message: format!("`{id}` of `{mol}` waits{since} for {}", need.waits_for),
        next: need.call,
    };
    view.needs(step).into_iter().map(finding).collect()
}

#[derive(Clone, Copy)]
struct Clocks {
    /// The log's time, by which deadlines expire.
    now: Stamp,
    /// The caller's clock, which may be wrong.
    clock: Stamp,
}

fn finding(
    molecule: &Molecule,
    step: &MolStep,
    Clocks { now, clock }: Clocks,
    before: Stamp,
) -> Option<MolFinding> {
    let (mol, id) = (&molecule.id, &step.id);
    // A step may have been reached long before its last gate opened and made it ready.
    let opened = step.gates.iter().filter_map(|gate| gate.opened_at).max();
    let opened = opened.filter(|_| step.shown() == Status::Ready);
    let reached = step
        .reached_at
        .map(|at| opened.map_or(at, |opened| at.max(opened)));
    let is_old = reached.is_none_or(|at| at <= before);
    let since = reached.map_or(String::new(), |at| format!(" since {at}"));
    let (trouble, message, next) = match step.shown() {
        Status::Ready if is_old && step.doer == Doer::Machine => (
            MolTrouble::Machine,
            format!("is a machine step, ready{since}"),
            format!("windlass mol drive {mol}"),
        ),
        Status::Ready if is_old && molecule.room() > 0 => (
            MolTrouble::Unclaimed,
            match step.expired {
                0 => format!("is ready{since}, but unclaimed"),
                times => format!(
                    "is ready, but unclaimed after {}",
                    windlass_base::counted(times as usize, "expired claim")
                ),
            },
            format!("windlass mol claim {mol} {id}"),
        ),
        Status::InProgress if step.is_overdue(now) => {
            let holder = step.holder.as_deref().unwrap_or("another actor");
            let until = step.lease_end(now).unwrap_or_default();
            (
                MolTrouble::Expired,
                format!(
                    "is claimed by {holder}, but its lease ended at {until} without a heartbeat"
                ),
                format!("windlass mol claim {mol} {id}"),
            )
        }
        Status::InProgress if step.is_overdue(clock) => {
            let holder = step.holder.as_deref().unwrap_or("another actor");
            (
                MolTrouble::Clock,
                format!(
                    "is claimed by {holder}, and the lease has ended by this clock only: the next command of another actor \
                     confirms it, or one of yours ten minutes later"
                ),
                format!("windlass mol release {mol} {id} --reason TEXT"),
            )
        }
        // A scope only fails because of a member, so the member itself is reported.
        Status::Failed if molecule.outcome != Some(Outcome::Partial) && !step.is_scope() => (
            MolTrouble::Failed,
            format!(
                "failed and will not be retried: {}",
                step.note.as_deref().unwrap_or("no reason given")
            ),
            format!("windlass mol push-back {mol} {id} --reason TEXT"),
        ),
        _ => return None,
    };
    Some(MolFinding {
        mol_id: mol.clone(),
        step_id: Some(id.clone()),
        trouble,
        message: format!("`{id}` of `{mol}` {message}"),
        next,
    })
}
