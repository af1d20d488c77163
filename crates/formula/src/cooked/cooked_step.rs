use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_plan::DurationText;

use super::{Drain, GateInput, Origin, RunCondition, Scope};

/// One unit of work of a cooked formula.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CookedStep {
    /// Name, unique among the steps and stable across cooking: `build`, `retry.iter2.build`.
    pub id: String,
    /// Title.
    pub title: String,
    /// Instructions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Additional notes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// Type of work, as written: `task`, `bug`, `feature`, `epic`, `chore` …
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Priority from 0 (critical) to 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// Labels, without duplicates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Additional data of the author.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// Actor that should do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Kind of agent that should do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Agent that alone may claim it, by name, group or role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Labels that a machine needs to run it; any machine may if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs_on: Vec<String>,
    /// Part of the step in a scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Steps that must have ended, completed or skipped, before it starts; in step order, without duplicates. A
    /// step that is needed only by a condition ([`NeedKind::Condition`]) may also have failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Need>,
    /// Work known only at run time that the step also waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<WaitsFor>,
    /// Gates that must open, each counted from the time at which all `needs` have ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Gate>,
    /// Conditions on the results of earlier steps; the step is skipped if one does not hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run_if: Vec<RunIf>,
    /// Conditions on variables without a value; the formula must be cooked again with those values before it is
    /// poured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<String>,
    /// Condition that must hold once the step is done, otherwise it fails: the last iteration of a loop with
    /// `until`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub must_hold: Option<RunCondition>,
    /// Name of the container of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Names of the steps it contains, all of which it needs. A container is done when they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<String>,
    /// Molecules to make from its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_complete: Option<FanOut>,
    /// Molecules to make when it is reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain: Option<Drain>,
    /// Acceptance criteria.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance: Vec<AcceptanceCriterion>,
    /// Retry policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryPolicy>,
    /// Program that decides after each attempt whether the step is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckSpec>,
    /// Maximum duration of an attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<DurationText>,
    /// Step kind, as in a runbook, performed by the machine; without one, an agent performs the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<String>,
    /// Arguments of the kind. They may contain `{ $ref: '#/steps/ID/output/…' }` with ids of this formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<Map<String, Value>>,
    /// Arguments of the context pack for the actor that claims the step, as the step kind `pack` takes them; empty
    /// if everything follows from the step. They may contain `{ $ref: '#/steps/ID/output/…' }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<Map<String, Value>>,
    /// False if no other step of the molecule may run at the same time; true or absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel: Option<bool>,
    /// True if the step is a conversation with a person, which an unattended agent cannot perform.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interactive: bool,
    /// True if the step only reviews and must not change anything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub review_only: bool,
    /// Origin of the step.
    pub origin: Origin,
}

impl CookedStep {
    /// Creates a step that has only a name and an origin.
    #[must_use]
    pub fn new(id: String, origin: Origin) -> Self {
        Self {
            id,
            origin,
            ..Self::default()
        }
    }

    /// True if the step requires work of its own, in addition to the work of the steps that it contains.
    #[must_use]
    pub fn asks_for_more(&self) -> bool {
        self.uses.is_some()
            || self.drain.is_some()
            || self.interactive
            || self.check.is_some()
            || self.on_complete.is_some()
            || !self.acceptance.is_empty()
    }
}

/// Step that must have ended, completed or skipped, before another starts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Need {
    /// Name of the step.
    pub step: String,
    /// First reason for the need.
    pub kind: NeedKind,
}

/// Reason why a step needs another.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum NeedKind {
    /// Declared by `needs` or `depends_on`.
    Needs,
    /// A `$ref` in `with` uses its output.
    Ref,
    /// A condition refers to it; it must have ended, even if it failed.
    Condition,
    /// Named by `waits_for`, or a child of a step named there.
    WaitsFor,
    /// Contained in the step.
    Child,
    /// Needed by the container of the step.
    Parent,
    /// Member of the scope, or the scope that the step cleans up.
    Scope,
    /// Start or end of a branch.
    Branch,
    /// End of the previous iteration.
    Loop,
    /// The step is part of a template that replaces a step with this need.
    Expansion,
    /// Advice was woven around one of the two steps.
    Advice,
    /// One of the two steps was attached by a hook.
    Hook,
    /// A step between the two was removed by its condition.
    Bridge,
}

