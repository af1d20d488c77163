//! Steps of a molecule: their settings from the formula, and their progress so far.
//!
//! A step has two statuses. The schedule only knows about needs and attempts, so it may consider a
//! step ready while a gate or condition still holds it back. We show such a step as blocked
//! ([`MolStep::shown`]).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_formula::{CookedStep, GateKind};
use windlass_plan::{DurationText, NodeSpec, Retry, Status, StepIndex};

use super::StepOutput;
use super::scope_part::{MolScope, SCOPE};
use crate::Stamp;
use crate::event::Fields;
use crate::log_clock::{EventTime, Moments, shifted};

/// A step of a molecule, with its scheduling settings and its progress.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MolStep {
    /// Id, unique in the molecule.
    pub id: String,
    /// Title shown to readers.
    pub title: String,
    /// Status in the schedule. [`MolStep::shown`] is the one for users.
    pub(crate) status: Status,
    /// Steps that must complete first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) needs: Vec<StepIndex>,
    /// Steps that must end first, but may fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) after: Vec<StepIndex>,
    /// Maximum number of attempts, including the first.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub max_attempts: u32,
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    backoff_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_backoff_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    soft: bool,
    /// Maximum duration of an attempt, in milliseconds. `None` for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// From 0 (critical) to 4. `None` counts as 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// The actor, group or role that should get the step. Others may still claim it by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meant_for: Option<String>,
    /// Decides which claims get the step without naming it.
    pub doer: Doer,
    /// Kind of agent that should perform the step. Like `meant_for`, this doesn't keep others out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The only agent, group or role that may claim the step, even by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Labels that a machine needs in order to run the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs_on: Vec<String>,
    /// The step's role in a scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<MolScope>,
    /// True if no other step of the molecule may run at the same time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// True if the step has conditions, which we evaluate once it's reached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) conditional: bool,
    /// True once they were found to hold.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) decided: bool,
    /// All of them must open before the step starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<MolGate>,
    /// Number of the current or last attempt, from 1. It's 0 before the first.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub attempt: u32,
    /// Number of push-backs so far.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub generation: u32,
    /// Number of claims that expired.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub expired: u32,
    /// Time at which the last of its needs was met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached_at: Option<Stamp>,
    /// Start of the last attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Stamp>,
    /// Time at which the step completed, failed for good or was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Stamp>,
    /// Time at which the next attempt is due, after a failed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Stamp>,
    /// Current or last holder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// Secret token that proves the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// End of the lease if no heartbeat extends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Stamp>,
    /// Moments from which we convert these times. Set only if the clock and the log differ.
    #[serde(default, skip_serializing_if = "Moments::are_plain")]
    pub(crate) moments: Moments,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) held_by: Option<StepIndex>,
    /// Reason why the step failed, was skipped or was released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Output of the completed or failed step, if it has one.
    #[serde(default, skip_serializing_if = "StepOutput::is_none")]
    pub output: StepOutput,
    /// Id of the context pack that the current or last holder got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// Id of the event that gave the step its current status.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
}

/// Kinds of actors that perform steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doer {
    /// An agent, working alone.
    #[default]
    Agent,
    /// A person, together with an agent.
    Person,
    /// The machine alone.
    Machine,
    /// No actor: the step is a container, which ends along with the steps in it.
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

/// Gate kind that waits for work made from another step's output.
pub(crate) const CHILDREN: &str = "children";

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_one(number: &u32) -> bool {
    *number == 1
}

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

