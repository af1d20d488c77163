//! Reports about molecules, such as lists, progress, ready steps and current steps.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_ledger::{Doer, LedgerError, Molecule, MoleculeFile, Stamp, startable};

use crate::Molecules;
use crate::molecule_progress::{MolProgress, counts};
use crate::step_report::StepReport;

use windlass_site::Error;

/// A molecule's summary, shown in lists.
#[derive(Debug, Clone, Serialize)]
pub struct MolSummary {
    /// The molecule's id.
    pub id: String,
    /// Title shown to readers.
    pub title: String,
    /// Name of the molecule's formula.
    pub formula: String,
    /// Persistence: permanent (liquid) or temporary (vapor).
    pub state: windlass_ledger::MolState,
    /// The molecule's outcome, or the way it was closed. `expired` if its lifetime is over, and
    /// `open` if work is left.
    pub status: String,
    /// Number of steps by status.
    pub steps: BTreeMap<&'static str, usize>,
    /// Time of the last activity.
    pub touched_at: Stamp,
}

/// Full report of a molecule.
#[derive(Debug, Clone, Serialize)]
pub struct MolReport {
    /// The molecule, as in its exported file.
    #[serde(flatten)]
    pub molecule: MoleculeFile,
    /// True if the molecule's lifetime is over. The next command that changes the molecule discards
    /// it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
    /// Describes how the formula's files have changed since the molecule was poured, or why they
    /// can no longer be cooked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula_changed: Option<String>,
}

/// Steps that can be claimed, with their molecules.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ReadySteps {
    /// Steps the caller may claim.
    pub steps: Vec<ReadyStep>,
    /// Number of further claimable steps, which are assigned to other actors.
    pub for_others: usize,
}

/// A step that can be claimed.
#[derive(Debug, Clone, Serialize)]
pub struct ReadyStep {
    /// The molecule's id.
    pub mol_id: String,
    /// The step's name.
    pub step_id: String,
    /// Title shown to readers.
    pub title: String,
    /// Kind of actor performing the step.
    pub doer: Doer,
    /// The actor the step is assigned to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meant_for: Option<String>,
    /// Kind of agent that should perform the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The only agent allowed to claim the step, by name, group or role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// True if no other step of the molecule may run at the same time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// Priority, from 0 (critical) to 4.
    pub priority: u8,
    /// Time at which the step became claimable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Stamp>,
}

impl MolSummary {
    fn of(molecule: &Molecule, now: Stamp) -> Self {
        let closing = molecule.closing.as_ref();
        let put_away = closing.map(|closing| serde_name(&closing.how));
        let ended = molecule.outcome.map(|outcome| serde_name(&outcome));
        let open = match molecule.is_expired(now) {
            true => "expired",
            false => "open",
        };
        Self {
            id: molecule.id.clone(),
            title: molecule.title.clone(),
            formula: molecule.formula.clone(),
            state: molecule.state,
            status: put_away.or(ended).unwrap_or_else(|| open.to_owned()),
            steps: counts(molecule),
            touched_at: molecule.touched_at,
        }
    }
}

/// Returns an enum value's serialised name.
fn serde_name<T: Serialize>(value: &T) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

