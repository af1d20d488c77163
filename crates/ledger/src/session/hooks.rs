//! Agent hooks, and what agents report about their activity.
//!
//! A hook holds at most one record, usually a bead. An agent checks its own hook and works on what
//! it finds there, so it does not have to look for work.

use crate::bead::BeadStatus;
use crate::event::{
    AgentHookChecked, AgentIdle, AgentStarted, AgentStopped, AgentWorking, BeadHooked,
    BeadStatusChanged, BeadUpdated, HookCleared, HookSet,
};
use crate::{Agent, Draft, Hook, HookKind, LedgerError, parse_hook};
use serde::Serialize;

use super::LedgerSession;
use super::bead_work::check_bead;
use super::messages::message;
use windlass_site::Error;

/// An assignment, with the agent that has it.
#[derive(Debug, Clone, Serialize)]
pub struct HookReport {
    /// The agent's name.
    pub agent: String,
    /// What's on the hook.
    #[serde(flatten)]
    pub hook: Hook,
}

/// The session's view of agent hooks.
#[derive(Debug)]
pub struct Hooks<'a> {
    pub(super) session: &'a mut LedgerSession,
}

impl Hooks<'_> {
    /// Sets an agent's hook to `bead:ID`, `mail:ID` or `mol:ID`. If there is another assignment on
    /// it, this fails unless `replace` is set.
    ///
    /// # Errors
    /// Returns an error if the record does not exist, another actor has the bead, or the hook is
    /// occupied.
    pub fn set(&mut self, agent: &str, what: &str, replace: bool) -> Result<HookReport, Error> {
        super::checked_actor(Some(agent))?;
        let (kind, reference) = parse_hook(what).map_err(LedgerError::Invalid)?;
        let agent = agent.to_owned();
        self.session.decide(|draft| {
            put_on_hook(draft, &agent, (kind, &reference), replace, None)?;
            report(draft.state().hooks(), &agent)
        })
    }

    /// Clears an agent's hook, and reopens a bead that was only hooked so far. Returns true if the
    /// hook was set.
    ///
    /// # Errors
    /// Returns an error if the change cannot be written.
    pub fn clear(&mut self, agent: &str) -> Result<bool, Error> {
        self.session.decide(|draft| take_off_hook(draft, agent))
    }

    /// Lists the hooks of all agents, or only that of `agent`.
    #[must_use]
    pub fn list(&self, agent: Option<&str>) -> Vec<HookReport> {
        let hooks = self.session.state().hooks().iter();
        let wanted = hooks.filter(|(known, _)| agent.is_none_or(|agent| agent == *known));
        let report = |(agent, hook): (&String, &Hook)| HookReport {
            agent: agent.clone(),
            hook: hook.clone(),
        };
        wanted.map(report).collect()
    }

    /// Checks the actor's own hook, and records that in the log.
    ///
    /// # Errors
    /// Returns an error if the session has no actor.
    pub fn check(&mut self) -> Result<Option<HookReport>, Error> {
        let agent = self.session.actor()?.to_owned();
        self.session.decide(|draft| {
            let found = report(draft.state().hooks(), &agent).ok();
            let action = found.is_some().then(|| "execute_immediately".to_owned());
            draft.emit(AgentHookChecked {
                found: found.is_some(),
                response_ms: None,
                action,
            })?;
            Ok(found)
        })
    }
}

/// The session's view for agents that report their own activity.
#[derive(Debug)]
pub struct Agents<'a> {
    pub(super) session: &'a mut LedgerSession,
}

