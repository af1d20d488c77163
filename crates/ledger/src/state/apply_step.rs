//! Events about the steps of molecules.

use windlass_plan::{Event, Status, StepIndex};

use super::{Refusal, State};
use crate::clock::shifted;
use crate::event::{
    EventLine, MolPushedBack, MolStepCompleted, MolStepConditionHeld, MolStepFailed,
    MolStepHeartbeat, MolStepLeaseExpired, MolStepPacked, MolStepReleased, MolStepRetryDue,
    MolStepSkipped, MolStepStarted,
};
use crate::molecule::{Doer, MolStep, Molecule};

type Applied = Result<(), Refusal>;

impl State {
    pub(super) fn start_step(&mut self, event: &EventLine<'_>, data: MolStepStarted) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            let step = &molecule.steps[at.index()];
            check_startable(molecule, step)?;
            let usual = event
                .timestamp
                .micros()
                .saturating_add(lease_micros(molecule.lease_ms));
            molecule.tell(Event::Started { step: at }, event.timestamp)?;
            let time = molecule.time;
            let step = &mut molecule.steps[at.index()];
            step.started_at = Some(event.timestamp.to_millis());
            step.holder = Some(data.assignee.unwrap_or_else(|| event.actor.to_string()));
            step.token = Some(data.token.unwrap_or_else(|| event.event_id.to_string()));
            let usual = crate::Stamp::from_micros(usual).to_millis();
            step.lease_until = Some(data.lease_until.unwrap_or(usual));
            step.moments.started = time.moment();
            step.moments.held = match data.lease_until {
                Some(_) => time.own_moment(),
                None => time.moment(),
            };
            step.note = None;
            step.pack = None;
            Ok(())
        })
    }

    pub(super) fn prolong_step(
        &mut self,
        event: &EventLine<'_>,
        data: &MolStepHeartbeat,
    ) -> Applied {
        self.with_molecule(event, &data.mol_id, |molecule| {
            let at = running(molecule, &data.step_id, Some(&data.token), &event.actor)?;
            // What brought it to where it stands is still the claim.
            let time = molecule.time;
            let step = &mut molecule.steps[at.index()];
            let held = time.own_moment();
            if step.lease_end(time.log) <= Some(shifted(data.lease_until, held, time.log)) {
                step.lease_until = Some(data.lease_until);
                step.moments.held = held;
            }
            Ok(())
        })
    }

    pub(super) fn pack_step(&mut self, event: &EventLine<'_>, data: MolStepPacked) -> Applied {
        self.with_molecule(event, &data.mol_id, |molecule| {
            let at = running(molecule, &data.step_id, Some(&data.token), &event.actor)?;
            molecule.steps[at.index()].pack = Some(data.pack_id);
            Ok(())
        })
    }

    pub(super) fn expire_lease(
        &mut self,
        event: &EventLine<'_>,
        data: &MolStepLeaseExpired,
    ) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, _| {
            let at = running(molecule, &data.step_id, Some(&data.token), &event.actor)?;
            let step = &molecule.steps[at.index()];
            let (until, now) = match data.due_at {
                Some(_) => (step.lease_end(molecule.time.log), molecule.time.log),
                None => (step.lease_until, event.timestamp),
            };
            if let Some(until) = until.filter(|until| *until >= now) {
                let reason = format!("the lease of `{}` holds until {until}", data.step_id);
                return Err(Refusal::new(reason).won_by(&step.by));
            }
            let holder = step.holder.clone().unwrap_or_default();
            give_back(molecule, at, event)?;
            let step = &mut molecule.steps[at.index()];
            step.expired += 1;
            step.note = Some(format!("{holder} was not heard of in time"));
            Ok(())
        })
    }

    pub(super) fn release_step(
        &mut self,
        event: &EventLine<'_>,
        data: &MolStepReleased,
    ) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, _| {
            let at = running(molecule, &data.step_id, Some(&data.token), &event.actor)?;
            give_back(molecule, at, event)?;
            let reason = data.reason.clone();
            molecule.steps[at.index()].note = match &data.holder {
                Some(holder) => {
                    let why = reason.map_or(String::new(), |reason| format!(": {reason}"));
                    Some(format!("{} released it from {holder}{why}", event.actor))
                }
                None => reason,
            };
            Ok(())
        })
    }

    pub(super) fn complete_step(
        &mut self,
        event: &EventLine<'_>,
        data: MolStepCompleted,
    ) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            let at = begun(molecule, at, data.token.as_deref(), event)?;
            let attempt = molecule.steps[at.index()].attempt;
            end(molecule, at, event, data.output, None);
            molecule.tell(Event::Completed { step: at, attempt }, event.timestamp)
        })
    }

    pub(super) fn fail_step(&mut self, event: &EventLine<'_>, data: MolStepFailed) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            let at = begun(molecule, at, data.token.as_deref(), event)?;
            let attempt = molecule.steps[at.index()].attempt;
            end(molecule, at, event, data.output, Some(data.reason));
            let failed = Event::Failed {
                step: at,
                attempt,
                retryable: !data.for_good,
            };
            molecule.tell(failed, event.timestamp)?;
            let step = &mut molecule.steps[at.index()];
            if step.status != Status::Failed {
                step.ended_at = None;
            }
            Ok(())
        })
    }

    pub(super) fn retry_step(&mut self, event: &EventLine<'_>, data: &MolStepRetryDue) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            let by = molecule.steps[at.index()].by.clone();
            let told = molecule.tell(Event::RetryDue { step: at }, event.timestamp);
            told.map_err(|refusal| refusal.won_by(&by))
        })
    }

    pub(super) fn skip_step(&mut self, event: &EventLine<'_>, data: MolStepSkipped) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            let by = molecule.steps[at.index()].by.clone();
            let told = molecule.tell(Event::Skipped { step: at }, event.timestamp);
            told.map_err(|refusal| refusal.won_by(&by))?;
            let step = &mut molecule.steps[at.index()];
            step.ended_at = Some(event.timestamp.to_millis());
            step.lease_until = None;
            step.note = Some(data.reason);
            Ok(())
        })
    }

    pub(super) fn hold_condition(
        &mut self,
        event: &EventLine<'_>,
        data: &MolStepConditionHeld,
    ) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            let step = &mut molecule.steps[at.index()];
            if step.status != Status::Ready || !step.is_undecided() {
                let reason = format!("no condition of `{}` is open", step.id);
                return Err(Refusal::new(reason).won_by(&step.by));
            }
            step.decided = true;
            Ok(())
        })
    }

    pub(super) fn push_back(&mut self, event: &EventLine<'_>, data: &MolPushedBack) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            let by = molecule.steps[at.index()].by.clone();
            let told = molecule.tell(Event::PushedBack { step: at }, event.timestamp);
            told.map_err(|refusal| refusal.won_by(&by))?;
            let from = data.from_step.as_deref();
            let from = from.map_or(String::new(), |from| format!(" from `{from}`"));
            let note = format!("pushed back{from}: {}", data.reason);
            molecule.steps[at.index()].note = Some(note);
            Ok(())
        })
    }
}

