//! Does what the machine can do of a molecule, until only others' work is left, and says what that is.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use windlass_engine::{ErrorKind, StepError, Stop, StopLevel};
use windlass_ledger::event::{MolGateClosed, MolGateOpened, MolStepFailed, VerifyOutcome};
use windlass_ledger::{Claim, Doer, LedgerError, MolStep, Molecule, StepProof};
use windlass_plan::formula::{CookedFormula, CookedStep};
use windlass_plan::{Outcome, Status};

use super::super::LedgerDesk;
use super::accept::{Bench, verdict};
use super::machine::{Machine, MolScope, gate_program, gate_step};
use super::verify::{Target, VERIFY, check, criteria_of, judge};
use crate::{Error, Workspace};

/// What the machine did of a molecule, and what is left to others.
#[derive(Debug, Clone, Serialize)]
pub struct DriveReport {
    /// The molecule.
    pub mol_id: String,
    /// What was done, in this order.
    pub done: Vec<DrivenStep>,
    /// What is waited for; nothing once the molecule has ended.
    pub waits: Vec<MolWait>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Whether something was not allowed to start.
    pub refused: bool,
}

/// Something that the machine did.
#[derive(Debug, Clone, Serialize)]
pub struct DrivenStep {
    /// The step.
    pub step_id: String,
    /// What: `completed`, `failed`, `gate opened` …
    pub what: String,
}

/// Something that is waited for.
#[derive(Debug, Clone, Serialize)]
pub struct MolWait {
    /// The step.
    pub step_id: String,
    /// For what.
    pub waits_for: String,
}

/// What is known of a drive while it goes on.
#[derive(Default)]
struct Drive {
    done: Vec<DrivenStep>,
    /// Programs that were started as gates: once is enough.
    asked: BTreeSet<String>,
    /// Why steps cannot go on that nobody else would say.
    why: BTreeMap<String, String>,
    refused: bool,
}

/// A molecule, and with what it is worked on.
struct Wanted<'a> {
    workspace: &'a Workspace,
    machine: &'a Machine,
    molecule: &'a Molecule,
    cooked: &'a CookedFormula,
}

impl Drive {
    fn did(&mut self, step: &str, what: impl Into<String>) {
        self.done.push(DrivenStep {
            step_id: step.to_owned(),
            what: what.into(),
        });
    }
}

impl LedgerDesk {
    /// Does what the machine can do of a molecule. With `allow` programs are started whether they are trusted or not.
    ///
    /// # Errors
    /// When there is no such molecule, or something cannot be read or written. What goes wrong in a step is in the
    /// report.
    pub async fn drive(
        &mut self,
        workspace: &Workspace,
        mol: &str,
        allow: bool,
        stop: &Stop,
    ) -> Result<DriveReport, Error> {
        let id = self.molecule_id(Some(mol))?;
        self.actor()?;
        let mut drive = Drive::default();
        let mut machine = None;
        loop {
            self.settle_if_due(&id)?;
            let molecule = self.molecule(Some(&id), None)?;
            if !molecule.is_open() || stop.level() > StopLevel::None {
                break;
            }
            let cooked = self.formula_of(&id)?;
            let machine = match &mut machine {
                Some(machine) => machine,
                None => machine.insert(Machine::new(workspace, &id, &cooked, allow)?),
            };
            let moved = self
                .try_gates(machine, &molecule, &cooked, &mut drive, stop)
                .await?
                || self
                    .try_step(workspace, machine, &molecule, &cooked, &mut drive, stop)
                    .await?;
            if !moved {
                break;
            }
        }
        let molecule = self.molecule(Some(&id), None)?;
        let is_done = matches!(
            molecule.outcome,
            Some(Outcome::Completed | Outcome::Partial)
        );
        let is_over = is_done || molecule.closing.is_some();
        let waits = molecule.steps.iter().filter(|_| !is_over);
        let waits = waits.filter_map(|step| wait(&molecule, step, &drive.why));
        Ok(DriveReport {
            waits: waits.collect(),
            outcome: molecule.outcome,
            done: drive.done,
            refused: drive.refused,
            mol_id: id,
        })
    }