impl Molecules<'_> {
    /// Returns all molecules, newest last. Closed molecules are included only if `all` is set.
    #[must_use]
    pub fn list(&self, all: bool) -> Vec<MolSummary> {
        let state = self.session.state();
        let wanted = state.molecules.iter().filter(|(_, found)| {
            let head = found.head();
            all || head.is_some_and(|head| head.put_away.is_none())
        });
        let mut molecules: Vec<Molecule> = wanted.filter_map(|(_, found)| found.record()).collect();
        molecules.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        let now = self.session.log_now();
        let summary = |molecule| MolSummary::of(molecule, now);
        molecules.iter().map(summary).collect()
    }

    /// Returns the progress of a molecule.
    ///
    /// # Errors
    /// Returns an error if the molecule doesn't exist.
    pub fn progress(&mut self, id: Option<&str>) -> Result<MolProgress, Error> {
        let molecule = self.get(id, None)?;
        Ok(MolProgress::of(&molecule, self.session.now()))
    }

    /// Returns the claimable steps in the order they are assigned, in all molecules or only in
    /// molecule `id`. Steps for other actors are only counted, unless `all` is set.
    ///
    /// # Errors
    /// Returns an error if the molecule doesn't exist.
    pub fn ready(&mut self, id: Option<&str>, all: bool) -> Result<ReadySteps, Error> {
        let mut ready = ReadySteps::default();
        let who = self
            .session
            .actor()
            .ok()
            .filter(|_| !all)
            .map(str::to_owned);
        for id in self.open(id)? {
            self.settle_if_due(&id)?;
            let Some(molecule) = self.session.state().molecule(&id) else {
                continue;
            };
            if molecule.is_expired(self.session.log_now()) {
                continue;
            }
            let (steps, others): (Vec<_>, Vec<_>) = startable(&molecule)
                .partition(|step| who.as_deref().is_none_or(|who| step.is_for(who)));
            ready.for_others += others.len();
            let mut here: Vec<ReadyStep> = steps
                .into_iter()
                .map(|step| ReadyStep {
                    mol_id: id.clone(),
                    step_id: step.id.clone(),
                    title: step.title.clone(),
                    doer: step.doer,
                    meant_for: step.meant_for.clone(),
                    agent: step.agent.clone(),
                    target: step.target.clone(),
                    alone: step.alone,
                    priority: step
                        .priority
                        .unwrap_or(windlass_ledger::bead::USUAL_PRIORITY),
                    since: step.reached_at,
                })
                .collect();
            here.sort_by_key(|step| step.priority);
            ready.steps.extend(here);
        }
        Ok(ready)
    }

    /// Returns the ids of the open molecules, oldest first, or only the molecule `id` if given.
    pub(crate) fn open(&self, id: Option<&str>) -> Result<Vec<String>, Error> {
        if id.is_some() {
            return Ok(vec![self.id(id)?]);
        }
        Ok(self.session.state().molecules.open())
    }

    /// Returns the steps claimed by an actor, which by default is the caller.
    ///
    /// # Errors
    /// Returns an error if `who` is `None` and the caller has no actor name.
    pub fn current_steps(&self, who: Option<&str>) -> Result<Vec<StepReport>, Error> {
        let who = match who {
            Some(who) => who,
            None => self.session.actor()?,
        };
        let mut current = Vec::new();
        for id in self.open(None)? {
            let Some(molecule) = self.session.state().molecule(&id) else {
                continue;
            };
            let mut cooked = None;
            for (at, step) in molecule.steps.iter().enumerate() {
                if step.is_held_by(who) {
                    let cooked = cooked.get_or_insert_with(|| self.formula_of(&id).ok());
                    let asked = cooked.as_ref().and_then(|cooked| cooked.steps.get(at));
                    current.push(StepReport::of(&molecule, step, asked));
                }
            }
        }
        Ok(current)
    }

    /// Returns the report about a step.
    ///
    /// # Errors
    /// Returns an error if the step doesn't exist.
    pub fn step(&mut self, id: &str, step: &str) -> Result<StepReport, Error> {
        let molecule = self.get(Some(id), None)?;
        let Some(at) = molecule.find(step) else {
            return Err(LedgerError::no_step(&molecule, step).into());
        };
        Ok(self.report_of(&molecule, at.index()))
    }

    /// Returns the report about step number `at` in `molecule`.
    pub(crate) fn report_of(&self, molecule: &Molecule, at: usize) -> StepReport {
        let cooked = self.formula_of(&molecule.id).ok();
        let asked = cooked.as_ref().and_then(|cooked| cooked.steps.get(at));
        StepReport::of(molecule, &molecule.steps[at], asked)
    }
}
