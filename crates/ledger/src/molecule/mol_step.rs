//! Steps of a molecule: their settings from the formula, and their progress so far.
//!
//! A step has two statuses. The schedule only knows about needs and attempts, so it may consider a
//! step ready while a gate or condition still holds it back. Readers see such a step as blocked.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_formula::{CookedStep, GateKind};
use windlass_plan::{DurationText, NodeSpec, Retry, Status, StepIndex};

use super::scope_part::{MolScope, SCOPE};
use crate::Stamp;
use crate::event::Fields;
use crate::log_clock::{Moments, shifted};

/// A step of a molecule, with its scheduling settings and its progress.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MolStep {
    /// Id, unique in the molecule.
    pub id: String,
    /// Title shown to readers.
    pub title: String,
    /// Status in the schedule. The displayed status may differ (see [`MolStep::shown`]).
    pub(crate) status: Status,
    /// Indices of the steps that must complete first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) needs: Vec<StepIndex>,
    /// Indices of the steps that must end first, even if they fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) after: Vec<StepIndex>,
    /// Maximum number of attempts, including the first.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub max_attempts: u32,
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    backoff_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_backoff_ms: Option<u64>,
    /// True if dependents start even if this step fails.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    soft: bool,
    /// Maximum duration of an attempt, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Priority from 0 (critical) to 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// The actor, group or role the step is assigned to. Others may still claim it by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meant_for: Option<String>,
    /// Kind of actor performing the step.
    pub doer: Doer,
    /// Kind of agent that should perform the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The only agent allowed to claim the step, by name, group or role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Labels a machine needs to run the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs_on: Vec<String>,
    /// The step's role in a scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<MolScope>,
    /// True if no other step of the molecule may run at the same time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// True if the step has conditions to evaluate once it's reached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) conditional: bool,
    /// True if those conditions were found to hold.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) decided: bool,
    /// Gates that must open before the step starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<MolGate>,
    /// Number of the current or last attempt.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub attempt: u32,
    /// Number of push-backs so far.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub generation: u32,
    /// Number of expired claims.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub expired: u32,
    /// Time at which all needs had been met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached_at: Option<Stamp>,
    /// Start of the last attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Stamp>,
    /// Time at which the step completed, failed or was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Stamp>,
    /// Time at which the next attempt is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Stamp>,
    /// Current or last holder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// Token proving the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// End of the lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Stamp>,
    /// Reference moments for these times, recorded if clock and log differ.
    #[serde(default, skip_serializing_if = "Moments::are_plain")]
    pub(crate) moments: Moments,
    /// The failed step that holds this one back, by index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) held_by: Option<StepIndex>,
    /// The reason why the step failed, was skipped or was released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Output of the completed step, or null if it has none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// Id of the context pack given to the current or last holder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// Id of the event that gave the step its current status.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
}

/// Kinds of actors performing steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doer {
    /// An agent, working alone.
    #[default]
    Agent,
    /// A person, together with an agent.
    Person,
    /// The machine, without an agent or a person.
    Machine,
    /// No actor. The step is a container and ends along with its contained steps.
    Nobody,
}

/// A gate before a step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MolGate {
    /// Kind of gate, such as `timer` or `human`. A gate of kind `children` waits for work made from
    /// another step's output.
    pub kind: String,
    /// Time of opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_at: Option<Stamp>,
    /// The actor that opened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_by: Option<String>,
    /// That actor's inputs.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub inputs: Fields,
}

/// Gate kind for waiting on work made from another step's output.
pub(crate) const CHILDREN: &str = "children";

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_one(number: &u32) -> bool {
    *number == 1
}

/// Returns the name of a gate kind.
pub(crate) fn gate_word(kind: &GateKind) -> &'static str {
    match kind {
        GateKind::Timer { .. } => "timer",
        GateKind::Human { .. } => "human",
        GateKind::Mail { .. } => "mail",
        GateKind::Bead { .. } => "bead",
        GateKind::GithubRun { .. } => "gh:run",
        GateKind::GithubPr { .. } => "gh:pr",
        GateKind::File { .. } => "file",
        GateKind::Command { .. } => "command",
        GateKind::Condition { .. } => "condition",
    }
}

