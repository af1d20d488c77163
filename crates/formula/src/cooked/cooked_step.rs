use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_plan::DurationText;

use super::{Drain, GateInput, Origin, RunCondition, Scope};

/// A unit of work in a cooked formula.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CookedStep {
    /// The step's name, such as `build` or `retry.iter2.build`. It's unique in the formula and
    /// stable across cooking.
    pub id: String,
    /// The step's title.
    pub title: String,
    /// Instructions for whoever does the work.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Additional notes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// The type of work as written: `task`, `bug`, `feature`, `epic`, `chore` …
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Priority from 0 (critical) to 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// Labels, without duplicates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The author's additional data.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// The actor that should do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// The kind of agent that should do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The name, group or role of the only agent that may claim it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Labels a machine needs to run it. Any machine may run it if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs_on: Vec<String>,
    /// The step's part in a scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Steps that must have completed or been skipped before it starts, in step order and without
    /// duplicates. A step needed only by a condition ([`NeedKind::Condition`]) may also have
    /// failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Need>,
    /// Further work the step waits for, only known at run time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<WaitsFor>,
    /// Gates that must open before it starts. Each one counts from the time when all `needs` have
    /// ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Gate>,
    /// Conditions on the results of earlier steps. The step is skipped if one doesn't hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run_if: Vec<RunIf>,
    /// Conditions on variables that have no value yet. Before the formula can be poured, it must be
    /// cooked again with those values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<String>,
    /// The condition that must hold once the step is done, or else it fails. Set for the last
    /// iteration of a loop with `until`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub must_hold: Option<RunCondition>,
    /// The name of the container the step is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The names of the steps it contains. It needs all of them, so a container is done when they
    /// are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<String>,
    /// Molecules to make from its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_complete: Option<FanOut>,
    /// Molecules to make when it's reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain: Option<Drain>,
    /// Acceptance criteria.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance: Vec<AcceptanceCriterion>,
    /// The retry policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryPolicy>,
    /// The program that decides after each attempt whether the step is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckSpec>,
    /// Maximum duration of an attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<DurationText>,
    /// The step kind, as in a runbook, if a machine performs the step. An agent performs it
    /// otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<String>,
    /// The arguments of the step kind. They may contain `{ $ref: '#/steps/ID/output/…' }` with ids
    /// of this formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<Map<String, Value>>,
    /// Arguments for the context pack of the actor that claims the step, as taken by the step kind
    /// `pack`. They're empty if everything follows from the step, and may contain
    /// `{ $ref: '#/steps/ID/output/…' }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<Map<String, Value>>,
    /// False if no other step of the molecule may run at the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel: Option<bool>,
    /// True if the step is a conversation with a person, which an unattended agent can't perform.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interactive: bool,
    /// True for a review that must not change anything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub review_only: bool,
    /// The place where the step was defined, and its way from there.
    pub origin: Origin,
}

impl CookedStep {
    /// Creates a step with defaults for all other fields.
    #[must_use]
    pub fn new(id: String, origin: Origin) -> Self {
        Self {
            id,
            origin,
            ..Self::default()
        }
    }

    /// True if the step asks for more than its children. Other containers have no work of their own
    /// and are done with their children.
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

/// A step that must have ended before another starts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Need {
    /// The name of the needed step.
    pub step: String,
    /// The reason for the need, or the first if there are several.
    pub kind: NeedKind,
}

/// Reason why a step needs another.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum NeedKind {
    /// It's declared by `needs` or `depends_on`.
    Needs,
    /// A `$ref` in `with` uses the needed step's output.
    Ref,
    /// A condition refers to the needed step, which must have ended but may have failed.
    Condition,
    /// The needed step is named by `waits_for`, or is a child of a step named there.
    WaitsFor,
    /// The step contains the needed one.
    Child,
    /// The step's container needs it.
    Parent,
    /// The needed step is a member of the scope, or the scope cleaned up by the step.
    Scope,
    /// One of the two starts or ends a branch.
    Branch,
    /// The needed step ends the previous iteration of a loop.
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

