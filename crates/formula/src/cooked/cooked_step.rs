use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_plan::DurationText;

use super::{GateInput, Origin, RunCondition};

/// One unit of work of a cooked formula.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CookedStep {
    /// Its name, unique among the steps and the same each time the formula is cooked: `build`, `retry.iter2.build`.
    pub id: String,
    /// What a person calls it.
    pub title: String,
    /// What is to be done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What else is worth knowing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// What sort of work it is, as written: `task`, `bug`, `feature`, `epic`, `chore` …
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// From 0, critical, to 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// Its labels, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Whatever else its author noted.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// Who should do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// What sort of agent should do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The steps that must have ended before it starts, in the order of the steps, each once: completed or skipped. Where
    /// a condition looks at one ([`NeedKind::Condition`]), it may have failed as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Need>,
    /// Work that is known only when it runs, for which it waits as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<WaitsFor>,
    /// What must be so beside: each gate counts from when all `needs` have ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Gate>,
    /// Conditions over what earlier steps found; when one of them does not hold, the step is skipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run_if: Vec<RunIf>,
    /// A condition on variables without a value: it must be cooked again with their values before it is poured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<String>,
    /// When it is done and this does not hold, it has failed: the last time of a loop with `until`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub must_hold: Option<RunCondition>,
    /// The container it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The steps it contains, all of which it needs: a container is done when they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<String>,
    /// Molecules that are made of its output when it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_complete: Option<FanOut>,
    /// What must be so for it to count as done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance: Vec<AcceptanceCriterion>,
    /// Whether and how it is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryPolicy>,
    /// A program that says after each attempt whether it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckSpec>,
    /// How long one attempt may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<DurationText>,
    /// The kind of step, as in a runbook: it is done by the machine. Without, an agent does it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<String>,
    /// The arguments of the kind. `{ $ref: '#/steps/ID/output/…' }` is still in it, ids being those of this formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<Map<String, Value>>,
    /// What the context pack is made of that who claims it is given, as the kind of step `pack` takes it; nothing in it where
    /// all follows from the step. `{ $ref: '#/steps/ID/output/…' }` is still in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<Map<String, Value>>,
    /// Whether it may be done beside others; if not, nothing else of the molecule is done meanwhile. It may where nothing
    /// is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel: Option<bool>,
    /// Whether it is a talk with a person, which cannot be handed to an agent that runs alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interactive: bool,
    /// Whether it only looks: nothing is to be changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub review_only: bool,
    /// Where it comes from.
    pub origin: Origin,
}

impl CookedStep {
    /// A step of which nothing is known but its name and where it comes from.
    #[must_use]
    pub fn new(id: String, origin: Origin) -> Self {
        Self {
            id,
            origin,
            ..Self::default()
        }
    }

    /// Whether somebody has to do something for it beside the steps that it contains.
    #[must_use]
    pub fn asks_for_more(&self) -> bool {
        self.uses.is_some()
            || self.interactive
            || self.check.is_some()
            || self.on_complete.is_some()
            || !self.acceptance.is_empty()
    }
}

/// A step that must have ended (completed or skipped) before another starts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Need {
    /// Its name.
    pub step: String,
    /// Why, the first reason.
    pub kind: NeedKind,
}

/// Why a step needs another.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum NeedKind {
    /// `needs` or `depends_on` says so.
    Needs,
    /// A `$ref` in `with` takes its output.
    Ref,
    /// A condition of the step looks at it: it must have ended, in whatever way.
    Condition,
    /// `waits_for` names it, or it is a child of what is named.
    WaitsFor,
    /// It is contained in the step.
    Child,
    /// The step is contained in one that needs it.
    Parent,
    /// A branch forks or joins here.
    Branch,
    /// It stands at the end of the iteration before.
    Loop,
    /// The step is part of a template that stands in for one that needs it.
    Expansion,
    /// Advice was woven around one of the two.
    Advice,
    /// One of the two was attached by a hook.
    Hook,
    /// A step between the two was left out by its condition.
    Bridge,
}

