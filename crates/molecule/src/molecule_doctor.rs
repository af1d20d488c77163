//! What stands still, and what would move it.

use std::time::Duration;

use serde::Serialize;
use windlass_ledger::{Doer, MolStep, Molecule, Stamp, is_document, untold_items};
use windlass_plan::{Outcome, Status, format_duration};
use windlass_vcontext::DocumentService;

use crate::Molecules;
use crate::gate_needs::{GateNeed, GateView};
use windlass_site::Error;

/// Something that does not go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MolFinding {
    /// The molecule; empty where it is about none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mol_id: String,
    /// The step, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// What it is.
    pub trouble: MolTrouble,
    /// The same in words.
    pub message: String,
    /// The call that would move it.
    pub next: String,
}

/// Why something does not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MolTrouble {
    /// Nobody claims a step that is ready.
    Unclaimed,
    /// Who has a step was not heard of in time.
    Expired,
    /// A molecule was to pass, and its time is over.
    WispExpired,
    /// A step failed, and is not tried again.
    Failed,
    /// A gate waits for somebody, or for something that nobody looks at.
    Gate,
    /// A clock differs from all others, so that nothing ends by it.
    Clock,
    /// A step of the machine waits to be driven.
    Machine,
    /// It comes after another that will not be done.
    Bond,
    /// The document it is made of does not say how far it is.
    Document,
    /// Nothing happened for long.
    Stale,
}

impl Molecules<'_> {
    /// Lines that stand still in them.
    #[must_use]
    pub fn doctor(&self) -> MoleculeDoctor<'_> {
        MoleculeDoctor { molecules: self }
    }
}

/// A look at what does not go on, which changes nothing.
#[derive(Debug)]
pub struct MoleculeDoctor<'a> {
    molecules: &'a Molecules<'a>,
}

impl MoleculeDoctor<'_> {
    /// What does not go on in the molecules that are open: in one of them, if it is named; what has stood still for less
    /// than `patience_ms` is left out.
    ///
    /// # Errors
    /// When there is no such molecule.
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
            // Looking changes nothing: who asks what is wrong may be anybody.
            let Some(molecule) = self.molecules.session.state().molecule(&id) else {
                continue;
            };
            if molecule.closing.is_some() {
                continue;
            }
            if let Some(at) = molecule.expires_at().filter(|_| molecule.is_expired(now)) {
                findings.push(MolFinding {
                    message: format!(
                        "`{id}` expired at {at}: nobody worked on it for as long as it was to stay"
                    ),
                    next: format!("windlass mol burn {id}"),
                    mol_id: id,
                    step_id: None,
                    trouble: MolTrouble::WispExpired,
                });
                continue;
            }
            findings.extend(self.untold(&molecule));
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

    /// The moment so long ago.
    fn before(&self, patience_ms: u64) -> Stamp {
        let patience = i64::try_from(patience_ms).unwrap_or(i64::MAX);
        let now = self.molecules.session.now().micros();
        Stamp::from_micros(now.saturating_sub(patience.saturating_mul(1000)))
    }

    /// That the document of a molecule does not say how far it is, since it could not be written then.
    fn untold(&self, molecule: &Molecule) -> Option<MolFinding> {
        let (mol, file) = (&molecule.id, &molecule.formula);
        if !is_document(file) {
            return None;
        }
        let count = self.molecules.formula_of(mol).and_then(|cooked| {
            let site = self.molecules.session.site();
            let documents = DocumentService::new(site);
            let document = documents.vcontext(file, site.repo().root(), &site.snapshot())?;
            Ok(untold_items(&document, molecule, &cooked))
        });
        let message = match count {
            Ok(0) => return None,
            Ok(count) => format!(
                "`{file}` does not say how far `{mol}` is: {} of it should have another status",
                windlass_base::counted(count, "item")
            ),
            Err(error) => {
                let why = error.to_string();
                let why = why.lines().next().unwrap_or_default();
                format!("`{file}`, which `{mol}` is made of, cannot be read: {why}")
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

    /// Molecules that are open, and that nothing happened to for so many milliseconds.
    ///
    /// # Errors
    /// When nothing can be read.
    pub fn stale(&self, patience_ms: u64) -> Result<Vec<MolFinding>, Error> {
        let before = self.before(patience_ms).micros();
        let open = self.molecules.open(None)?.into_iter();
        let stale = open.filter_map(|id| {
            let found = self.molecules.session.state().molecules.find(&id)?;
            let head = found.head().filter(|head| head.touched <= before)?;
            let since = Stamp::from_micros(head.touched);
            Some(MolFinding {
                message: format!("nothing happened to `{id}` since {since}"),
                next: format!("windlass mol doctor {id}"),
                mol_id: id.clone(),
                step_id: None,
                trouble: MolTrouble::Stale,
            })
        });
        Ok(stale.collect())
    }
}

/// What a molecule waits for that will not end by itself.
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
            message: format!(
                "`{}` comes after `{}`, which {why}",
                molecule.id, bond.mol_id
            ),
            next: format!("windlass mol burn {}", molecule.id),
            mol_id: molecule.id.clone(),
            step_id: None,
            trouble: MolTrouble::Bond,
        })
    })
}

