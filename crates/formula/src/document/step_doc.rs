use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{DrainDoc, Located, Scalar, VarDoc};

/// A step of a formula, a template or the body of a loop.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaStep")]
pub(crate) struct StepDoc {
    /// Name, unique in the formula. In a template, `{target}` is the name of the step it replaces.
    pub(crate) id: Located<String>,
    /// The title, which is optional only for a step with `expand`.
    pub(crate) title: Option<String>,
    /// Instructions.
    pub(crate) description: Option<String>,
    /// A file with the instructions, relative to the formula. It replaces `description`.
    /// `../assets/…` comes from the first pack on the search path that has it.
    pub(crate) description_file: Option<Located<String>>,
    /// Additional notes.
    pub(crate) notes: Option<String>,
    /// The type of work: `task`, `bug`, `feature`, `epic`, `chore` …
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    /// Priority from 0 (critical) to 4.
    #[schemars(range(max = 4))]
    pub(crate) priority: Option<u8>,
    /// Labels.
    pub(crate) labels: Option<Vec<String>>,
    /// Labels, under the name used in Gas City.
    pub(crate) tags: Option<Vec<String>>,
    /// Labels a machine needs to run a step with `uses`, such as `gpu` for `mol drive --label gpu`.
    pub(crate) runs_on: Option<Vec<String>>,
    /// Additional data. `gc.run_target` names the only agent that may claim the step, or the label
    /// a machine needs to run a step with `uses`. `gc.kind`, `gc.scope_ref` and `gc.on_fail` make
    /// scopes.
    pub(crate) metadata: Option<Map<String, Value>>,
    /// The actor that should do it.
    pub(crate) assignee: Option<String>,
    /// Steps that must have ended before it starts.
    pub(crate) needs: Option<Vec<Located<String>>>,
    /// Another name for `needs`.
    pub(crate) depends_on: Option<Vec<Located<String>>>,
    /// `all-children`, `any-children` or `children-of(STEP)`. Waits for work only known at run
    /// time.
    pub(crate) waits_for: Option<Located<String>>,
    /// A condition on variables (`{{x}}`, `!{{x}}`, `{{x}} == value`) or on the results of earlier
    /// steps. If it doesn't hold, the former removes the step and the latter skips it.
    pub(crate) condition: Option<Located<String>>,
    /// Steps contained in this one, which is done when they are.
    pub(crate) children: Option<Vec<Located<StepDoc>>>,
    /// The gate that must open before it starts.
    pub(crate) gate: Option<Located<GateDoc>>,
    /// A loop over a body of steps.
    #[serde(rename = "loop")]
    pub(crate) repeat: Option<Located<LoopDoc>>,
    /// The expansion formula whose template replaces this step.
    pub(crate) expand: Option<Located<String>>,
    /// Values of the expansion's variables.
    pub(crate) expand_vars: Option<BTreeMap<String, Scalar>>,
    /// Molecules to make from its output.
    pub(crate) on_complete: Option<Located<FanOutDoc>>,
    /// Molecules to make when the step is reached, one for each child of the molecule's bead. Steps
    /// that need it wait for them.
    pub(crate) drain: Option<Located<DrainDoc>>,
    /// Acceptance criteria, as a text or as a list that may include criteria for a program to
    /// check.
    #[serde(default)]
    #[schemars(schema_with = "acceptance_schema")]
    pub(crate) acceptance: Option<Located<Value>>,
    /// The retry policy.
    pub(crate) retry: Option<Located<RetryDoc>>,
    /// The program that decides after each attempt whether the step is done.
    pub(crate) check: Option<Located<CheckDoc>>,
    /// The older name of `check`.
    pub(crate) ralph: Option<Located<CheckDoc>>,
    /// Maximum duration of an attempt, such as `90s` or `1h30m`.
    pub(crate) timeout: Option<Located<String>>,
    /// The step kind, as in a runbook, if a machine performs the step.
    pub(crate) uses: Option<Located<String>>,
    /// The arguments of the step kind. `{ "$ref" = "#/inputs/NAME" }` refers to a variable, and
    /// `{ "$ref" = "#/steps/ID/output/…" }` to the output of an earlier step.
    #[serde(rename = "with")]
    pub(crate) arguments: Option<Located<Map<String, Value>>>,
    /// The context pack for the actor that claims the step: `true`, or arguments of the step kind
    /// `pack`. The goal defaults to the title and description, the definition of done to the
    /// acceptance criteria.
    #[serde(default)]
    #[schemars(schema_with = "pack_schema")]
    pub(crate) pack: Option<Located<Value>>,
    /// False if no other step of the molecule may run at the same time.
    pub(crate) parallel: Option<bool>,
    /// True if the step is a conversation with a person.
    pub(crate) interactive: Option<bool>,
    /// The kind of agent that should do it.
    pub(crate) agent: Option<String>,
    /// True for a review that changes nothing.
    pub(crate) review_only: Option<bool>,
}

/// A gate before a step.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaGate")]
pub(crate) struct GateDoc {
    /// The kind of gate: `timer`, `human`, `mail`, `bead`, `gh:run`, `gh:pr`, `file`, `command` or
    /// `condition`.
    #[serde(rename = "type")]
    pub(crate) kind: Located<String>,
    /// The workflow, pull request, bead, duration or file to wait for.
    pub(crate) id: Option<String>,
    /// Another name for `id`, which it overrides.
    pub(crate) await_id: Option<String>,
    /// The time limit, or the duration of a timer.
    pub(crate) timeout: Option<Located<String>>,
    /// The duration of a timer.
    pub(crate) duration: Option<Located<String>>,
    /// The condition to wait for.
    pub(crate) condition: Option<Located<String>>,
    /// The file to wait for, relative to the repository.
    pub(crate) path: Option<String>,
    /// The program and its arguments.
    pub(crate) command: Option<Vec<String>>,
    /// Inputs to ask the approver for, by name.
    pub(crate) inputs: Option<BTreeMap<String, Located<VarDoc>>>,
}