fn lease_micros(millis: u64) -> i64 {
    i64::try_from(millis)
        .unwrap_or(i64::MAX)
        .saturating_mul(1000)
}

/// The event that brought a step to where it stands.
pub(super) fn last_of<'a>(molecule: &'a Molecule, step: &'a MolStep) -> &'a str {
    match step.by.as_str() {
        "" => &molecule.made_by,
        by => by,
    }
}

/// That the step may be claimed.
fn check_startable(molecule: &Molecule, step: &MolStep) -> Applied {
    let name = format!("`{}` of `{}`", step.id, molecule.id);
    let refuse = |reason: String| Err(Refusal::new(reason).won_by(last_of(molecule, step)));
    let holder = step.holder.as_deref().unwrap_or("somebody");
    match step.status {
        Status::Ready if step.doer == Doer::Nobody => {
            refuse(format!("{name} is done when those that it contains are"))
        }
        Status::Ready if molecule.is_waiting() => {
            let mut bonds = molecule.open_bonds();
            let after = bonds.next().map_or("", |bond| bond.mol_id.as_str());
            refuse(format!("{name} cannot be begun: it comes after `{after}`"))
        }
        Status::Ready if !step.is_startable() => {
            let why = molecule.reason(step).unwrap_or_default();
            refuse(format!("{name} cannot be begun: {why}"))
        }
        Status::Ready if molecule.room() == 0 => {
            let limit = molecule.concurrency.unwrap_or_default();
            let by = molecule.at_work().next_back().map(|step| step.by.clone());
            let counted = windlass_base::counted(limit as usize, "step");
            let reason = format!(
                "{counted} of `{}` may be in progress at once, and as many are",
                molecule.id
            );
            Err(Refusal::new(reason).won_by(&by.unwrap_or_default()))
        }
        Status::Ready => match molecule.in_the_way_of(step) {
            None => Ok(()),
            Some(other) => {
                let alone = if other.alone { other } else { step };
                let reason = format!(
                    "{name} cannot be begun: `{}` is in progress, and `{}` is done alone",
                    other.id, alone.id
                );
                Err(Refusal::new(reason).won_by(last_of(molecule, other)))
            }
        },
        Status::InProgress => {
            let until = step.lease_until;
            let until = until.map_or(String::new(), |until| format!(" until {until}"));
            refuse(format!("{holder} has {name}{until}"))
        }
        Status::Completed => refuse(format!("{name} is completed, by {holder}")),
        status => {
            let why = molecule.reason(step);
            let why = why.map_or(String::new(), |why| format!(": {why}"));
            refuse(format!("{name} is {}{why}", status.as_str()))
        }
    }
}

