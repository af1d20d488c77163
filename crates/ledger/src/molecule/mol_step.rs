use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_formula::{CookedStep, GateKind};
use windlass_plan::{DurationText, NodeSpec, Retry, Status, StepIndex};

use crate::Stamp;
use crate::event::Fields;
use crate::log_clock::{Moments, shifted};

/// A step of a molecule: what of it decides when it is done, and how it stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MolStep {
    /// Its name, unique in the molecule.
    pub id: String,
    /// What a person calls it.
    pub title: String,
    /// How it stands with the scheduler; see [`MolStep::shown`].
    pub(crate) status: Status,
    /// The steps it needs, by number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) needs: Vec<StepIndex>,
    /// The steps whose end it waits for, failed or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) after: Vec<StepIndex>,
    /// The most attempts, the first included.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub max_attempts: u32,
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    backoff_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_backoff_ms: Option<u64>,
    /// Whether what needs it starts even if it fails.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    soft: bool,
    /// How long one attempt may take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// From 0, critical, to 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// Who should do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meant_for: Option<String>,
    /// Who does it.
    pub doer: Doer,
    /// What sort of agent should do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whether nothing else of the molecule is done meanwhile.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// Whether it has conditions that are looked at when it is reached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) conditional: bool,
    /// Whether these hold.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) decided: bool,
    /// What must be so beside before it starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<MolGate>,
    /// The number of the present or last attempt.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub attempt: u32,
    /// How often it was pushed back to.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub generation: u32,
    /// How many claims of it were not heard of in time.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub expired: u32,
    /// Since when nothing it needs is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached_at: Option<Stamp>,
    /// When its last attempt began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Stamp>,
    /// When it was completed, failed or was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Stamp>,
    /// When it may be tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Stamp>,
    /// Who has it, or had it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// What proves the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Until when the claim holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Stamp>,
    /// From when these are reckoned, where the clock and the log differ.
    #[serde(default, skip_serializing_if = "Moments::are_plain")]
    pub(crate) moments: Moments,
    /// The failed step that holds it back, by number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) held_by: Option<StepIndex>,
    /// Why it failed, was skipped or given back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What it gave.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// The context pack that whoever has it, or had it last, was given: its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The event that brought it to where it stands.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
}

/// Who does a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doer {
    /// An agent.
    #[default]
    Agent,
    /// A person, together with an agent.
    Person,
    /// The machine.
    Machine,
    /// Nobody: it is done when those that it contains are.
    Nobody,
}

/// A gate before a step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MolGate {
    /// Which sort: `timer`, `human` …; `children` for work that is made of another step's output.
    pub kind: String,
    /// When it was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_at: Option<Stamp>,
    /// By whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_by: Option<String>,
    /// What they had to say.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub inputs: Fields,
}

/// Of which sort the gate is that waits for work made of another step's output.
pub(crate) const CHILDREN: &str = "children";

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_one(number: &u32) -> bool {
    *number == 1
}

/// The word for a sort of gate.
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

/// Whether `name` is `actor`, a group or rig that they are in, or their role: `a/polecats/x` is `a/polecats`, `polecats`
/// and `polecat`.
fn is_called(actor: &str, name: &str) -> bool {
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
    /// Whether `actor` may take it without having been told to: it is for nobody in particular, or for them, by name
    /// or by what they are.
    #[must_use]
    pub fn is_for(&self, actor: &str) -> bool {
        let named = [&self.meant_for, &self.agent];
        let mut named = named.into_iter().flatten().filter(|name| !name.is_empty());
        named.all(|name| is_called(actor, name))
    }

    pub(crate) fn new(step: &CookedStep, spec: NodeSpec) -> Self {
        let doer = match step {
            _ if step.uses.is_some() => Doer::Machine,
            _ if !step.children.is_empty() && !step.asks_for_more() => Doer::Nobody,
            _ if step.interactive => Doer::Person,
            _ => Doer::Agent,
        };
        let gates = step.gates.iter().map(|gate| gate_word(&gate.kind));
        let children = step.waits_for.iter().map(|_| CHILDREN);
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
            gates: gates.chain(children).map(closed).collect(),
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

    /// How it stands: `blocked` where a gate or a condition keeps it, though nothing it needs is missing.
    #[must_use]
    pub fn shown(&self) -> Status {
        match self.status {
            Status::Ready if !self.is_startable() => Status::Blocked,
            status => status,
        }
    }

    /// How it stands with the scheduler: `ready` also where a gate or a condition keeps it.
    #[must_use]
    pub fn status_now(&self) -> Status {
        self.status
    }

    /// Whether it may be claimed.
    #[must_use]
    pub fn is_startable(&self) -> bool {
        self.status == Status::Ready && self.closed_gates().next().is_none() && !self.is_undecided()
    }

    /// The numbers of the gates that keep it.
    pub fn closed_gates(&self) -> impl Iterator<Item = usize> + '_ {
        let numbered = self.gates.iter().enumerate();
        numbered
            .filter(|(_, gate)| gate.opened_at.is_none())
            .map(|(at, _)| at)
    }

    /// Whether it is reached, and gates are all that keep it.
    #[must_use]
    pub fn waits_at_gates(&self) -> bool {
        self.status == Status::Ready && !self.is_undecided() && self.closed_gates().next().is_some()
    }

    /// When its attempt has taken as long as one may, by the log's time `now`.
    #[must_use]
    pub fn times_out_at(&self, now: Stamp) -> Option<Stamp> {
        let limit = i64::try_from(self.timeout_ms?).ok()?.saturating_mul(1000);
        let since = self
            .started_at
            .filter(|_| self.status == Status::InProgress)?;
        let since = shifted(since, self.moments.started, now);
        Some(Stamp::from_micros(since.micros().saturating_add(limit)))
    }

    /// Since when nothing it needs is missing, by the log's time `now`.
    pub(crate) fn reached(&self, now: Stamp) -> Option<Stamp> {
        Some(shifted(self.reached_at?, self.moments.reached, now))
    }

    /// When a gate that waits so long after the step was reached moves, by the log's time `now`.
    #[must_use]
    pub fn opens_after(&self, duration: &DurationText, now: Stamp) -> Option<Stamp> {
        let duration: Duration = duration.parse().ok()?;
        let micros = i64::try_from(duration.as_micros()).ok()?;
        let reached = self.reached(now)?.micros();
        Some(Stamp::from_micros(reached.saturating_add(micros)))
    }

    /// When it may be tried again, by the log's time `now`.
    #[must_use]
    pub fn retry_due(&self, now: Stamp) -> Option<Stamp> {
        Some(shifted(self.retry_at?, self.moments.failed, now))
    }

    /// Until when the claim holds, by the log's time `now`.
    #[must_use]
    pub fn lease_end(&self, now: Stamp) -> Option<Stamp> {
        Some(shifted(self.lease_until?, self.moments.held, now))
    }

    /// Whether it is not known yet whether its conditions hold.
    pub(crate) fn is_undecided(&self) -> bool {
        self.conditional && !self.decided
    }

    /// Whether it is over: nothing more happens to it unless it is pushed back to.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(
            self.status,
            Status::Completed | Status::Failed | Status::Skipped
        )
    }

    /// True if its holder's lease has expired at the log's time `now`.
    #[must_use]
    pub fn is_overdue(&self, now: Stamp) -> bool {
        self.status == Status::InProgress && self.lease_end(now).is_some_and(|until| until < now)
    }

    /// Forgets what was done of it: a new generation.
    pub(crate) fn begin_anew(&mut self) {
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
