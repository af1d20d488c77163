//! Events about mail, hooks and agents; which event is about what.

use super::{Agent, AgentState, MessageNote, Refusal, State};
use crate::Stamp;
use crate::event::{EventLine, HookSet, MailRead, MailSent, Payload};
use crate::hook::{Hook, HookKind};
use crate::mail::Message;

impl State {
    pub(super) fn apply_payload(&mut self, event: &EventLine<'_>) -> Result<(), Refusal> {
        let payload = Payload::parse(&event.event_type, event.data.get())
            .map_err(|error| Refusal::new(format!("its data cannot be read: {error}")))?;
        self.check_due(&payload)?;
        match payload {
            Payload::BeadCreated(data) => self.create_bead(event, data),
            Payload::BeadUpdated(data) => self.update_bead(event, &data),
            Payload::BeadStatusChanged(data) => self.change_status(event, &data),
            Payload::BeadHooked(data) => self.hook_bead(event, &data),
            Payload::BeadClosed(data) => self.close_bead(event, data),
            Payload::BeadReopened(data) => self.reopen_bead(event, &data),
            Payload::BeadDependencyAdded(data) => self.add_dependency(event, data),
            Payload::BeadDependencyRemoved(data) => self.remove_dependency(event, &data),
            Payload::BeadImported(data) => self.import_bead(event, &data),
            Payload::MailSent(data) => self.send(event, data),
            Payload::MailDelivered(data) => self.message_exists(&data.message_id),
            Payload::MailRead(data) => self.read_mail(event, &data),
            Payload::HookSet(data) => self.set_hook(event, data),
            Payload::HookCleared(data) => {
                self.small.hooks.remove(&data.agent);
                Ok(())
            }
            Payload::AgentStarted(data) => {
                let agent = self.agent(event, Some(AgentState::Started));
                agent.session_name = data.session_name;
                agent.worktree = data.worktree;
                agent.profile = data.profile;
                agent.bead_id = data.hooked_bead;
                Ok(())
            }
            Payload::AgentHookChecked(_) => {
                self.agent(event, None);
                Ok(())
            }
            Payload::AgentWorking(data) => {
                self.agent(event, Some(AgentState::Working)).bead_id = data.bead_id;
                Ok(())
            }
            Payload::AgentIdle(data) => {
                let agent = self.agent(event, Some(AgentState::Idle));
                agent.since = data.idle_since.unwrap_or(agent.since);
                agent.note = data.last_activity;
                agent.bead_id = None;
                Ok(())
            }
            Payload::AgentStopped(data) => {
                let agent = self.agent(event, Some(AgentState::Stopped));
                agent.note = data.reason;
                agent.exit_code = data.exit_code;
                agent.bead_id = None;
                Ok(())
            }
            Payload::MolCreated(data) => self.create_molecule(event, data),
            Payload::MolStepStarted(data) => self.start_step(event, data),
            Payload::MolStepPacked(data) => self.pack_step(event, data),
            Payload::MolStepHeartbeat(data) => self.prolong_step(event, &data),
            Payload::MolStepLeaseExpired(data) => self.expire_lease(event, &data),
            Payload::MolStepReleased(data) => self.release_step(event, &data),
            Payload::MolStepCompleted(data) => self.complete_step(event, data),
            Payload::MolStepFailed(data) => self.fail_step(event, data),
            Payload::MolStepRetryDue(data) => self.retry_step(event, &data),
            Payload::MolStepSkipped(data) => self.skip_step(event, data),
            Payload::MolStepConditionHeld(data) => self.hold_condition(event, &data),
            Payload::MolPushedBack(data) => self.push_back(event, &data),
            Payload::MolGateOpened(data) => self.open_gate(event, data),
            Payload::MolGateClosed(data) => self.close_gate(event, data),
            Payload::MolChanged(data) => self.change_molecule(event, &data),
            Payload::MolBonded(data) => self.bond_molecule(event, data),
            Payload::MolBondMet(data) => self.meet_bond(event, &data),
            Payload::MolCompleted(data) => self.complete_molecule(event, data),
            Payload::MolSquashed(data) => self.squash_molecule(event, data),
            Payload::MolBurned(data) => self.burn_molecule(event, data),
            // What was verified is told, and changes nothing by itself.
            Payload::VerifyStarted(_)
            | Payload::VerifyVerdict(_)
            | Payload::ClockObserved(_)
            | Payload::Unknown => Ok(()),
        }
    }

