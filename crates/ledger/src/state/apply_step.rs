//! Applies step events.
//!
//! A claim is valid if the step was ready at the claim's position in the log. If two clones have
//! claimed the same step, the second event in the order is therefore rejected, along with
//! everything that depends on its token.

use windlass_plan::{Event, Status};

use super::apply_mol::MolFold;
use super::{Applied, Refusal};
use crate::event::{
    MolPushedBack, MolStepCompleted, MolStepConditionHeld, MolStepFailed, MolStepHeartbeat,
    MolStepLeaseExpired, MolStepPacked, MolStepReleased, MolStepRetryDue, MolStepSkipped,
    MolStepStarted,
};
use crate::log_clock::shifted;
use crate::molecule::StepOutput;

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
            // If the event states the end of the lease, its writer computed that from its own
            // clock.
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
            // A heartbeat never shortens a lease, even if it asks for less time than there's left.
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
            // Older versions had no due time and used their own clock.
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
            fold.end(StepOutput::of_event(data.output, data.stored_output), None);
            fold.tell(|step| Event::Completed { step, attempt })
        })
    }

    pub(super) fn fail_step(&mut self, data: MolStepFailed) -> Applied {
        self.with_step(&data.mol_id, &data.step_id, |fold| {
            let attempt = fold.begun(data.token.as_deref())?;
            let output = StepOutput::of_event(data.output, data.stored_output);
            fold.end(output, Some(data.reason));
            fold.tell(|step| Event::Failed {
                step,
                attempt,
                retryable: !data.for_good,
            })?;
            let step = fold.step();
            // There's another attempt, so the step hasn't ended yet.
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
            fold.push_back_scopes();
            let from = data.from_step.as_deref();
            let from = from.map_or(String::new(), |from| format!(" from `{from}`"));
            fold.step().note = Some(format!("pushed back{from}: {}", data.reason));
            Ok(())
        })
    }
}
