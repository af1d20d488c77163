//! Dispatches each event to the part of the state it changes.
//!
//! A handler should check everything before it changes anything, because a rejected event must not
//! leave traces in the state. It must also depend on nothing but the state and the event, since all
//! readers of the log have to get the same result.

use super::apply_bead::BeadFold;
use super::apply_mol::MolFold;
use super::{AgentState, Refusal, State};
use crate::event::{EventLine, Payload};
use crate::hook::HookKind;

impl State {
    pub(super) fn apply_payload(&mut self, event: &EventLine<'_>) -> Result<(), Refusal> {
        let payload = Payload::parse(&event.event_type, event.data.get())
            .map_err(|error| Refusal::new(format!("invalid event data: {error}")))?;
        self.check_due(&payload)?;
        match payload {
            Payload::BeadCreated(data) => self.fold_bead(event).create(data),
            Payload::BeadUpdated(data) => self.fold_bead(event).update(data),
            Payload::BeadStatusChanged(data) => self.fold_bead(event).change_status(data),
            Payload::BeadHooked(data) => self.fold_bead(event).hook(data),
            Payload::BeadClosed(data) => self.fold_bead(event).close(data),
            Payload::BeadReopened(data) => self.fold_bead(event).reopen(&data),
            Payload::BeadDependencyAdded(data) => self.fold_bead(event).add_dependency(data),
            Payload::BeadDependencyRemoved(data) => self.fold_bead(event).remove_dependency(&data),
            Payload::BeadImported(data) => self.fold_bead(event).import(&data),
            Payload::MailSent(data) => self.messages.send(event, data),
            Payload::MailDelivered(data) => self.messages.check_exists(&data.message_id),
            Payload::MailRead(data) => self.messages.mark_read(event, &data),
            Payload::HookSet(data) => {
                let kind: HookKind = data.kind.parse().map_err(Refusal::new)?;
                let hooks = &mut self.small.hooks;
                hooks.put(event, data.agent, (kind, data.reference), data.hook_path);
                Ok(())
            }
            Payload::HookCleared(data) => {
                self.small.hooks.clear(&data.agent);
                Ok(())
            }
            Payload::AgentStarted(data) => {
                let agent = self.small.agents.heard(event, Some(AgentState::Started));
                agent.session_name = data.session_name;
                agent.worktree = data.worktree;
                agent.profile = data.profile;
                agent.bead_id = data.hooked_bead;
                Ok(())
            }
            Payload::AgentHookChecked(_) => {
                self.small.agents.heard(event, None);
                Ok(())
            }
            Payload::AgentWorking(data) => {
                let agent = self.small.agents.heard(event, Some(AgentState::Working));
                agent.bead_id = data.bead_id;
                Ok(())
            }
            Payload::AgentIdle(data) => {
                let agent = self.small.agents.heard(event, Some(AgentState::Idle));
                agent.since = data.idle_since.unwrap_or(agent.since);
                agent.note = data.last_activity;
                agent.bead_id = None;
                Ok(())
            }
            Payload::AgentStopped(data) => {
                let agent = self.small.agents.heard(event, Some(AgentState::Stopped));
                agent.note = data.reason;
                agent.exit_code = data.exit_code;
                agent.bead_id = None;
                Ok(())
            }
            Payload::MolCreated(data) => self.fold_mol(event).create(data),
            Payload::MolStepStarted(data) => self.fold_mol(event).start_step(data),
            Payload::MolStepPacked(data) => self.fold_mol(event).pack_step(data),
            Payload::MolStepHeartbeat(data) => self.fold_mol(event).prolong_step(&data),
            Payload::MolStepLeaseExpired(data) => self.fold_mol(event).expire_lease(&data),
            Payload::MolStepReleased(data) => self.fold_mol(event).release_step(data),
            Payload::MolStepCompleted(data) => self.fold_mol(event).complete_step(data),
            Payload::MolStepFailed(data) => self.fold_mol(event).fail_step(data),
            Payload::MolStepRetryDue(data) => self.fold_mol(event).retry_step(&data),
            Payload::MolStepSkipped(data) => self.fold_mol(event).skip_step(data),
            Payload::MolStepConditionHeld(data) => self.fold_mol(event).hold_condition(&data),
            Payload::MolPushedBack(data) => self.fold_mol(event).push_back(&data),
            Payload::MolGateOpened(data) => self.fold_mol(event).open_gate(data),
            Payload::MolGateClosed(data) => self.fold_mol(event).close_gate(data),
            Payload::MolChanged(data) => self.fold_mol(event).change(&data),
            Payload::MolBonded(data) => self.fold_mol(event).bond(data),
            Payload::MolBondMet(data) => self.fold_mol(event).meet_bond(&data),
            Payload::MolCompleted(data) => self.fold_mol(event).complete(data),
            Payload::MolSquashed(data) => self.fold_mol(event).squash(data),
            Payload::MolBurned(data) => self.fold_mol(event).burn(data),
            // These events are only there to be read, so they change nothing in the state.
            Payload::VerifyStarted(_)
            | Payload::VerifyVerdict(_)
            | Payload::ClockObserved(_)
            | Payload::Unknown => Ok(()),
        }
    }

    /// Rejects an event that was due to time, if it was not due yet in the log's time. A writer
    /// whose clock was wrong may have emitted it too early.
    fn check_due(&self, payload: &Payload) -> Result<(), Refusal> {
        let due = payload.due_at().zip(self.small.clock.now());
        match due.filter(|(due, now)| now < due) {
            Some((due, now)) => Err(Refusal::new(format!(
                "not due until {due}; the log's time was {now}"
            ))),
            None => Ok(()),
        }
    }

    pub(super) fn fold_bead<'a>(&'a mut self, event: &'a EventLine<'a>) -> BeadFold<'a> {
        self.work_to_change();
        BeadFold {
            beads: &mut self.beads,
            links: &mut self.links,
            work: &mut self.work,
            hooks: &mut self.small.hooks,
            prefix: &mut self.small.prefix,
            event,
        }
    }

    fn fold_mol<'a>(&'a mut self, event: &'a EventLine<'a>) -> MolFold<'a> {
        let order = event.key().timestamp();
        MolFold {
            time: self
                .small
                .clock
                .time_of(event.timestamp, event.clock(), order),
            molecules: &mut self.molecules,
            plans: &mut self.plans,
            hooks: &mut self.small.hooks,
            event,
        }
    }
}
