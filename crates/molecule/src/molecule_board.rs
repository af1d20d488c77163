//! Views of molecules for a board: all claims, the gates that wait for an answer, and the steps of
//! a molecule.
//!
//! Unlike the functions of [`Molecules`], these never write anything, so they work without an actor
//! name. An expired lease, for example, is shown as overdue instead of being settled.

use std::borrow::Cow;

use serde::Serialize;
use windlass_formula::{CookedStep, GateInput, GateKind};
use windlass_ledger::{LedgerError, MolStep, Molecule, Stamp};
use windlass_plan::{Plan, Status};
use windlass_site::Error;

use crate::Molecules;
use crate::gate_needs::GateView;
use crate::step_report::StepReport;

/// A current or past claim on a step.
#[derive(Debug, Clone, Serialize)]
pub struct ClaimReport {
    /// The molecule's ID.
    pub mol_id: String,
    /// The step's name.
    pub step_id: String,
    /// The title of the step.
    pub title: String,
    /// The actor with the claim, or `None` for an unclaimed step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// The start of the attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Stamp>,
    /// The time at which the claim ends unless there's another heartbeat. `None` if the step isn't
    /// in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Stamp>,
    /// True if the lease has expired, but nobody has ended the claim yet.
    pub overdue: bool,
}

/// A step on a board.
#[derive(Debug, Clone, Serialize)]
pub struct BoardCard {
    /// The step, with its current or last holder.
    #[serde(flatten)]
    pub claim: ClaimReport,
    /// The molecule's title.
    pub molecule: String,
    /// The reason why the step is blocked, has failed or was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The number of the current or last attempt.
    pub attempt: u32,
}

/// The steps with the same status.
#[derive(Debug, Clone, Serialize)]
pub struct BoardColumn {
    /// The status of all steps in the column.
    pub status: Status,
    /// The number of steps with this status, including those that didn't get a card.
    pub total: usize,
    /// The cards, up to the limit.
    pub cards: Vec<BoardCard>,
}

/// A closed gate in front of a step.
#[derive(Debug, Clone, Serialize)]
pub struct GateReport {
    /// The molecule's ID.
    pub mol_id: String,
    /// The molecule's title.
    pub molecule: String,
    /// The step's name.
    pub step_id: String,
    /// The step's title.
    pub title: String,
    /// The index of the gate within the step.
    pub gate: u32,
    /// The kind of gate, e.g. `human` or `timer`.
    pub kind: String,
    /// A description of what opens the gate.
    pub waits_for: String,
    /// A command to open the gate, or at least to try.
    pub call: String,
    /// The inputs requested by a human gate.
    pub inputs: Vec<AskedInput>,
}

/// An input requested by a gate.
#[derive(Debug, Clone, Serialize)]
pub struct AskedInput {
    /// The input's name.
    pub name: String,
    /// The input's type, description and so on.
    #[serde(flatten)]
    pub input: GateInput,
}

/// A read-only view of the molecules.
#[derive(Debug, Clone, Copy)]
pub struct MoleculeBoard<'a>(&'a Molecules<'a>);

impl<'a> MoleculeBoard<'a> {
    /// The statuses, in the order of the columns.
    pub const COLUMNS: [Status; 7] = [
        Status::Pending,
        Status::Ready,
        Status::InProgress,
        Status::Blocked,
        Status::Failed,
        Status::Completed,
        Status::Skipped,
    ];

    /// Creates the board. Nothing is read until one of the other functions is called.
    #[must_use]
    pub fn of(molecules: &'a Molecules<'a>) -> Self {
        Self(molecules)
    }

    /// Returns the claims of all actors in all open molecules.
    #[must_use]
    pub fn claims(&self) -> Vec<ClaimReport> {
        let now = self.0.session.log_now();
        let mut claims = Vec::new();
        for molecule in self.open_molecules() {
            let held = molecule
                .steps
                .iter()
                .filter(|step| step.shown() == Status::InProgress);
            claims.extend(held.map(|step| ClaimReport::of(&molecule, step, now)));
        }
        claims
    }

    /// Returns the steps of all open molecules, or of molecule `id`, in the columns of
    /// [`Self::COLUMNS`].
    ///
    /// Each column contains up to `limit` cards. Steps in progress are sorted by the end of their
    /// lease, so that the ones that may need attention come first.
    ///
    /// # Errors
    /// Returns an error if the molecule doesn't exist.
    pub fn columns(&self, id: Option<&str>, limit: usize) -> Result<Vec<BoardColumn>, Error> {
        let now = self.0.session.log_now();
        let shown = match id {
            Some(id) => vec![self.molecule(id)?],
            None => self.open_molecules(),
        };
        let mut columns = Self::COLUMNS.map(|status| BoardColumn {
            status,
            total: 0,
            cards: Vec::new(),
        });
        for molecule in &shown {
            for step in &molecule.steps {
                let status = molecule.status_of(step);
                let column = columns.iter_mut().find(|column| column.status == status);
                let Some(column) = column else { continue };
                column.total += 1;
                // We can't stop at the limit for steps in progress, since they still have to be
                // sorted.
                if column.cards.len() < limit || status == Status::InProgress {
                    column.cards.push(BoardCard {
                        claim: ClaimReport::of(molecule, step, now),
                        molecule: molecule.title.clone(),
                        reason: molecule.reason(step),
                        attempt: step.attempt,
                    });
                }
            }
        }
        for column in &mut columns {
            column.cards.sort_by_key(|card| {
                let until = card.claim.lease_until;
                // The sort is stable, so all other columns stay in the order of their molecules.
                (until.is_none(), until)
            });
            column.cards.truncate(limit);
        }
        Ok(columns.into())
    }