/// A loop over a body of steps. It repeats a fixed number of times, for each number of a range, or
/// until a condition holds.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaLoop")]
pub(crate) struct LoopDoc {
    /// The number of iterations.
    #[serde(default)]
    #[schemars(schema_with = "number_or_text")]
    pub(crate) count: Option<Located<Scalar>>,
    /// A range of numbers, such as `1..10` or `1..2^{disks}`.
    pub(crate) range: Option<Located<String>>,
    /// The name of the number in the body, where it's used as `{name}`.
    pub(crate) var: Option<Located<String>>,
    /// A condition on the results of the body's steps.
    pub(crate) until: Option<Located<String>>,
    /// Maximum number of iterations, with `until`.
    #[serde(default)]
    #[schemars(schema_with = "number_or_text")]
    pub(crate) max: Option<Located<Scalar>>,
    /// The steps to repeat. Each iteration starts once the previous one has ended.
    pub(crate) body: Vec<Located<StepDoc>>,
}

/// Molecules to make from a step's output, one per item of a list.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaFanOut")]
pub(crate) struct FanOutDoc {
    /// The path to the list, as in `output.FIELD`.
    pub(crate) for_each: Located<String>,
    /// The formula to make molecules from.
    pub(crate) bond: Located<String>,
    /// Values of the formula's variables. `{item}`, `{item.FIELD}` and `{index}` refer to the item
    /// and its index from 0.
    pub(crate) vars: Option<BTreeMap<String, Scalar>>,
    /// True to run all at the same time, which is the default.
    pub(crate) parallel: Option<bool>,
    /// True to run one after the other.
    pub(crate) sequential: Option<bool>,
}

/// Retry policy of a step.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaRetry")]
pub(crate) struct RetryDoc {
    /// Maximum number of attempts, including the first.
    #[schemars(range(min = 1, max = 100))]
    pub(crate) max_attempts: u32,
    /// The effect of the last failure. `hard_fail` holds back the dependents, and `soft_fail`
    /// doesn't.
    pub(crate) on_exhausted: Option<crate::OnExhausted>,
    /// The delay before the second attempt. It doubles before each further one.
    pub(crate) backoff: Option<Located<String>>,
    /// Maximum delay.
    pub(crate) max_backoff: Option<Located<String>>,
}

/// A program that decides after each attempt whether a step is done.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaCheck")]
pub(crate) struct CheckDoc {
    /// Maximum number of attempts, including the first. 1 if absent.
    #[schemars(range(min = 1, max = 100))]
    pub(crate) max_attempts: Option<u32>,
    /// The program, in the form used in Gas City.
    pub(crate) check: Option<Located<CheckProgram>>,
    /// The mode, which is always `exec`.
    pub(crate) mode: Option<CheckMode>,
    /// The program's path, relative to the repository.
    pub(crate) path: Option<String>,
    /// The time limit.
    pub(crate) timeout: Option<Located<String>>,
}

/// The program of a check.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaCheckProgram")]
pub(crate) struct CheckProgram {
    /// The mode, which is always `exec`.
    pub(crate) mode: Option<CheckMode>,
    /// The program's path, relative to the repository.
    pub(crate) path: String,
    /// The time limit.
    pub(crate) timeout: Option<Located<String>>,
}

/// Modes of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CheckMode {
    /// Runs a program.
    Exec,
}

fn number_or_text(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["integer", "string"] })
}

fn pack_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["boolean", "object"] })
}

fn acceptance_schema(generator: &mut SchemaGenerator) -> Schema {
    let criterion = generator.subschema_for::<CriterionDoc>();
    json_schema!({ "anyOf": [
        { "type": "string" },
        { "type": "array", "items": { "anyOf": [{ "type": "string" }, criterion] } },
    ] })
}

/// A criterion for a program to check. Exactly one field is set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaAcceptance")]
pub(crate) struct CriterionDoc {
    /// A program and arguments that must exit with 0.
    pub(crate) command: Option<Vec<String>>,
    /// A file that must exist, relative to the repository.
    pub(crate) file: Option<String>,
    /// A text that must be found.
    pub(crate) grep: Option<GrepDoc>,
    /// The JSON Schema for the output.
    pub(crate) schema: Option<Map<String, Value>>,
}

/// A text search.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaGrep")]
pub(crate) struct GrepDoc {
    /// The regular expression.
    pub(crate) pattern: String,
    /// Files and folders to search. All are searched if absent.
    pub(crate) paths: Option<Vec<String>>,
}

impl Default for Located<String> {
    fn default() -> Self {
        Self {
            value: String::new(),
            start: 0,
            end: 0,
        }
    }
}

impl StepDoc {
    pub(crate) fn all_needs(&self) -> impl Iterator<Item = &Located<String>> {
        let both = [&self.needs, &self.depends_on];
        both.into_iter().flatten().flatten()
    }

    pub(crate) fn all_labels(&self) -> impl Iterator<Item = &String> {
        let both = [&self.labels, &self.tags];
        both.into_iter().flatten().flatten()
    }
}