/// Work that's only known at run time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitsFor {
    /// The number of children to wait for.
    pub mode: WaitMode,
    /// The steps whose children count. Children are the steps they contain and the molecules made
    /// from their output. The step also needs these steps themselves, so that it never starts
    /// before they could make any.
    pub of: Vec<String>,
}

/// The number of children to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitMode {
    /// All children.
    All,
    /// The first child to finish. There's no wait if there are no children.
    Any,
}

/// Something other than a step that must happen before a step starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gate {
    /// The event to wait for.
    #[serde(flatten)]
    pub kind: GateKind,
    /// The time limit, counted from when the step could otherwise start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<DurationText>,
}

/// Events a gate can wait for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum GateKind {
    /// A fixed amount of time passes.
    Timer {
        /// The duration of the wait.
        duration: DurationText,
    },
    /// A person approves.
    Human {
        /// The person or subject, as written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        await_id: Option<String>,
        /// Inputs to ask the approver for, by name. Without any, the approver may give free inputs.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        inputs: BTreeMap<String, GateInput>,
    },
    /// A message arrives.
    Mail {
        /// The message's id, type, subject or sender.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        await_id: Option<String>,
    },
    /// A bead is closed.
    Bead {
        /// The bead's id.
        await_id: String,
    },
    /// A GitHub workflow run ends.
    GithubRun {
        /// The workflow or run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        await_id: Option<String>,
    },
    /// A GitHub pull request is merged.
    GithubPr {
        /// The pull request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        await_id: Option<String>,
    },
    /// A file exists.
    File {
        /// The path relative to the repository.
        path: String,
    },
    /// A program exits with 0.
    Command {
        /// The program and its arguments.
        command: Vec<String>,
    },
    /// A condition holds.
    Condition {
        /// The condition.
        condition: RunCondition,
    },
}

/// A condition evaluated once the needs of a step have ended.
///
/// If a step it refers to was skipped, the condition fails whether it's negated or not. Otherwise
/// the consequences of work that wasn't done would run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunIf {
    /// True if the condition must hold, false if it must not.
    pub holds: bool,
    /// The condition.
    pub condition: RunCondition,
}

/// Molecules to make from a step's output, one per item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FanOut {
    /// Path to the list in the output as field names, outermost first.
    pub for_each: Vec<String>,
    /// The name of the formula to make molecules from.
    pub formula: String,
    /// Values of the formula's variables. They may contain `{item}`, `{item.FIELD}` and `{index}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vars: BTreeMap<String, String>,
    /// The order in which the molecules run.
    pub order: FanOutOrder,
}

/// Orders in which the molecules of a fan-out can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FanOutOrder {
    /// All at the same time.
    Parallel,
    /// One after the other.
    Sequential,
}

/// A criterion that must be met for a step to count as done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AcceptanceCriterion {
    /// A text for a person or agent to judge.
    Prose(String),
    /// A program and arguments that must exit with 0.
    Command(Vec<String>),
    /// A file that must exist, relative to the repository.
    File(String),
    /// A text that must be found.
    Grep {
        /// The regular expression.
        pattern: String,
        /// Files and folders to search. All are searched if this is empty.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        paths: Vec<String>,
    },
    /// The JSON Schema for the output.
    Schema(Value),
}

/// Retry policy of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RetryPolicy {
    /// Maximum number of attempts, including the first.
    pub max_attempts: u32,
    /// The effect of the last failure.
    #[serde(default, skip_serializing_if = "OnExhausted::is_hard")]
    pub on_exhausted: OnExhausted,
    /// The delay before the second attempt. It doubles before each further one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backoff: Option<DurationText>,
    /// Maximum delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_backoff: Option<DurationText>,
}

/// Effects of a step failing in all attempts.
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

/// A program that decides after each attempt whether a step is done. Exit code 0 means done, and 75
/// means undecided, so it's asked again later. Anything else means another attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckSpec {
    /// The program's path, relative to the repository.
    pub path: String,
    /// The time limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<DurationText>,
    /// Maximum number of attempts, including the first.
    pub max_attempts: u32,
}