/// True if `name` is `actor`, one of its groups or rigs, or its role. For example, `a/polecats`,
/// `polecats` and `polecat` all match `a/polecats/x`. We ignore a number at the end of an actor's
/// name, as in `a/polecat-2`, since it only distinguishes agents with the same role.
fn is_called(actor: &str, name: &str) -> bool {
    if let Some((role, number)) = actor.rsplit_once('-')
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && is_called(role, name)
    {
        return true;
    }
    let is_part = |part: &str| part == name || part.strip_suffix('s') == Some(name);
    actor == name
        || actor
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('/'))
        || actor.split('/').any(is_part)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl MolStep {
    /// True if `actor` may claim the step, because it has no target or the target matches the
    /// actor's name, group or role.
    #[must_use]
    pub fn may_be_claimed_by(&self, actor: &str) -> bool {
        let target = self.target.as_deref();
        target.is_none_or(|target| is_called(actor, target))
    }

    /// True if `actor` may get the step without naming it. The step must be assigned to no one or
    /// match the actor's name, group or role.
    #[must_use]
    pub fn is_for(&self, actor: &str) -> bool {
        let named = [&self.meant_for, &self.agent, &self.target];
        let mut named = named.into_iter().flatten().filter(|name| !name.is_empty());
        named.all(|name| is_called(actor, name))
    }

    /// True if a machine with these labels may run the step.
    #[must_use]
    pub fn runs_with(&self, labels: &[String]) -> bool {
        self.runs_on.iter().all(|label| labels.contains(label))
    }

    pub(crate) fn new(step: &CookedStep, spec: NodeSpec, scope: Option<MolScope>) -> Self {
        let doer = match step {
            _ if step.uses.is_some() || step.drain.is_some() => Doer::Machine,
            _ if matches!(scope, Some(MolScope::Body { .. })) => Doer::Nobody,
            _ if !step.children.is_empty() && !step.asks_for_more() => Doer::Nobody,
            _ if step.interactive => Doer::Person,
            _ => Doer::Agent,
        };
        let gates = step.gates.iter().map(|gate| gate_word(&gate.kind));
        let children = step.waits_for.iter().map(|_| CHILDREN);
        let is_scope = matches!(scope, Some(MolScope::Body { .. }));
        let members = is_scope.then_some(SCOPE);
        let closed = |kind: &str| MolGate {
            kind: kind.to_owned(),
            ..MolGate::default()
        };
        Self {
            id: step.id.clone(),
            title: step.title.clone(),
            needs: spec.needs,
            after: spec.after,
            max_attempts: spec.retry.max_attempts,
            backoff_ms: millis(spec.retry.backoff),
            max_backoff_ms: spec.retry.max_backoff.map(millis),
            soft: spec.continue_on_failure,
            timeout_ms: step
                .timeout
                .as_ref()
                .and_then(|text| text.parse().ok())
                .map(millis),
            priority: step.priority,
            meant_for: step.assignee.clone(),
            doer,
            agent: step.agent.clone(),
            alone: step.parallel == Some(false),
            conditional: !step.run_if.is_empty(),
            target: step.target.clone(),
            runs_on: step.runs_on.clone(),
            gates: gates.chain(children).chain(members).map(closed).collect(),
            scope,
            ..Self::default()
        }
    }

    pub(crate) fn spec(&self) -> NodeSpec {
        NodeSpec {
            needs: self.needs.clone(),
            after: self.after.clone(),
            retry: Retry {
                max_attempts: self.max_attempts,
                backoff: Duration::from_millis(self.backoff_ms),
                max_backoff: self.max_backoff_ms.map(Duration::from_millis),
            },
            continue_on_failure: self.soft,
            finally: false,
        }
    }

    /// Returns the displayed status. A ready step is shown as `blocked` while a gate or condition
    /// holds it.
    #[must_use]
    pub fn shown(&self) -> Status {
        match self.status {
            Status::Ready if !self.is_startable() => Status::Blocked,
            status => status,
        }
    }

    /// True if the step is a scope, which ends when its members have ended.
    #[must_use]
    pub fn is_scope(&self) -> bool {
        matches!(self.scope, Some(MolScope::Body { .. }))
    }

    /// True if dependents may start even if the step fails.
    pub(super) fn is_soft(&self) -> bool {
        self.soft
    }

    /// Returns the status in the schedule. Unlike [`Self::shown`], it's `ready` even if a gate or
    /// condition holds the step.
    #[must_use]
    pub fn status_now(&self) -> Status {
        self.status
    }

    /// True if the step can start, which means that it's ready, all its gates are open and its
    /// conditions hold.
    #[must_use]
    pub fn is_startable(&self) -> bool {
        self.status == Status::Ready && self.closed_gates().next().is_none() && !self.is_undecided()
    }

    /// True if `actor` is working on the step.
    #[must_use]
    pub fn is_held_by(&self, actor: &str) -> bool {
        self.status == Status::InProgress && self.holder.as_deref() == Some(actor)
    }

    /// Returns the indices of the closed gates.
    pub fn closed_gates(&self) -> impl Iterator<Item = usize> + '_ {
        let numbered = self.gates.iter().enumerate();
        numbered
            .filter(|(_, gate)| gate.opened_at.is_none())
            .map(|(at, _)| at)
    }

    /// True if nothing but gates keeps the step from starting.
    #[must_use]
    pub fn waits_at_gates(&self) -> bool {
        self.status == Status::Ready && !self.is_undecided() && self.closed_gates().next().is_some()
    }

    /// Returns the time at which the current attempt times out, in the log's time at `now`.
    #[must_use]
    pub fn times_out_at(&self, now: Stamp) -> Option<Stamp> {
        let limit = i64::try_from(self.timeout_ms?).ok()?.saturating_mul(1000);
        let since = self
            .started_at
            .filter(|_| self.status == Status::InProgress)?;
        let since = shifted(since, self.moments.started, now);
        Some(Stamp::from_micros(since.micros().saturating_add(limit)))
    }

    /// Returns the time at which all needs had been met, in the log's time at `now`.
    pub(crate) fn reached(&self, now: Stamp) -> Option<Stamp> {
        Some(shifted(self.reached_at?, self.moments.reached, now))
    }

    /// Returns the time `duration` after the step was reached, in the log's time at `now`.
    #[must_use]
    pub fn opens_after(&self, duration: &DurationText, now: Stamp) -> Option<Stamp> {
        let duration: Duration = duration.parse().ok()?;
        let micros = i64::try_from(duration.as_micros()).ok()?;
        let reached = self.reached(now)?.micros();
        Some(Stamp::from_micros(reached.saturating_add(micros)))
    }

    /// Returns the time at which the next attempt is due, in the log's time at `now`.
    #[must_use]
    pub fn retry_due(&self, now: Stamp) -> Option<Stamp> {
        Some(shifted(self.retry_at?, self.moments.failed, now))
    }

    /// Returns the end of the lease, in the log's time at `now`.
    #[must_use]
    pub fn lease_end(&self, now: Stamp) -> Option<Stamp> {
        Some(shifted(self.lease_until?, self.moments.held, now))
    }

    /// True if the step has conditions that haven't been found to hold yet.
    pub(crate) fn is_undecided(&self) -> bool {
        self.conditional && !self.decided
    }

    /// True if the step has ended. Only a push-back can reopen it.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(
            self.status,
            Status::Completed | Status::Failed | Status::Skipped
        )
    }

    /// True if the holder's lease has expired in the log's time at `now`.
    #[must_use]
    pub fn is_overdue(&self, now: Stamp) -> bool {
        self.status == Status::InProgress && self.lease_end(now).is_some_and(|until| until < now)
    }

    /// Resets all progress after a push-back.
    pub(crate) fn reset(&mut self) {
        self.generation += 1;
        self.decided = false;
        for gate in &mut self.gates {
            (gate.opened_at, gate.opened_by) = (None, None);
            gate.inputs.clear();
        }
        (self.reached_at, self.started_at, self.ended_at) = (None, None, None);
        (self.retry_at, self.lease_until) = (None, None);
        self.moments = Moments::default();
        (self.holder, self.token, self.note) = (None, None, None);
        self.output = Value::Null;
        self.pack = None;
    }
}