    /// Asks the programs that are gates, each once; whether one of them moved.
    async fn try_gates(
        &mut self,
        machine: &Machine,
        molecule: &Molecule,
        cooked: &CookedFormula,
        drive: &mut Drive,
        stop: &Stop,
    ) -> Result<bool, Error> {
        let waiting = molecule.steps.iter().zip(&cooked.steps);
        for (step, asked) in waiting.filter(|(step, _)| step.waits_at_gates()) {
            for number in step.closed_gates() {
                let kind = asked.gates.get(number).map(|gate| &gate.kind);
                let Some((_, prints)) = kind.and_then(gate_program) else {
                    continue;
                };
                let name = gate_step(&step.id, number);
                if !drive.asked.insert(name.clone()) {
                    continue;
                }
                let (mol_id, step_id) = (molecule.id.clone(), step.id.clone());
                let gate = u32::try_from(number).unwrap_or(u32::MAX);
                let started = machine
                    .start(&MolScope(molecule), &name, None, stop.clone())
                    .await;
                let printed = started
                    .as_ref()
                    .ok()
                    .and_then(|output| output["stdout"].as_str());
                let printed = printed.unwrap_or_default().trim().to_owned();
                match started {
                    Ok(_) if prints.never.is_some_and(|never| printed == never) => {
                        drive.did(&step.id, format!("gate closed: {printed}"));
                        self.decide(|draft| {
                            draft.emit(MolGateClosed {
                                mol_id,
                                step_id,
                                gate,
                                reason: format!("its gate will not open: {printed}"),
                                timed_out: false,
                            })
                        })?;
                        return Ok(true);
                    }
                    Ok(_) if prints.open.is_none_or(|open| printed == open) => {
                        drive.did(&step.id, "gate opened");
                        self.decide(|draft| {
                            draft.emit(MolGateOpened {
                                mol_id,
                                step_id,
                                gate,
                                reason: Some("its program ended with 0".to_owned()),
                                ..MolGateOpened::default()
                            })
                        })?;
                        return Ok(true);
                    }
                    Ok(_) => {
                        let why = format!("its gate, whose program says: {printed}");
                        drive.why.insert(step.id.clone(), why);
                    }
                    Err(error) => {
                        drive.refused |= error.kind == ErrorKind::Refused;
                        drive
                            .why
                            .insert(step.id.clone(), not_started(molecule, &error));
                    }
                }
            }
        }
        Ok(false)
    }

    /// Does the next step of the machine; whether there was one.
    async fn try_step(
        &mut self,
        workspace: &Workspace,
        machine: &Machine,
        molecule: &Molecule,
        cooked: &CookedFormula,
        drive: &mut Drive,
        stop: &Stop,
    ) -> Result<bool, Error> {
        let mut steps = molecule.steps.iter().zip(&cooked.steps);
        let next = steps.find(|(step, _)| {
            let is_next = step.doer == Doer::Machine && molecule.may_begin(step);
            is_next && !drive.why.contains_key(&step.id)
        });
        let Some((step, asked)) = next else {
            return Ok(false);
        };
        let world = self.world();
        let claim = Claim {
            mol: Some(&molecule.id),
            step: Some(&step.id),
            machine: true,
            ..Claim::default()
        };
        let claimed = match self.decide(|draft| draft.claim_step(&claim, &world)) {
            Ok(claimed) => claimed,
            // Another machine was faster.
            Err(Error::Ledger(LedgerError::Rejected(_) | LedgerError::NoStepReady { .. })) => {
                return Ok(true);
            }
            Err(error) => return Err(error),
        };
        let proof = StepProof {
            mol: &molecule.id,
            step: &step.id,
            token: &claimed.token,
        };
        let timeout = asked.timeout.as_ref().and_then(|text| text.parse().ok());
        if asked.uses.as_deref() == Some(VERIFY) {
            let wanted = Wanted {
                workspace,
                machine,
                molecule,
                cooked,
            };
            return self
                .drive_verification(&wanted, asked, proof, drive, stop)
                .await;
        }
        let result = self.run_held(machine, molecule, proof, timeout, stop).await;
        match result {
            Ok(output) => {
                let wanted = Wanted {
                    workspace,
                    machine,
                    molecule,
                    cooked,
                };
                match self.accepted(&wanted, asked, &output, stop).await? {
                    Accepted::Yes => {}
                    Accepted::No(why) => {
                        let failed = MolStepFailed {
                            reason: why.clone(),
                            output,
                            ..MolStepFailed::default()
                        };
                        let again = self.decide(|draft| draft.fail(proof, failed, &world))?;
                        drive.did(&step.id, failed_words(again, &why));
                        return Ok(true);
                    }
                    Accepted::Refused(why) => {
                        drive.refused = true;
                        self.decide(|draft| draft.release(proof, Some(&why)))?;
                        drive.why.insert(step.id.clone(), why);
                        return Ok(true);
                    }
                }
                let made = self.made_of(proof.mol, proof.step, &output)?;
                let done = self.decide(|draft| {
                    let children = made.with_ids(draft);
                    draft.complete(proof, output, children, &world)
                })?;
                drive.did(&step.id, if done { "completed" } else { "failed" });
            }
            Err(error) if matches!(error.kind, ErrorKind::Refused | ErrorKind::Cancelled) => {
                drive.refused |= error.kind == ErrorKind::Refused;
                let why = not_started(molecule, &error);
                self.decide(|draft| draft.release(proof, Some(&why)))?;
                drive.why.insert(step.id.clone(), why);
            }
            Err(error) => {
                let failed = MolStepFailed {
                    reason: error.to_string(),
                    for_good: error.kind == ErrorKind::Invalid,
                    output: seen(&error),
                    ..MolStepFailed::default()
                };
                let again = self.decide(|draft| draft.fail(proof, failed, &world))?;
                drive.did(&step.id, failed_words(again, &error.to_string()));
            }
        }
        Ok(true)
    }