/// True if `name` is `actor`, one of its groups or rigs, or its role.
///
/// For example, `a/polecats`, `polecats` and `polecat` all match `a/polecats/x`. A number at the
/// end of the actor's name only tells agents in the same role apart, so we ignore it: `a/polecat-2`
/// is called `polecat` too.
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
    /// True if `actor` may claim the step by name. It may if the step has no target, or if the
    /// target is the actor's name, group or role.
    #[must_use]
    pub fn may_be_claimed_by(&self, actor: &str) -> bool {
        let target = self.target.as_deref();
        target.is_none_or(|target| is_called(actor, target))
    }

    /// True if `actor` may get the step without asking for it by name. Unlike
    /// [`Self::may_be_claimed_by`], this respects an assignment to another actor.
    #[must_use]
    pub fn is_for(&self, actor: &str) -> bool {
        let named = [&self.meant_for, &self.agent, &self.target];
        let mut named = named.into_iter().flatten().filter(|name| !name.is_empty());
        named.all(|name| is_called(actor, name))
    }

    /// True if a machine with these labels may run the step, i.e. it has all that the step needs.
    #[must_use]
    pub fn runs_with(&self, labels: &[String]) -> bool {
        self.runs_on.iter().all(|label| labels.contains(label))
    }

    pub(crate) fn new(step: &CookedStep, spec: NodeSpec, scope: Option<MolScope>) -> Self {
        // The first match wins. For example, a step with `uses` is for the machine even if it's
        // interactive, and a container with acceptance criteria of its own is work for an agent.
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

    /// The status for users. A ready step is shown as `blocked` while a gate or condition holds it.
    #[must_use]
    pub fn shown(&self) -> Status {
        match self.status {
            Status::Ready if !self.is_startable() => Status::Blocked,
            status => status,
        }
    }

    /// True if the step is a scope, which ends when its members have.
    #[must_use]
    pub fn is_scope(&self) -> bool {
        matches!(self.scope, Some(MolScope::Body { .. }))
    }

    pub(super) fn is_soft(&self) -> bool {
        self.soft
    }

    /// The status in the schedule. Unlike [`Self::shown`], it's `ready` even if a gate or condition
    /// holds the step.
    #[must_use]
    pub fn status_now(&self) -> Status {
        self.status
    }

    /// True if the step is ready, its conditions hold, and all its gates are open.
    #[must_use]
    pub fn is_startable(&self) -> bool {
        self.status == Status::Ready && self.closed_gates().next().is_none() && !self.is_undecided()
    }

    /// True if `actor` has claimed the step and hasn't finished it.
    #[must_use]
    pub fn is_held_by(&self, actor: &str) -> bool {
        self.status == Status::InProgress && self.holder.as_deref() == Some(actor)
    }

    /// Indices of the gates that haven't opened yet.
    pub fn closed_gates(&self) -> impl Iterator<Item = usize> + '_ {
        let numbered = self.gates.iter().enumerate();
        numbered
            .filter(|(_, gate)| gate.opened_at.is_none())
            .map(|(at, _)| at)
    }

    /// True if only gates keep the step from starting.
    #[must_use]
    pub fn waits_at_gates(&self) -> bool {
        self.status == Status::Ready && !self.is_undecided() && self.closed_gates().next().is_some()
    }

    /// Time at which the current attempt times out, in the log's time at `now`. `None` if there's
    /// no attempt or no limit.
    #[must_use]
    pub fn times_out_at(&self, now: Stamp) -> Option<Stamp> {
        let limit = i64::try_from(self.timeout_ms?).ok()?.saturating_mul(1000);
        let since = self
            .started_at
            .filter(|_| self.status == Status::InProgress)?;
        let since = shifted(since, self.moments.started, now);
        Some(Stamp::from_micros(since.micros().saturating_add(limit)))
    }

    /// Begins the wait at the step's gates, and thereby their timers.
    pub(crate) fn reach(&mut self, at: Stamp, time: EventTime) {
        self.reached_at = Some(at);
        self.moments.reached = time.moment();
        self.moments.reached_order = Some(time.order).filter(|order| *order != at);
    }

    pub(crate) fn reached(&self, now: Stamp) -> Option<Stamp> {
        Some(shifted(self.reached_at?, self.moments.reached, now))
    }

    /// Time at which a timer of `duration` is over, in the log's time at `now`. The timer starts
    /// when the step is reached, so this is `None` before that.
    #[must_use]
    pub fn opens_after(&self, duration: &DurationText, now: Stamp) -> Option<Stamp> {
        let duration: Duration = duration.parse().ok()?;
        let micros = i64::try_from(duration.as_micros()).ok()?;
        let reached = self.reached(now)?.micros();
        Some(Stamp::from_micros(reached.saturating_add(micros)))
    }

    /// [`Self::retry_at`] in the log's time at `now`.
    #[must_use]
    pub fn retry_due(&self, now: Stamp) -> Option<Stamp> {
        Some(shifted(self.retry_at?, self.moments.failed, now))
    }

    /// [`Self::lease_until`] in the log's time at `now`.
    #[must_use]
    pub fn lease_end(&self, now: Stamp) -> Option<Stamp> {
        Some(shifted(self.lease_until?, self.moments.held, now))
    }

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

    /// Resets the progress after a push-back. The counts of push-backs and of expired claims go on,
    /// because a molecule's metrics include both.
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
        self.output = StepOutput::default();
        self.pack = None;
    }
}