    /// That what time brings about was due by the log's time.
    fn check_due(&self, payload: &Payload) -> Result<(), Refusal> {
        let due = payload.due_at().zip(self.small.clock.now());
        match due.filter(|(due, now)| now < due) {
            Some((due, now)) => Err(Refusal::new(format!(
                "it was due at {due}, and the log's time was {now}"
            ))),
            None => Ok(()),
        }
    }

    /// The agent that `event` tells of; what it does from now on, where that changes.
    fn agent(&mut self, event: &EventLine<'_>, state: Option<AgentState>) -> &mut Agent {
        let at = event.timestamp;
        let agent = self.small.agents.entry(event.actor.clone().into_owned());
        let agent = agent.or_insert_with(|| Agent {
            state: AgentState::Started,
            since: at,
            last_seen: at,
            session_name: None,
            worktree: None,
            profile: None,
            bead_id: None,
            note: None,
            exit_code: None,
        });
        agent.last_seen = at;
        if let Some(state) = state {
            if agent.state != state {
                agent.since = at;
            }
            agent.state = state;
            agent.note = None;
            agent.exit_code = None;
        }
        agent
    }

    fn send(&mut self, event: &EventLine<'_>, data: MailSent) -> Result<(), Refusal> {
        if data.message_id.is_empty() {
            return Err(Refusal::new("the message has no id"));
        }
        if self.messages.contains(&data.message_id) {
            let reason = format!("there is a message `{}` already", data.message_id);
            return Err(Refusal::new(reason));
        }
        let mut metadata = data.metadata;
        let message_type = data.message_type.as_deref().map(str::parse);
        if let (Some(told), Some(Err(_))) = (&data.message_type, &message_type) {
            // Another tool's type is kept where it does no harm.
            metadata.insert("message_type".to_owned(), told.clone().into());
        }
        let message = Message {
            id: data.message_id,
            from: data.from,
            to: data.to,
            subject: data.subject,
            body: data.body,
            message_type: message_type.and_then(Result::ok),
            timestamp: event.timestamp.to_millis(),
            read_at: None,
            priority: data
                .priority
                .and_then(|word| word.parse().ok())
                .unwrap_or_default(),
            metadata,
        };
        let order = event.key().timestamp().micros();
        self.messages.insert(message, MessageNote { order });
        Ok(())
    }

    fn message_exists(&self, id: &str) -> Result<(), Refusal> {
        match self.messages.contains(id) {
            true => Ok(()),
            false => Err(Refusal::new(format!("there is no message `{id}`"))),
        }
    }

    fn read_mail(&mut self, event: &EventLine<'_>, data: &MailRead) -> Result<(), Refusal> {
        self.message_exists(&data.message_id)?;
        let Some((message, _)) = self.messages.get_mut(&data.message_id) else {
            return Ok(());
        };
        if message.to != data.reader {
            return Err(Refusal::new(format!(
                "message `{}` is for {}, not for {}",
                message.id, message.to, data.reader
            )));
        }
        // Whoever read it first did.
        let read_at = data.read_at.unwrap_or(event.timestamp).to_millis();
        message.read_at.get_or_insert(read_at);
        Ok(())
    }

    fn set_hook(&mut self, event: &EventLine<'_>, data: HookSet) -> Result<(), Refusal> {
        let kind: HookKind = data.kind.parse().map_err(Refusal::new)?;
        self.put_on_hook(
            event.timestamp,
            data.agent,
            kind,
            data.reference,
            data.hook_path,
            &event.event_id,
        );
        Ok(())
    }

    pub(super) fn put_on_hook(
        &mut self,
        at: Stamp,
        agent: String,
        kind: HookKind,
        reference: String,
        path: String,
        event_id: &str,
    ) {
        let path = self.usable_hook_path(&agent, path);
        let hook = Hook {
            kind,
            reference,
            path,
            since: at.to_millis(),
            set_by: event_id.to_owned(),
        };
        self.small.hooks.insert(agent, hook);
    }
}
