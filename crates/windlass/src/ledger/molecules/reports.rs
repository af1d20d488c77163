//! Molecules as they are told.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_ledger::{ClaimedStep, Doer, MolStep, Molecule, MoleculeFile, Stamp};
use windlass_plan::Status;
use windlass_plan::formula::{AcceptanceCriterion, CookedStep, Gate};

use super::super::LedgerDesk;
use crate::Error;

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
    /// How it ended, or was put away; `open` where there is something to do.
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
    /// Whether the files of its formula changed since it was poured, or cannot be cooked any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula_changed: Option<String>,
}

/// How far a molecule is.
#[derive(Debug, Clone, Serialize)]
pub struct MolProgress {
    /// Its id.
    pub id: String,
    /// How many steps it has.
    pub total: usize,
    /// How many of them are completed or skipped.
    pub done: usize,
    /// The same in percent, rounded down.
    pub percent: usize,
    /// How many steps stand how.
    pub steps: BTreeMap<&'static str, usize>,
    /// How many steps were completed an hour since the first was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_hour: Option<f64>,
    /// When it is done, if it goes on like this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done_at: Option<Stamp>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<windlass_plan::Outcome>,
}

impl MolProgress {
    fn of(molecule: &Molecule, now: Stamp) -> Self {
        let is = |wanted: &[Status]| {
            let steps = molecule.steps.iter();
            steps.filter(|step| wanted.contains(&step.shown())).count()
        };
        let total = molecule.steps.len();
        let done = is(&[Status::Completed, Status::Skipped]);
        let begun = molecule
            .steps
            .iter()
            .filter_map(|step| step.started_at)
            .min();
        let until = molecule.ended_at.unwrap_or(now);
        let taken = begun.map_or(0, |begun| until.since(begun)).max(0);
        let completed = is(&[Status::Completed]);
        let has_pace = completed > 0 && taken > 0;
        let left = total - done;
        // In whole numbers, so that it is the same everywhere.
        let more = i128::from(taken) * left as i128 / (completed as i128).max(1);
        let done_at = i64::try_from(more)
            .ok()
            .map(|more| Stamp::from_micros(now.micros().saturating_add(more)).to_millis());
        let tenths = (completed as i128 * 36_000_000_000) / i128::from(taken).max(1);
        Self {
            id: molecule.id.clone(),
            total,
            done,
            percent: (done * 100).checked_div(total).unwrap_or(100),
            steps: counts(molecule),
            per_hour: has_pace.then(|| tenths as f64 / 10.0),
            done_at: done_at.filter(|_| has_pace && molecule.is_open()),
            outcome: molecule.outcome,
        }
    }
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

/// A step with what it asks for.
#[derive(Debug, Clone, Serialize)]
pub struct StepReport {
    /// Its molecule.
    pub mol_id: String,
    /// Its name.
    pub step_id: String,
    /// What a person calls it.
    pub title: String,
    /// Where it stands.
    pub status: Status,
    /// Why it does not go on, failed or was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What proves the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The number of the attempt.
    pub attempt: u32,
    /// Who has it, or had it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// Until when the claim holds without a heartbeat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Stamp>,
    /// What it asks for, beside the work itself.
    #[serde(flatten)]
    pub asks: StepAsks,
    /// What is to be done.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What else is worth knowing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// What must be so for it to count as done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub acceptance: Vec<AcceptanceCriterion>,
    /// What must be so before it starts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Gate>,
    /// What those who opened them had to say, by gate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<windlass_ledger::MolGate>,
    /// What it gave.
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    pub output: serde_json::Value,
    /// Why its last attempt, or that of another, was sent back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What a step asks for, beside the work itself.
#[derive(Debug, Clone, Serialize)]
pub struct StepAsks {
    /// Who does it: an agent, a person together with one, the machine.
    pub doer: Doer,
    /// Who it is meant for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meant_for: Option<String>,
    /// What sort of agent should do it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whether it only looks: nothing is to be changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub review_only: bool,
    /// Whether nothing else of the molecule is done meanwhile.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// What sort of work it is.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// From 0, critical, to 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// Its labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Whatever else its author noted.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// How long one attempt may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<windlass_plan::DurationText>,
    /// The most attempts, the first included.
    #[serde(skip_serializing_if = "is_one")]
    pub max_attempts: u32,
    /// The program that says whether it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_one(number: &u32) -> bool {
    *number == 1
}

impl StepAsks {
    fn of(step: &MolStep, asked: Option<&CookedStep>) -> Self {
        Self {
            doer: step.doer,
            meant_for: step.meant_for.clone(),
            agent: step.agent.clone(),
            review_only: asked.is_some_and(|asked| asked.review_only),
            alone: step.alone,
            kind: asked.and_then(|asked| asked.kind.clone()),
            priority: step.priority,
            labels: asked.map(|asked| asked.labels.clone()).unwrap_or_default(),
            metadata: asked
                .map(|asked| asked.metadata.clone())
                .unwrap_or_default(),
            timeout: asked.and_then(|asked| asked.timeout.clone()),
            max_attempts: step.max_attempts,
            check: asked.and_then(|asked| Some(asked.check.as_ref()?.path.clone())),
        }
    }
}

impl MolSummary {
    fn of(molecule: &Molecule) -> Self {
        let closing = molecule.closing.as_ref();
        let put_away = closing.map(|closing| word(&closing.how));
        let ended = molecule.outcome.map(|outcome| word(&outcome));
        Self {
            id: molecule.id.clone(),
            title: molecule.title.clone(),
            formula: molecule.formula.clone(),
            state: molecule.state,
            status: put_away.or(ended).unwrap_or_else(|| "open".to_owned()),
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

fn counts(molecule: &Molecule) -> BTreeMap<&'static str, usize> {
    let counts = molecule.counts().into_iter();
    counts
        .map(|(status, count)| (status.as_str(), count))
        .collect()
}

impl StepReport {
    pub(super) fn of(molecule: &Molecule, step: &MolStep, asked: Option<&CookedStep>) -> Self {
        let is_held = step.shown() == Status::InProgress;
        let description = asked.map(|asked| asked.description.clone());
        let notes = asked.map(|asked| asked.notes.clone());
        let answered = step.gates.iter().filter(|gate| !gate.inputs.is_empty());
        Self {
            mol_id: molecule.id.clone(),
            step_id: step.id.clone(),
            title: step.title.clone(),
            status: step.shown(),
            reason: molecule.reason(step),
            token: step.token.clone().filter(|_| is_held),
            attempt: step.attempt,
            holder: step.holder.clone(),
            lease_until: step.lease_until.filter(|_| is_held),
            asks: StepAsks::of(step, asked),
            description: description.unwrap_or_default(),
            notes: notes.unwrap_or_default(),
            acceptance: asked
                .map(|asked| asked.acceptance.clone())
                .unwrap_or_default(),
            gates: asked.map(|asked| asked.gates.clone()).unwrap_or_default(),
            answers: answered.cloned().collect(),
            output: step.output.clone(),
            note: step.note.clone(),
        }
    }
}

impl LedgerDesk {
    /// The molecules there are, the newest last; those that were put away only if `all`.
    #[must_use]
    pub fn molecules(&self, all: bool) -> Vec<MolSummary> {
        let state = self.ledger.state();
        let wanted = state.molecules.iter().filter(|(_, found)| {
            let head = found.head();
            all || head.is_some_and(|head| head.put_away.is_none())
        });
        let mut molecules: Vec<Molecule> = wanted.filter_map(|(_, found)| found.record()).collect();
        molecules.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        molecules.iter().map(MolSummary::of).collect()
    }

    /// How far a molecule is.
    ///
    /// # Errors
    /// When there is none.
    pub fn mol_progress(&mut self, id: Option<&str>) -> Result<MolProgress, Error> {
        let molecule = self.molecule(id, None)?;
        Ok(MolProgress::of(&molecule, self.now()))
    }

    /// The steps that may be claimed, in the order in which they would be given; of one molecule, if one is named.
    ///
    /// # Errors
    /// When there is no such molecule.
    pub fn ready_steps(&mut self, id: Option<&str>) -> Result<Vec<ReadyStep>, Error> {
        let mut ready = Vec::new();
        for id in self.open_molecules(id)? {
            self.settle_if_due(&id)?;
            let Some(molecule) = self.ledger.state().molecule(&id) else {
                continue;
            };
            let steps = molecule.steps.iter();
            let steps = steps.filter(|step| molecule.may_begin(step));
            let mut here: Vec<ReadyStep> = steps
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
            ready.extend(here);
        }
        Ok(ready)
    }

    /// The ids of the molecules that are open, the oldest first; of the one that is named.
    pub(super) fn open_molecules(&self, id: Option<&str>) -> Result<Vec<String>, Error> {
        if id.is_some() {
            return Ok(vec![self.molecule_id(id)?]);
        }
        let molecules = self.ledger.state().molecules.iter();
        let mut open: Vec<(i64, String)> = molecules
            .filter_map(|(id, found)| {
                let head = found.head().filter(windlass_ledger::MolHead::is_open)?;
                Some((head.created, id.to_owned()))
            })
            .collect();
        open.sort();
        Ok(open.into_iter().map(|(_, id)| id).collect())
    }

    /// What somebody has in hand: the steps, with what they ask for.
    ///
    /// # Errors
    /// When nobody says who asks.
    pub fn current_steps(&self, who: Option<&str>) -> Result<Vec<StepReport>, Error> {
        let who = match who {
            Some(who) => who,
            None => self.actor()?,
        };
        let mut current = Vec::new();
        for id in self.open_molecules(None)? {
            let Some(molecule) = self.ledger.state().molecule(&id) else {
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
    pub fn mol_step(&mut self, id: &str, step: &str) -> Result<StepReport, Error> {
        let molecule = self.molecule(Some(id), None)?;
        let Some(at) = molecule.find(step) else {
            return Err(super::work::no_step(&molecule, step).into());
        };
        let cooked = self.formula_of(id).ok();
        let asked = cooked
            .as_ref()
            .and_then(|cooked| cooked.steps.get(at.index()));
        Ok(StepReport::of(
            &molecule,
            &molecule.steps[at.index()],
            asked,
        ))
    }

    pub(super) fn claimed(&self, claimed: &ClaimedStep) -> Result<StepReport, Error> {
        let state = self.ledger.state();
        let gone = || Error::Internal(format!("`{}` is not there any more", claimed.mol_id));
        let molecule = state.molecule(&claimed.mol_id).ok_or_else(gone)?;
        let at = molecule.find(&claimed.step_id).ok_or_else(gone)?.index();
        let cooked = self.formula_of(&claimed.mol_id).ok();
        let asked = cooked.as_ref().and_then(|cooked| cooked.steps.get(at));
        Ok(StepReport::of(&molecule, &molecule.steps[at], asked))
    }
}