    /// Whether what a step of the machine gave is what it asks for.
    async fn accepted(
        &mut self,
        wanted: &Wanted<'_>,
        asked: &CookedStep,
        output: &Value,
        stop: &Stop,
    ) -> Result<Accepted, Error> {
        let Wanted {
            workspace,
            machine,
            molecule,
            ..
        } = *wanted;
        if !asked.acceptance.is_empty() {
            let reports = judge(workspace, machine, molecule, asked, output, stop).await;
            let is_refused = reports.iter().any(|report| report.refused);
            let attempt = self.mol_step(&molecule.id, &asked.id)?.attempt;
            let target = Target::Step {
                mol: molecule.id.clone(),
                step: asked.id.clone(),
                attempt,
            };
            let found = self.record_verification(&target, reports)?;
            if found.verdict == VerifyOutcome::Fail {
                return Ok(Accepted::No(found.reasoning));
            }
            if is_refused {
                return Ok(Accepted::Refused(found.reasoning));
            }
        }
        if asked.check.is_none() {
            return Ok(Accepted::Yes);
        }
        match check(machine, molecule, asked, stop).await {
            Ok(None) => Ok(Accepted::Yes),
            Ok(Some(why)) => Ok(Accepted::No(why)),
            Err(Error::NotAccepted { why, refused, .. }) if refused => Ok(Accepted::Refused(why)),
            Err(Error::NotAccepted { why, .. }) => Ok(Accepted::No(why)),
            Err(error) => Err(error),
        }
    }

    /// Does a step that verifies: completed unless something does not hold.
    async fn drive_verification(
        &mut self,
        wanted: &Wanted<'_>,
        asked: &CookedStep,
        proof: StepProof<'_>,
        drive: &mut Drive,
        stop: &Stop,
    ) -> Result<bool, Error> {
        let (molecule, world) = (wanted.molecule, self.world());
        let of = asked.with.as_ref().and_then(|with| with.get("step"));
        let named = of.and_then(Value::as_str);
        let target = wanted
            .cooked
            .steps
            .iter()
            .find(|step| named == Some(step.id.as_str()));
        let criteria = match target {
            Some(step) => step.acceptance.clone(),
            None => criteria_of(asked),
        };
        let name = target.map_or(asked.id.as_str(), |step| step.id.as_str());
        let output = molecule.find(name).and_then(|at| molecule.step(at));
        let output = output.map(|step| step.output.clone()).unwrap_or_default();
        let bench = Bench {
            workspace: wanted.workspace,
            machine: wanted.machine,
            name,
            trust: &format!(
                "`windlass trust mol:{}`, or `--allow-commands`",
                molecule.id
            ),
        };
        let reports = bench
            .judge(&criteria, &MolScope(molecule), &output, stop)
            .await;
        if reports.iter().any(|report| report.refused) {
            let error = StepError::new(ErrorKind::Refused, "not trusted");
            let why = not_started(molecule, &error);
            self.decide(|draft| draft.release(proof, Some(&why)))?;
            drive.refused = true;
            drive.why.insert(asked.id.clone(), why);
            return Ok(true);
        }
        let found = verdict(&reports);
        let target = Target::Step {
            mol: molecule.id.clone(),
            step: name.to_owned(),
            attempt: molecule
                .find(name)
                .and_then(|at| molecule.step(at))
                .map_or(0, |s| s.attempt),
        };
        let verification = self.record_verification(&target, reports)?;
        if found == VerifyOutcome::Fail {
            let failed = MolStepFailed {
                reason: verification.reasoning.clone(),
                output: verification.output(),
                ..MolStepFailed::default()
            };
            self.decide(|draft| draft.fail(proof, failed, &world))?;
            drive.did(&asked.id, format!("FAIL: {}", verification.reasoning));
        } else {
            self.decide(|draft| draft.complete(proof, verification.output(), Vec::new(), &world))?;
            drive.did(
                &asked.id,
                format!("{}: {}", verification.word(), verification.reasoning),
            );
        }
        Ok(true)
    }

