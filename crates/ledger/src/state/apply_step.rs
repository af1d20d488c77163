//! Application of step events.

use windlass_plan::{Event, Status, StepIndex};

use super::apply_mol::MolFold;
use super::{Applied, Refusal};
use crate::event::{
    EventLine, MolPushedBack, MolStepCompleted, MolStepConditionHeld, MolStepFailed,
    MolStepHeartbeat, MolStepLeaseExpired, MolStepPacked, MolStepReleased, MolStepRetryDue,
    MolStepSkipped, MolStepStarted,
};
use crate::log_clock::shifted;
use crate::molecule::{Doer, MolStep, Molecule};

impl MolFold<'_> {
    pub(super) fn start_step(&mut self, data: MolStepStarted) -> Applied {
        let event = self.event;
        let time = self.time;
        self.with_step(&data.mol_id, &data.step_id, |fold| {
            fold.check_startable()?;
            let usual = event.timestamp.after_millis(fold.molecule.lease_ms);
            fold.tell(|step| Event::Started { step })?;
            let step = fold.step();
            step.started_at = Some(event.timestamp.to_millis());
            step.holder = Some(data.assignee.unwrap_or_else(|| event.actor.to_string()));
            step.token = Some(data.token.unwrap_or_else(|| event.event_id.to_string()));
            step.lease_until = Some(data.lease_until.unwrap_or(usual.to_millis()));
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

    pub(super) fn prolong_step(&mut self, data: &MolStepHeartbeat) -> Applied {
        let time = self.time;
        self.with_claim(&data.mol_id, &data.step_id, &data.token, |fold| {
            let step = fold.step();
            let held = time.own_moment();
            if step.lease_end(time.log) <= Some(shifted(data.lease_until, held, time.log)) {
                step.lease_until = Some(data.lease_until);
                step.moments.held = held;
            }
        })
    }

    pub(super) fn pack_step(&mut self, data: MolStepPacked) -> Applied {
        self.with_claim(&data.mol_id, &data.step_id, &data.token, |fold| {
            fold.step().pack = Some(data.pack_id);
        })
    }

    pub(super) fn expire_lease(&mut self, data: &MolStepLeaseExpired) -> Applied {
        let (shown, log) = (self.event.timestamp, self.time.log);
        self.with_step(&data.mol_id, &data.step_id, |fold| {
            fold.check_held(Some(&data.token))?;
            let step = fold.step();
            let (until, now) = match data.due_at {
                Some(_) => (step.lease_end(log), log),
                None => (step.lease_until, shown),
            };
            if let Some(until) = until.filter(|until| *until >= now) {
                let reason = format!("the lease of `{}` lasts until {until}", data.step_id);
                return Err(Refusal::new(reason).won_by(&step.by));
            }
            let holder = step.holder.clone().unwrap_or_default();
            fold.give_back()?;
            let step = fold.step();
            step.expired += 1;
            step.note = Some(format!("the lease of {holder} expired"));
            Ok(())
        })
    }

    pub(super) fn release_step(&mut self, data: MolStepReleased) -> Applied {
        let event = self.event;
        self.with_step(&data.mol_id, &data.step_id, |fold| {
            fold.check_held(Some(&data.token))?;
            fold.give_back()?;
            fold.step().note = match &data.holder {
                Some(holder) => {
                    let why = (data.reason).map_or(String::new(), |reason| format!(": {reason}"));
                    Some(format!("{} released it from {holder}{why}", event.actor))
                }
                None => data.reason,
            };
            Ok(())
        })
    }

    pub(super) fn complete_step(&mut self, data: MolStepCompleted) -> Applied {
        self.with_step(&data.mol_id, &data.step_id, |fold| {
            let attempt = fold.begun(data.token.as_deref())?;
            fold.end(data.output, None);
            fold.tell(|step| Event::Completed { step, attempt })
        })
    }

    pub(super) fn fail_step(&mut self, data: MolStepFailed) -> Applied {
        self.with_step(&data.mol_id, &data.step_id, |fold| {
            let attempt = fold.begun(data.token.as_deref())?;
            fold.end(data.output, Some(data.reason));
            fold.tell(|step| Event::Failed {
                step,
                attempt,
                retryable: !data.for_good,
            })?;
            let step = fold.step();
            if step.status != Status::Failed {
                step.ended_at = None;
            }
            Ok(())
        })
    }

    pub(super) fn retry_step(&mut self, data: &MolStepRetryDue) -> Applied {
        self.with_step(&data.mol_id, &data.step_id, |fold| {
            fold.tell_with_winner(|step| Event::RetryDue { step })
        })
    }

    pub(super) fn skip_step(&mut self, data: MolStepSkipped) -> Applied {
        let at = self.event.timestamp.to_millis();
        self.with_step(&data.mol_id, &data.step_id, |fold| {
            fold.tell_with_winner(|step| Event::Skipped { step })?;
            let step = fold.step();
            step.ended_at = Some(at);
            step.lease_until = None;
            step.note = Some(data.reason);
            Ok(())
        })
    }

    pub(super) fn hold_condition(&mut self, data: &MolStepConditionHeld) -> Applied {
        self.with_step(&data.mol_id, &data.step_id, |fold| {
            let step = fold.step();
            if step.status != Status::Ready || !step.is_undecided() {
                let reason = format!("`{}` has no open condition", step.id);
                return Err(Refusal::new(reason).won_by(&step.by));
            }
            step.decided = true;
            Ok(())
        })
    }

    pub(super) fn push_back(&mut self, data: &MolPushedBack) -> Applied {
        self.with_step(&data.mol_id, &data.step_id, |fold| {
            fold.tell_with_winner(|step| Event::PushedBack { step })?;
            let from = data.from_step.as_deref();
            let from = from.map_or(String::new(), |from| format!(" from `{from}`"));
            fold.step().note = Some(format!("pushed back{from}: {}", data.reason));
            Ok(())
        })
    }
}

/// Step that an event is about.
pub(super) struct StepFold<'a> {
    pub(super) molecule: &'a mut Molecule,
    at: StepIndex,
    event: &'a EventLine<'a>,
}

impl<'a> StepFold<'a> {
    pub(super) fn of(
        molecule: &'a mut Molecule,
        step: &str,
        event: &'a EventLine<'a>,
    ) -> Result<Self, Refusal> {
        let missing = || Refusal::new(format!("`{}` has no step `{step}`", molecule.id));
        let at = molecule.find(step).ok_or_else(missing)?;
        Ok(Self {
            molecule,
            at,
            event,
        })
    }

    pub(super) fn step(&mut self) -> &mut MolStep {
        &mut self.molecule.steps[self.at.index()]
    }

    /// Returns the step's name, with `of` between the ids of step and molecule.
    pub(super) fn name(&self, of: &str) -> String {
        let step = &self.molecule.steps[self.at.index()];
        format!("`{}`{of}`{}`", step.id, self.molecule.id)
    }

    /// Rejects the event in favour of the one that last changed the step.
    pub(super) fn refuse<T>(&self, reason: String) -> Result<T, Refusal> {
        let step = &self.molecule.steps[self.at.index()];
        Err(Refusal::new(reason).won_by(last_of(self.molecule, step)))
    }

    /// Applies a schedule event for the step.
    pub(super) fn tell(&mut self, event: impl FnOnce(StepIndex) -> Event) -> Applied {
        self.molecule.tell(event(self.at), self.event.timestamp)
    }

    fn tell_with_winner(&mut self, event: impl FnOnce(StepIndex) -> Event) -> Applied {
        let by = self.step().by.clone();
        self.tell(event).map_err(|refusal| refusal.won_by(&by))
    }

    pub(super) fn end(&mut self, output: serde_json::Value, note: Option<String>) {
        let at = self.event.timestamp.to_millis();
        let step = self.step();
        step.ended_at = Some(at);
        step.started_at = step.started_at.or(step.ended_at);
        step.lease_until = None;
        step.output = output;
        step.note = note;
    }

    fn give_back(&mut self) -> Applied {
        let attempt = self.step().attempt;
        self.tell(|step| Event::Released { step, attempt })?;
        let step = self.step();
        (step.holder, step.token, step.lease_until) = (None, None, None);
        step.started_at = None;
        (step.moments.started, step.moments.held) = (None, None);
        Ok(())
    }

    /// Returns the attempt in progress under the claim that `token` proves. A step that only contains others is
    /// started here, since no one claims it.
    fn begun(&mut self, token: Option<&str>) -> Result<u32, Refusal> {
        let step = self.step();
        if step.doer == Doer::Nobody && step.is_startable() {
            self.tell(|step| Event::Started { step })?;
        } else {
            self.check_held(token)?;
        }
        Ok(self.step().attempt)
    }

    /// Checks that the step is in progress under the claim that `token` proves, or under the actor's claim if there
    /// is no token.
    pub(super) fn check_held(&self, token: Option<&str>) -> Applied {
        let step = &self.molecule.steps[self.at.index()];
        let holder = step.holder.as_deref().unwrap_or("no one");
        let name = self.name(" of ");
        if step.status != Status::InProgress {
            let why = match (step.status, &step.note) {
                (Status::Completed, _) => format!(" by {holder}"),
                (_, Some(note)) => format!(": {note}"),
                _ => String::new(),
            };
            let now = step.shown().as_str();
            return self.refuse(format!("this claim of {name} has ended: it is {now}{why}"));
        }
        let actor = &*self.event.actor;
        match token {
            Some(token) if step.token.as_deref() != Some(token) => self.refuse(format!(
                "claim `{token}` of {name} has ended: {holder} has claimed it since"
            )),
            None if holder != actor => {
                self.refuse(format!("{name} is claimed by {holder}, not {actor}"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the step may be claimed.
    fn check_startable(&self) -> Applied {
        let molecule = &*self.molecule;
        let step = &molecule.steps[self.at.index()];
        let name = self.name(" of ");
        let holder = step.holder.as_deref().unwrap_or("an unknown actor");
        match step.status {
            Status::Ready if step.doer == Doer::Nobody => self.refuse(format!(
                "{name} cannot be claimed: it completes with the steps it contains"
            )),
            Status::Ready if molecule.is_waiting() => {
                let mut bonds = molecule.open_bonds();
                let after = bonds.next().map_or("", |bond| bond.mol_id.as_str());
                self.refuse(format!(
                    "{name} cannot start: its molecule waits for `{after}`"
                ))
            }
            Status::Ready if !step.is_startable() => {
                let why = molecule.reason(step).unwrap_or_default();
                self.refuse(format!("{name} cannot start: {why}"))
            }
            Status::Ready if molecule.room() == 0 => {
                let limit = molecule.concurrency.unwrap_or_default();
                let by = molecule.at_work().next_back().map(|step| step.by.clone());
                let limit = windlass_base::counted(limit as usize, "step");
                let reason = format!("`{}` is at its limit of {limit} in progress", molecule.id);
                Err(Refusal::new(reason).won_by(&by.unwrap_or_default()))
            }
            Status::Ready => match molecule.in_the_way_of(step) {
                None => Ok(()),
                Some(other) => {
                    let alone = if other.alone { other } else { step };
                    let reason = format!(
                        "{name} cannot start: `{}` is in progress, and `{}` must run alone",
                        other.id, alone.id
                    );
                    Err(Refusal::new(reason).won_by(last_of(molecule, other)))
                }
            },
            Status::InProgress => {
                let until = step.lease_until;
                let until = until.map_or(String::new(), |until| format!(" until {until}"));
                self.refuse(format!("{name} is claimed by {holder}{until}"))
            }
            Status::Completed => self.refuse(format!("{name} was already completed by {holder}")),
            status => {
                let why = molecule.reason(step);
                let why = why.map_or(String::new(), |why| format!(": {why}"));
                self.refuse(format!("{name} is {}{why}", status.as_str()))
            }
        }
    }
}

/// Returns the event that led to the current status of a step.
fn last_of<'a>(molecule: &'a Molecule, step: &'a MolStep) -> &'a str {
    match step.by.as_str() {
        "" => &molecule.made_by,
        by => by,
    }
}
