//! Molecules as they are told.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_ledger::{Doer, LedgerError, Molecule, MoleculeFile, Stamp};
use windlass_plan::Status;

use crate::Molecules;
use crate::molecule_progress::{MolProgress, counts};
use crate::step_report::StepReport;

use windlass_site::Error;

/// A molecule on one line.
#[derive(Debug, Clone, Serialize)]
pub struct MolSummary {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// The formula it is made of.
    pub formula: String,
    /// Whether it is kept or passing.
    pub state: windlass_ledger::MolState,
    /// How it ended, or was put away; `expired` where it was to pass and its time is over, `open` where there is something
    /// to do.
    pub status: String,
    /// How many steps stand how.
    pub steps: BTreeMap<&'static str, usize>,
    /// When something happened to it last.
    pub touched_at: Stamp,
}

/// A molecule in full.
#[derive(Debug, Clone, Serialize)]
pub struct MolReport {
    /// As it is written for others.
    #[serde(flatten)]
    pub molecule: MoleculeFile,
    /// Whether it was to pass, and its time is over: the next who does anything with it throws it away.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
    /// Whether the files of its formula changed since it was poured, or cannot be cooked any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula_changed: Option<String>,
}

/// The steps that may be claimed.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ReadySteps {
    /// Those that were asked for.
    pub steps: Vec<ReadyStep>,
    /// How many others are meant for somebody else.
    pub for_others: usize,
}

/// A step that may be claimed.
#[derive(Debug, Clone, Serialize)]
pub struct ReadyStep {
    /// Its molecule.
    pub mol_id: String,
    /// Its name.
    pub step_id: String,
    /// What a person calls it.
    pub title: String,
    /// Who does it: an agent, a person together with one, the machine.
    pub doer: Doer,
    /// Who it is meant for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meant_for: Option<String>,
    /// What sort of agent should do it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whether nothing else of the molecule is done meanwhile.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// From 0, critical, to 4.
    pub priority: u8,
    /// Since when it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Stamp>,
}

impl MolSummary {
    fn of(molecule: &Molecule, now: Stamp) -> Self {
        let closing = molecule.closing.as_ref();
        let put_away = closing.map(|closing| word(&closing.how));
        let ended = molecule.outcome.map(|outcome| word(&outcome));
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

/// A value that is one word, as it stands in JSON.
fn word<T: Serialize>(value: &T) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

impl Molecules<'_> {
    /// The molecules there are, the newest last; those that were put away only if `all`.
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

    /// How far a molecule is.
    ///
    /// # Errors
    /// When there is none.
    pub fn progress(&mut self, id: Option<&str>) -> Result<MolProgress, Error> {
        let molecule = self.get(id, None)?;
        Ok(MolProgress::of(&molecule, self.session.now()))
    }

    /// The steps that may be claimed, in the order in which they would be given; of one molecule, if one is named. Those
    /// that are meant for others than who asks are only counted, unless `all` are asked for.
    ///
    /// # Errors
    /// When there is no such molecule.
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
            let steps = molecule.steps.iter();
            let (steps, others): (Vec<_>, Vec<_>) = steps
                .filter(|step| molecule.may_begin(step))
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

    /// The ids of the molecules that are open, the oldest first; of the one that is named.
    pub(crate) fn open(&self, id: Option<&str>) -> Result<Vec<String>, Error> {
        if id.is_some() {
            return Ok(vec![self.id(id)?]);
        }
        Ok(self.session.state().molecules.open())
    }

    /// What somebody has in hand: the steps, with what they ask for.
    ///
    /// # Errors
    /// When nobody says who asks.
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
                let is_theirs = step.holder.as_deref() == Some(who);
                if step.shown() == Status::InProgress && is_theirs {
                    let cooked = cooked.get_or_insert_with(|| self.formula_of(&id).ok());
                    let asked = cooked.as_ref().and_then(|cooked| cooked.steps.get(at));
                    current.push(StepReport::of(&molecule, step, asked));
                }
            }
        }
        Ok(current)
    }

    /// A step, with what it asks for.
    ///
    /// # Errors
    /// When there is none.
    pub fn step(&mut self, id: &str, step: &str) -> Result<StepReport, Error> {
        let molecule = self.get(Some(id), None)?;
        let Some(at) = molecule.find(step) else {
            return Err(LedgerError::no_step(&molecule, step).into());
        };
        Ok(self.report_of(&molecule, at.index()))
    }

    /// The step number `at` as it stands in `molecule`, with what it asks for.
    pub(crate) fn report_of(&self, molecule: &Molecule, at: usize) -> StepReport {
        let cooked = self.formula_of(&molecule.id).ok();
        let asked = cooked.as_ref().and_then(|cooked| cooked.steps.get(at));
        StepReport::of(molecule, &molecule.steps[at], asked)
    }
}