/// That nobody confirms a clock.
fn wrong_clock((actor, ahead): (&str, i64)) -> MolFinding {
    let by = format_duration(Duration::from_secs(ahead.unsigned_abs() / 1_000_000));
    let way = if ahead > 0 { "ahead of" } else { "behind" };
    MolFinding {
        mol_id: String::new(),
        step_id: None,
        trouble: MolTrouble::Clock,
        message: format!("the clock of {actor} is {by} {way} the log's time: nothing ends by it"),
        next: format!("windlass events list --by {actor}"),
    }
}

/// The closed gates that a step has waited at since `before`.
fn gates(view: &GateView<'_>, step: &MolStep, before: Stamp) -> Vec<MolFinding> {
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

/// Current time of the log and of the caller.
#[derive(Clone, Copy)]
struct Clocks {
    /// The log's time.
    now: Stamp,
    /// The caller's clock.
    clock: Stamp,
}

fn finding(
    molecule: &Molecule,
    step: &MolStep,
    Clocks { now, clock }: Clocks,
    before: Stamp,
) -> Option<MolFinding> {
    let (mol, id) = (&molecule.id, &step.id);
    // A gate that opened late made it ready late.
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
            format!("is for the machine to do, and ready{since}"),
            format!("windlass mol drive {mol}"),
        ),
        Status::Ready if is_old && molecule.room() > 0 => (
            MolTrouble::Unclaimed,
            match step.expired {
                0 => format!("is ready{since}, and nobody has claimed it"),
                times => format!(
                    "is ready, and nobody has it: {} of it ran out",
                    windlass_base::counted(times as usize, "claim")
                ),
            },
            format!("windlass mol claim {mol} {id}"),
        ),
        Status::InProgress if step.is_overdue(now) => {
            let holder = step.holder.as_deref().unwrap_or("somebody");
            let until = step.lease_end(now).unwrap_or_default();
            (
                MolTrouble::Expired,
                format!("is {holder}'s, who was not heard of since the lease ended at {until}"),
                format!("windlass mol claim {mol} {id}"),
            )
        }
        Status::InProgress if step.is_overdue(clock) => {
            let holder = step.holder.as_deref().unwrap_or("somebody");
            (
                MolTrouble::Clock,
                format!(
                    "is {holder}'s, and only this clock says that the lease is over: the next command of another actor \
                     confirms it, or one of yours ten minutes later"
                ),
                format!("windlass mol release {mol} {id} --reason TEXT"),
            )
        }
        Status::Failed if molecule.outcome != Some(Outcome::Partial) => (
            MolTrouble::Failed,
            format!(
                "failed, and is not tried again: {}",
                step.note.as_deref().unwrap_or("nobody said why")
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