/// Work that is known only when it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitsFor {
    /// For how much of it.
    pub mode: WaitMode,
    /// The steps whose children are meant: what they contain, and what is made of their output. The step needs
    /// them, so that it never starts before they had the chance to make any.
    pub of: Vec<String>,
}

/// For how much it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitMode {
    /// All children.
    All,
    /// The first that is done; where there are none, nothing.
    Any,
}

/// Something that must be so before a step starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gate {
    /// What.
    #[serde(flatten)]
    pub kind: GateKind,
    /// How long it may take, from when the step could start otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<DurationText>,
}

/// What a gate waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum GateKind {
    /// Time that passes.
    Timer {
        /// How much.
        duration: DurationText,
    },
    /// A person who approves.
    Human {
        /// Who or what, as written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        await_id: Option<String>,
        /// What who approves is asked for, by name; anything may be said where there is nothing.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        inputs: BTreeMap<String, GateInput>,
    },
    /// A message that arrives.
    Mail {
        /// Which.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        await_id: Option<String>,
    },
    /// A bead that is closed.
    Bead {
        /// Which.
        await_id: String,
    },
    /// A run of GitHub's workflows.
    GithubRun {
        /// The workflow or run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        await_id: Option<String>,
    },
    /// A pull request of GitHub's that is merged.
    GithubPr {
        /// Which.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        await_id: Option<String>,
    },
    /// A file that is there.
    File {
        /// Relative to the repository.
        path: String,
    },
    /// A program that ends with 0.
    Command {
        /// The program and its arguments.
        command: Vec<String>,
    },
    /// A condition that holds.
    Condition {
        /// Which.
        condition: RunCondition,
    },
}

/// A condition that is looked at when the needs of a step have ended.
///
/// When a step it looks at was skipped, it does not hold, negated or not: what follows from work that was not done
/// is not done either.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunIf {
    /// Whether it must hold, or must not.
    pub holds: bool,
    /// The condition.
    pub condition: RunCondition,
}

/// Molecules that are made of a step's output, one for each item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FanOut {
    /// The way to the list in the step's output: field names, outermost first.
    pub for_each: Vec<String>,
    /// The formula.
    pub formula: String,
    /// Values of its variables; `{item}`, `{item.FIELD}` and `{index}` are still in them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vars: BTreeMap<String, String>,
    /// Whether all are done at once.
    pub order: FanOutOrder,
}

/// In which order the molecules of a fan-out are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FanOutOrder {
    /// All at once.
    Parallel,
    /// One after the other.
    Sequential,
}

/// What must be so for a step to count as done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AcceptanceCriterion {
    /// In words: somebody judges it.
    Prose(String),
    /// A program and its arguments, which ends with 0.
    Command(Vec<String>),
    /// A file that is there, relative to the repository.
    File(String),
    /// A text that is found.
    Grep {
        /// A regular expression.
        pattern: String,
        /// The files and folders looked through; all if there are none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        paths: Vec<String>,
    },
    /// A JSON Schema that the step's output fits.
    Schema(Value),
}

/// Whether and how a step is tried again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RetryPolicy {
    /// The most attempts, the first included.
    pub max_attempts: u32,
    /// What it means when none of them succeeded.
    #[serde(default, skip_serializing_if = "OnExhausted::is_hard")]
    pub on_exhausted: OnExhausted,
    /// The wait before the second attempt; it doubles each time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backoff: Option<DurationText>,
    /// The longest wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_backoff: Option<DurationText>,
}

/// What it means that no attempt succeeded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnExhausted {
    /// The step failed, and what needs it is held.
    #[default]
    HardFail,
    /// The step failed, and what needs it starts.
    SoftFail,
}

impl OnExhausted {
    fn is_hard(&self) -> bool {
        *self == Self::HardFail
    }
}

/// A program that says after each attempt whether a step is done: 0 for done, 75 for "ask again, nothing was
/// found out", anything else for "try again".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckSpec {
    /// The program, relative to the repository.
    pub path: String,
    /// How long it may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<DurationText>,
    /// The most attempts, the first included.
    pub max_attempts: u32,
}