    /// Returns a molecule's plan, from which the board draws a graph.
    ///
    /// # Errors
    /// Returns an error if the molecule doesn't exist or its formula can't be read.
    pub fn plan(&self, id: &str) -> Result<Plan, Error> {
        let cooked = self.0.formula_of(id)?;
        cooked.to_plan().map_err(Error::document)
    }

    /// Returns the closed gates in all open molecules. We skip gates in front of steps that
    /// couldn't start anyway, because there's no point in answering them yet.
    #[must_use]
    pub fn closed_gates(&self) -> Vec<GateReport> {
        let mut gates = Vec::new();
        for molecule in self.open_molecules() {
            gates.extend(self.closed_gates_of(&molecule));
        }
        gates
    }

    fn closed_gates_of(&self, molecule: &Molecule) -> Vec<GateReport> {
        if molecule.is_waiting() || !molecule.steps.iter().any(MolStep::waits_at_gates) {
            return Vec::new();
        }
        let cooked = self.0.formula_of(&molecule.id).ok();
        let world = self.0.session.world();
        let view = GateView {
            state: self.0.session.state(),
            world: &world,
            molecule,
            cooked: cooked.as_ref(),
            now: self.0.session.log_now(),
        };
        let mut gates = Vec::new();
        for (at, step) in molecule.steps.iter().enumerate() {
            let asked = cooked.as_ref().and_then(|cooked| cooked.steps.get(at));
            for (number, need) in step.closed_gates().zip(view.needs(step)) {
                let kind = step.gates.get(number).map(|gate| gate.kind.clone());
                gates.push(GateReport {
                    mol_id: molecule.id.clone(),
                    molecule: molecule.title.clone(),
                    step_id: step.id.clone(),
                    title: step.title.clone(),
                    gate: u32::try_from(number).unwrap_or(u32::MAX),
                    kind: kind.unwrap_or_default(),
                    waits_for: need.waits_for,
                    call: need.call,
                    inputs: inputs_of(asked, number),
                });
            }
        }
        gates
    }

    /// Reports about all steps of a molecule, in the order of its formula.
    ///
    /// # Errors
    /// Returns an error if the molecule doesn't exist.
    pub fn step_reports(&self, id: &str) -> Result<Vec<StepReport>, Error> {
        let molecule = self.molecule(id)?;
        let cooked = self.0.formula_of(id).ok();
        let report = |(at, step): (usize, &MolStep)| {
            let asked = cooked.as_ref().and_then(|cooked| cooked.steps.get(at));
            let mut report = StepReport::of(&molecule, step, asked);
            // The token proves the claim, so only the holder may see it.
            report.token = None;
            report
        };
        Ok(molecule.steps.iter().enumerate().map(report).collect())
    }

    fn molecule(&self, id: &str) -> Result<Molecule, Error> {
        let state = self.0.session.state();
        let found = state.molecules.get(id);
        Ok(found.ok_or_else(|| LedgerError::no_molecule(state, id))?)
    }

    fn open_molecules(&self) -> Vec<Molecule> {
        let state = self.0.session.state();
        let open = state.molecules.open();
        let found = open.iter().filter_map(|id| state.molecule(id));
        found.map(Cow::into_owned).collect()
    }
}

impl ClaimReport {
    fn of(molecule: &Molecule, step: &MolStep, now: Stamp) -> Self {
        let is_held = step.shown() == Status::InProgress;
        Self {
            mol_id: molecule.id.clone(),
            step_id: step.id.clone(),
            title: step.title.clone(),
            holder: step.holder.clone(),
            started_at: step.started_at,
            lease_until: step.lease_until.filter(|_| is_held),
            overdue: step.is_overdue(now),
        }
    }
}

fn inputs_of(asked: Option<&CookedStep>, gate: usize) -> Vec<AskedInput> {
    match asked
        .and_then(|asked| asked.gates.get(gate))
        .map(|gate| &gate.kind)
    {
        Some(GateKind::Human { inputs, .. }) => {
            let inputs = inputs.iter().map(|(name, input)| AskedInput {
                name: name.clone(),
                input: input.clone(),
            });
            inputs.collect()
        }
        _ => Vec::new(),
    }
}