/// Work known only at run time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitsFor {
    /// Number of children to wait for.
    pub mode: WaitMode,
    /// Steps whose children count: the steps they contain, and molecules made from their output. The step also
    /// needs these steps themselves, so that it never starts before they could make any.
    pub of: Vec<String>,
}

/// Number of children to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitMode {
    /// All children.
    All,
    /// The first child that is done; no wait if there are none.
    Any,
}

/// Gate: something other than a step that must happen before a step starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gate {
    /// Kind of gate.
    #[serde(flatten)]
    pub kind: GateKind,
    /// Time limit, counted from the time at which the step could otherwise start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<DurationText>,
}

/// Event that a gate waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum GateKind {
    /// Passage of time.
    Timer {
        /// Duration of the wait.
        duration: DurationText,
    },
    /// Approval by a person.
    Human {
        /// Person or subject, as written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        await_id: Option<String>,
        /// Inputs to ask the approver for, by name; without any, free inputs are allowed.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        inputs: BTreeMap<String, GateInput>,
    },
    /// Arrival of a message.
    Mail {
        /// Id, type, subject or sender of the message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        await_id: Option<String>,
    },
    /// Closing of a bead.
    Bead {
        /// Id of the bead.
        await_id: String,
    },
    /// A GitHub workflow run.
    GithubRun {
        /// Workflow or run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        await_id: Option<String>,
    },
    /// Merge of a GitHub pull request.
    GithubPr {
        /// Pull request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        await_id: Option<String>,
    },
    /// Existence of a file.
    File {
        /// Path relative to the repository.
        path: String,
    },
    /// A program that exits with 0.
    Command {
        /// Program and its arguments.
        command: Vec<String>,
    },
    /// A condition that holds.
    Condition {
        /// The condition.
        condition: RunCondition,
    },
}

/// Condition that is evaluated once the needs of a step have ended.
///
/// If a step that it refers to was skipped, the condition fails, negated or not: consequences of work that was not
/// done are not done either.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunIf {
    /// True if the condition must hold, false if it must not.
    pub holds: bool,
    /// The condition.
    pub condition: RunCondition,
}

/// Molecules to make from a step's output, one for each item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FanOut {
    /// Path to the list in the output: field names, outermost first.
    pub for_each: Vec<String>,
    /// Name of the formula.
    pub formula: String,
    /// Values of its variables, which may contain `{item}`, `{item.FIELD}` and `{index}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vars: BTreeMap<String, String>,
    /// Order of the molecules.
    pub order: FanOutOrder,
}

/// Order of the molecules of a fan-out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FanOutOrder {
    /// All at the same time.
    Parallel,
    /// One after the other.
    Sequential,
}

/// Criterion that must be met for a step to count as done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AcceptanceCriterion {
    /// Text that a person or agent judges.
    Prose(String),
    /// Program and arguments that must exit with 0.
    Command(Vec<String>),
    /// File that must exist, relative to the repository.
    File(String),
    /// Text that must be found.
    Grep {
        /// Regular expression.
        pattern: String,
        /// Files and folders to search; all if empty.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        paths: Vec<String>,
    },
    /// JSON Schema that the output must match.
    Schema(Value),
}

/// Retry policy of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RetryPolicy {
    /// Maximum number of attempts, including the first.
    pub max_attempts: u32,
    /// Effect of the last failure.
    #[serde(default, skip_serializing_if = "OnExhausted::is_hard")]
    pub on_exhausted: OnExhausted,
    /// Delay before the second attempt; it doubles for each further one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backoff: Option<DurationText>,
    /// Maximum delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_backoff: Option<DurationText>,
}

/// Effect of the failure of all attempts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnExhausted {
    /// The step fails and its dependents are held back.
    #[default]
    HardFail,
    /// The step fails and its dependents start.
    SoftFail,
}

impl OnExhausted {
    fn is_hard(&self) -> bool {
        *self == Self::HardFail
    }
}

/// Program that decides after each attempt whether a step is done: exit code 0 means done, 75 means undecided (ask
/// again), anything else means another attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckSpec {
    /// Path of the program, relative to the repository.
    pub path: String,
    /// Time limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<DurationText>,
    /// Maximum number of attempts, including the first.
    pub max_attempts: u32,
}