    /// Runs a step, and says meanwhile that somebody is at work.
    async fn run_held(
        &mut self,
        machine: &Machine,
        molecule: &Molecule,
        proof: StepProof<'_>,
        timeout: Option<Duration>,
        stop: &Stop,
    ) -> Result<Value, StepError> {
        let scope = MolScope(molecule);
        let running = machine.start(&scope, proof.step, timeout, stop.clone());
        tokio::pin!(running);
        let pause = Duration::from_millis((molecule.lease_ms / 3).max(10));
        loop {
            tokio::select! {
                result = &mut running => return result,
                () = tokio::time::sleep(pause) => {
                    // If the claim is over, completing will say so.
                    let _ = self.decide(|draft| draft.prolong(proof, None));
                }
            }
        }
    }
}

/// Whether what a step gave is what it asks for.
enum Accepted {
    Yes,
    No(String),
    /// Nobody allowed the programs that would say it.
    Refused(String),
}

fn failed_words(again: bool, why: &str) -> String {
    match again {
        true => format!("failed, and may be tried again: {why}"),
        false => format!("failed: {why}"),
    }
}

/// What a step saw before it failed, such as what its program printed.
pub(super) fn seen(error: &StepError) -> Value {
    match error.seen.as_slice() {
        [] => Value::Null,
        [one] => one.clone(),
        several => several.to_vec().into(),
    }
}

fn not_started(molecule: &Molecule, error: &StepError) -> String {
    match error.kind {
        ErrorKind::Refused => format!(
            "somebody who allows it to start a program: `windlass trust mol:{}`, or `--allow-commands`",
            molecule.id
        ),
        ErrorKind::Cancelled => "its program was stopped".to_owned(),
        _ => format!("its gate, whose program failed: {error}"),
    }
}

/// What a step waits for, unless it waits for another step.
fn wait(molecule: &Molecule, step: &MolStep, why: &BTreeMap<String, String>) -> Option<MolWait> {
    let (mol, id) = (&molecule.id, &step.id);
    let waits_for = match step.shown() {
        Status::InProgress => {
            let holder = step.holder.as_deref().unwrap_or("somebody");
            let until = step.lease_until.map(|until| format!(" until {until}"));
            format!("{holder}, who has it{}", until.unwrap_or_default())
        }
        Status::Ready | Status::Blocked if why.contains_key(id) => why[id].clone(),
        Status::Ready if molecule.room() == 0 => "another step to end: no more at once".to_owned(),
        Status::Ready if molecule.in_the_way_of(step).is_some() => {
            let other = molecule.in_the_way_of(step).map_or("", |other| &other.id);
            format!("`{other}` to end: the two are not done at once")
        }
        Status::Ready => match (&step.meant_for, step.doer) {
            (_, Doer::Machine) => format!("the machine: `windlass mol drive {mol}`"),
            (Some(name), _) => format!("{name}: `windlass mol claim {mol} {id}`"),
            (None, Doer::Person) => {
                format!("a person and an agent: `windlass mol claim {mol} {id}`")
            }
            (None, _) => format!("an agent: `windlass mol claim {mol} {id}`"),
        },
        Status::Blocked if step.waits_at_gates() => {
            let gates = step.closed_gates().filter_map(|at| step.gates.get(at));
            let kinds: Vec<&str> = gates.map(|gate| gate.kind.as_str()).collect();
            match kinds.contains(&"human") {
                true => format!("somebody who says yes: `windlass mol approve {mol} {id}`"),
                false => format!("its gate: {}", kinds.join(", ")),
            }
        }
        Status::Blocked => step.retry_at.map(|at| format!("another try, from {at}"))?,
        Status::Failed => {
            let note = step.note.as_deref().unwrap_or("it failed");
            format!("a better idea: {note}; `windlass mol push-back {mol} {id}` has it done anew")
        }
        Status::Pending | Status::Completed | Status::Skipped => return None,
    };
    Some(MolWait {
        step_id: id.clone(),
        waits_for,
    })
}
