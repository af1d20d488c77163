//! The step that an event is about, with the checks of the claim that the event relies on.

use windlass_plan::{Event, Status, StepIndex};

use super::{Applied, Refusal};
use crate::event::EventLine;
use crate::molecule::{Doer, MolStep, Molecule, Scopes, StepOutput};

/// A step with its molecule, while an event is being applied to it.
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

    pub(super) fn name(&self, of: &str) -> String {
        let step = &self.molecule.steps[self.at.index()];
        format!("`{}`{of}`{}`", step.id, self.molecule.id)
    }

    /// Rejects the event. The event that last changed the step takes precedence.
    pub(super) fn refuse<T>(&self, reason: String) -> Result<T, Refusal> {
        let step = &self.molecule.steps[self.at.index()];
        Err(Refusal::new(reason).won_by(last_of(self.molecule, step)))
    }

    pub(super) fn tell(&mut self, event: impl FnOnce(StepIndex) -> Event) -> Applied {
        self.molecule.tell(event(self.at), self.event.timestamp)
    }

    pub(super) fn tell_with_winner(&mut self, event: impl FnOnce(StepIndex) -> Event) -> Applied {
        let by = self.step().by.clone();
        self.tell(event).map_err(|refusal| refusal.won_by(&by))
    }

    /// Pushes back the scopes whose members are repeated. A scope does not depend on its members in
    /// the schedule, so the schedule does not do this itself.
    pub(super) fn push_back_scopes(&mut self) {
        for step in Scopes(self.molecule).repeated() {
            if self.molecule.step(step).is_some_and(MolStep::has_ended) {
                // The schedule accepts a push-back of any step that has ended, so this can't fail.
                let _ = self
                    .molecule
                    .tell(Event::PushedBack { step }, self.event.timestamp);
            }
        }
    }

    pub(super) fn end(&mut self, output: StepOutput, note: Option<String>) {
        let at = self.event.timestamp.to_millis();
        let step = self.step();
        step.ended_at = Some(at);
        step.started_at = step.started_at.or(step.ended_at);
        step.lease_until = None;
        step.output = output;
        step.note = note;
    }

    pub(super) fn give_back(&mut self) -> Applied {
        let attempt = self.step().attempt;
        self.tell(|step| Event::Released { step, attempt })?;
        let step = self.step();
        (step.holder, step.token, step.lease_until) = (None, None, None);
        step.started_at = None;
        (step.moments.started, step.moments.held) = (None, None);
        Ok(())
    }

    /// Returns the number of the attempt that is in progress under the claim of `token`. A
    /// container (a step that only contains other steps) is never claimed, so we start it here.
    pub(super) fn begun(&mut self, token: Option<&str>) -> Result<u32, Refusal> {
        let step = self.step();
        if step.doer == Doer::Nobody && step.is_startable() {
            self.tell(|step| Event::Started { step })?;
        } else {
            self.check_held(token)?;
        }
        Ok(self.step().attempt)
    }

    /// Rejects the event unless the step is in progress under the claim of `token`. If there is no
    /// token, the actor must be the holder.
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

    pub(super) fn check_startable(&self) -> Applied {
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

/// Returns the event that gave a step its current status, or the one that poured the molecule if
/// there has been none.
fn last_of<'a>(molecule: &'a Molecule, step: &'a MolStep) -> &'a str {
    match step.by.as_str() {
        "" => &molecule.made_by,
        by => by,
    }
}