impl Agents<'_> {
    /// Records that the agent has started a session, together with the bead on its hook.
    ///
    /// # Errors
    /// Returns an error if the session has no actor.
    pub fn started(&mut self, started: &AgentStarted) -> Result<Agent, Error> {
        self.note(|draft, agent| {
            let hooked = draft
                .state()
                .hooks()
                .get(agent)
                .filter(|hook| hook.kind == HookKind::Bead);
            let hooked_bead = hooked.map(|hook| hook.reference.clone());
            draft.emit(AgentStarted {
                hooked_bead,
                ..started.clone()
            })
        })
    }

    /// Records that the agent is working, on `bead` if given.
    ///
    /// # Errors
    /// Returns an error if the bead does not exist.
    pub fn working(&mut self, bead: Option<&str>) -> Result<Agent, Error> {
        self.note(|draft, _| {
            if let Some(bead) = bead {
                check_bead(draft.state(), bead)?;
            }
            draft.emit(AgentWorking {
                bead_id: bead.map(str::to_owned),
            })
        })
    }

    /// Records that the agent is idle from now on.
    ///
    /// # Errors
    /// Returns an error if the session has no actor.
    pub fn idle(&mut self, last_activity: Option<&str>) -> Result<Agent, Error> {
        self.note(|draft, _| {
            let idle_since = Some(draft.now().to_millis());
            draft.emit(AgentIdle {
                idle_since,
                last_activity: last_activity.map(str::to_owned),
            })
        })
    }

    /// Records that the agent's session has ended.
    ///
    /// # Errors
    /// Returns an error if the session has no actor.
    pub fn stopped(
        &mut self,
        reason: Option<&str>,
        exit_code: Option<i32>,
    ) -> Result<Agent, Error> {
        self.note(|draft, _| {
            draft.emit(AgentStopped {
                reason: reason.map(str::to_owned),
                exit_code,
            })
        })
    }

    fn note(
        &mut self,
        emit: impl Fn(&mut Draft<'_>, &str) -> Result<String, LedgerError>,
    ) -> Result<Agent, Error> {
        let agent = self.session.actor()?.to_owned();
        self.session.decide(|draft| {
            emit(draft, &agent)?;
            let found = draft.state().agents().get(&agent).cloned();
            found.ok_or_else(|| LedgerError::missing("agent", &agent, []))
        })
    }
}

fn report(
    hooks: &std::collections::BTreeMap<String, Hook>,
    agent: &str,
) -> Result<HookReport, LedgerError> {
    let hook = hooks.get(agent).cloned();
    let hook = hook.ok_or_else(|| LedgerError::missing("hook of", agent, []))?;
    Ok(HookReport {
        agent: agent.to_owned(),
        hook,
    })
}

/// Sets the hook of `agent` to a record, after taking another one off the hook if `replace` is set.
/// If the record is on the hook already, nothing changes.
///
/// # Errors
/// Returns an error if the record does not exist, another actor has the bead, or the hook is
/// occupied.
pub fn put_on_hook(
    draft: &mut Draft<'_>,
    agent: &str,
    (kind, reference): (HookKind, &str),
    replace: bool,
    cause: Option<&str>,
) -> Result<(), LedgerError> {
    if let Some(hook) = draft.state().hooks().get(agent) {
        if (hook.kind, hook.reference.as_str()) == (kind, reference) {
            return Ok(());
        }
        if !replace {
            let reason = format!(
                "the hook of {agent} already holds {} `{}`; pass `--replace` to replace it",
                hook.kind, hook.reference
            );
            return draft.refuse(reason, Some(hook.set_by.clone()));
        }
    }
    take_off_hook(draft, agent)?;
    let hook_path = draft.state().hook_path(agent);
    match kind {
        HookKind::Bead => {
            check_bead(draft.state(), reference)?;
            let hooked = BeadHooked {
                bead_id: reference.to_owned(),
                agent: agent.to_owned(),
                hook_path,
            };
            return draft.emit_caused_by(hooked, cause).map(drop);
        }
        // For these two, only make sure that the record exists.
        HookKind::Mail => drop(message(draft.state(), reference)?),
        HookKind::Mol => drop(draft.molecule(reference)?),
    }
    let set = HookSet {
        agent: agent.to_owned(),
        kind: kind.as_str().to_owned(),
        reference: reference.to_owned(),
        hook_path,
    };
    draft.emit_caused_by(set, cause).map(drop)
}

fn take_off_hook(draft: &mut Draft<'_>, agent: &str) -> Result<bool, LedgerError> {
    let Some(hook) = draft.state().hooks().get(agent).cloned() else {
        return Ok(false);
    };
    let cleared = draft.emit(HookCleared {
        agent: agent.to_owned(),
    })?;
    // A bead that was only waiting on the hook is open to all again. Leave it alone if the agent
    // has begun to work on it, or if someone else has it by now.
    let bead = draft.state().beads.get(&hook.reference).filter(|bead| {
        hook.kind == HookKind::Bead
            && bead.status == BeadStatus::Hooked
            && bead.assignee.as_deref() == Some(agent)
    });
    if let Some(bead) = bead {
        let opened = BeadStatusChanged {
            bead_id: bead.id.clone(),
            from_status: BeadStatus::Hooked.to_string(),
            to_status: BeadStatus::Open.to_string(),
            ..BeadStatusChanged::default()
        };
        draft.emit_caused_by(opened, Some(&cleared))?;
        let changes =
            serde_json::Map::from_iter([("assignee".to_owned(), serde_json::Value::Null)]);
        let free = BeadUpdated {
            bead_id: bead.id,
            changes,
            ..BeadUpdated::default()
        };
        draft.emit_caused_by(free, Some(&cleared))?;
    }
    Ok(true)
}
