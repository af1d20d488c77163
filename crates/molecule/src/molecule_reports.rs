//! Reports about molecules: lists, progress, ready steps and current steps.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_ledger::{Doer, LedgerError, Molecule, MoleculeFile, Stamp, startable};

use crate::Molecules;
use crate::molecule_progress::{MolProgress, counts};
use crate::step_report::StepReport;

use windlass_site::Error;

/// A molecule as shown in lists.
#[derive(Debug, Clone, Serialize)]
pub struct MolSummary {
    /// The molecule's ID.
    pub id: String,
    /// The title for readers.
    pub title: String,
    /// The name of the molecule's formula.
    pub formula: String,
    /// Tells if the molecule is permanent (liquid) or temporary (vapor).
    pub state: windlass_ledger::MolState,
    /// How the molecule was closed, its outcome if it has only ended, `expired` after its lifetime,
    /// or `open`.
    pub status: String,
    /// Number of steps by status. Statuses without any steps are left out.
    pub steps: BTreeMap<&'static str, usize>,
    /// The time of the last event.
    pub touched_at: Stamp,
}

/// A molecule in full.
#[derive(Debug, Clone, Serialize)]
pub struct MolReport {
    /// The molecule, in the same form as in its exported file.
    #[serde(flatten)]
    pub molecule: MoleculeFile,
    /// True if the molecule's lifetime is over. Nothing is discarded yet: that is left to the next
    /// command that would change the molecule.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
    /// How the formula's files have changed since pouring, or the reason why they cannot be cooked
    /// any more. `None` if they are unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula_changed: Option<String>,
}

/// The claimable steps of one or more molecules.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ReadySteps {
    /// Steps for the caller to claim.
    pub steps: Vec<ReadyStep>,
    /// Number of claimable steps that are meant for other actors.
    pub for_others: usize,
}

/// A claimable step.
#[derive(Debug, Clone, Serialize)]
pub struct ReadyStep {
    /// The molecule's ID.
    pub mol_id: String,
    /// The step's name.
    pub step_id: String,
    /// The title for readers.
    pub title: String,
    /// Performer of the step, e.g. an agent or the machine.
    pub doer: Doer,
    /// The actor for whom the step is meant, which is only a recommendation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meant_for: Option<String>,
    /// The kind of agent to perform the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The only agent that may claim the step, by name, group or role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// True if no other step of the molecule may run at the same time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// The priority, from 0 (critical) to 4.
    pub priority: u8,
    /// When the last step that this one needs has ended. Gates may have opened later.
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

fn serde_name<T: Serialize>(value: &T) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

impl Molecules<'_> {
    /// Lists molecules, newest last. Closed ones are only included with `all`.
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

    /// Returns the progress of a molecule. See [`get`](Self::get) for the default if `id` is
    /// `None`.
    ///
    /// # Errors
    /// Returns an error if the molecule does not exist.
    pub fn progress(&mut self, id: Option<&str>) -> Result<MolProgress, Error> {
        let molecule = self.get(id, None)?;
        Ok(MolProgress::of(&molecule, self.session.now()))
    }

    /// Returns the claimable steps in all molecules or in molecule `id`, sorted by molecule and
    /// then by priority. Unless `all` is set, steps for other actors are only counted.
    ///
    /// # Errors
    /// Returns an error if the molecule does not exist.
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
            // Claiming a step of this molecule would discard it instead.
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

    /// Returns the IDs of the open molecules, oldest first, or just `id` if given.
    pub(crate) fn open(&self, id: Option<&str>) -> Result<Vec<String>, Error> {
        if id.is_some() {
            return Ok(vec![self.id(id)?]);
        }
        Ok(self.session.state().molecules.open())
    }

    /// Returns the steps that are claimed by `who`, or by the caller if that is `None`.
    ///
    /// # Errors
    /// Returns an error if `who` is `None` and the caller does not have an actor name.
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
            // Reading a formula takes a while, so only do it if `who` has a step in this molecule.
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

    /// Reports about a single step, including its output.
    ///
    /// # Errors
    /// Returns an error if the step does not exist.
    pub fn step(&mut self, id: &str, step: &str) -> Result<StepReport, Error> {
        let mut molecule = self.get(Some(id), None)?;
        let Some(at) = molecule.find(step) else {
            return Err(LedgerError::no_step(&molecule, step).into());
        };
        // The report is still useful without the output, since it has a reference to it.
        let loaded = molecule.load_outputs(&self.session.world(), |one| one.id == step);
        if let Err(error) = loaded {
            self.session.warn(error.to_string());
        }
        Ok(self.report_of(&molecule, at.index()))
    }

    /// Reports about step number `at`. Unlike [`step`](Self::step), this does not load the output.
    pub(crate) fn report_of(&self, molecule: &Molecule, at: usize) -> StepReport {
        let cooked = self.formula_of(&molecule.id).ok();
        let asked = cooked.as_ref().and_then(|cooked| cooked.steps.get(at));
        StepReport::of(molecule, &molecule.steps[at], asked)
    }
}