/// The step, which is in progress by the claim that `token` proves. What only contains others ends when they have ended:
/// nobody claims it.
fn begun(
    molecule: &mut Molecule,
    at: StepIndex,
    token: Option<&str>,
    event: &EventLine<'_>,
) -> Result<StepIndex, Refusal> {
    let step = &molecule.steps[at.index()];
    if step.doer == Doer::Nobody && step.is_startable() {
        molecule.tell(Event::Started { step: at }, event.timestamp)?;
        return Ok(at);
    }
    let id = step.id.clone();
    running(molecule, &id, token, &event.actor)
}

/// The step, which is in progress by the claim that `token` proves; or by `actor`, if none is shown.
fn running(
    molecule: &Molecule,
    step: &str,
    token: Option<&str>,
    actor: &str,
) -> Result<StepIndex, Refusal> {
    let missing = || Refusal::new(format!("`{}` has no step `{step}`", molecule.id));
    let at = molecule.find(step).ok_or_else(missing)?;
    let step = &molecule.steps[at.index()];
    let holder = step.holder.as_deref().unwrap_or("nobody");
    let name = format!("`{}` of `{}`", step.id, molecule.id);
    let refuse = |reason: String| Err(Refusal::new(reason).won_by(last_of(molecule, step)));
    if step.status != Status::InProgress {
        let why = match (step.status, &step.note) {
            (Status::Completed, _) => format!(", by {holder}"),
            (_, Some(note)) => format!(": {note}"),
            _ => String::new(),
        };
        let now = step.shown().as_str();
        return refuse(format!(
            "{name} is not in progress by this claim: it is {now}{why}"
        ));
    }
    match token {
        Some(token) if step.token.as_deref() != Some(token) => refuse(format!(
            "the claim `{token}` of {name} is over: {holder} has it now"
        )),
        None if holder != actor => refuse(format!("{holder} has {name}, not {actor}")),
        _ => Ok(at),
    }
}

fn give_back(molecule: &mut Molecule, at: StepIndex, event: &EventLine<'_>) -> Applied {
    let attempt = molecule.steps[at.index()].attempt;
    molecule.tell(Event::Released { step: at, attempt }, event.timestamp)?;
    let step = &mut molecule.steps[at.index()];
    (step.holder, step.token, step.lease_until) = (None, None, None);
    step.started_at = None;
    (step.moments.started, step.moments.held) = (None, None);
    Ok(())
}

pub(super) fn end(
    molecule: &mut Molecule,
    at: StepIndex,
    event: &EventLine<'_>,
    output: serde_json::Value,
    note: Option<String>,
) {
    let step = &mut molecule.steps[at.index()];
    step.ended_at = Some(event.timestamp.to_millis());
    step.started_at = step.started_at.or(step.ended_at);
    step.lease_until = None;
    step.output = output;
    step.note = note;
}
