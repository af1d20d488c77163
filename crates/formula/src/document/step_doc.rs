use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{DrainDoc, Located, Scalar, VarDoc};

/// One step of a formula, of a template or of the body of a loop.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaStep")]
pub(crate) struct StepDoc {
    /// Name, unique in the formula. In a template, `{target}` is the name of the step it replaces.
    pub(crate) id: Located<String>,
    /// Title; optional only for a step with `expand`.
    pub(crate) title: Option<String>,
    /// Instructions.
    pub(crate) description: Option<String>,
    /// File with the instructions, relative to the formula; it replaces `description`. `../assets/…` is taken from the
    /// first pack on the search path that has it.
    pub(crate) description_file: Option<Located<String>>,
    /// Additional notes.
    pub(crate) notes: Option<String>,
    /// Type of work: `task`, `bug`, `feature`, `epic`, `chore` …
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    /// Priority from 0 (critical) to 4.
    #[schemars(range(max = 4))]
    pub(crate) priority: Option<u8>,
    /// Labels.
    pub(crate) labels: Option<Vec<String>>,
    /// Labels, under the name that Gas City uses.
    pub(crate) tags: Option<Vec<String>>,
    /// Labels that a machine needs to run the step, such as `gpu`: `mol drive --label gpu`. For steps with `uses`.
    pub(crate) runs_on: Option<Vec<String>>,
    /// Additional data. `gc.run_target` names the agent that alone may claim the step, or the label that a machine needs
    /// to run a step with `uses`; `gc.kind`, `gc.scope_ref` and `gc.on_fail` make scopes.
    pub(crate) metadata: Option<Map<String, Value>>,
    /// Actor that should do it.
    pub(crate) assignee: Option<String>,
    /// Steps that must have ended before it starts.
    pub(crate) needs: Option<Vec<Located<String>>>,
    /// Another name of `needs`.
    pub(crate) depends_on: Option<Vec<Located<String>>>,
    /// `all-children`, `any-children` or `children-of(STEP)`: waits for work known only at run time.
    pub(crate) waits_for: Option<Located<String>>,
    /// Condition on variables (`{{x}}`, `!{{x}}`, `{{x}} == value`), which removes the step, or on the results of
    /// earlier steps, which skips it.
    pub(crate) condition: Option<Located<String>>,
    /// Steps that it contains; it is done when they are.
    pub(crate) children: Option<Vec<Located<StepDoc>>>,
    /// Gate that must open before it starts.
    pub(crate) gate: Option<Located<GateDoc>>,
    /// Loop over a body of steps.
    #[serde(rename = "loop")]
    pub(crate) repeat: Option<Located<LoopDoc>>,
    /// Expansion formula whose template replaces this step.
    pub(crate) expand: Option<Located<String>>,
    /// Values of the expansion's variables.
    pub(crate) expand_vars: Option<BTreeMap<String, Scalar>>,
    /// Molecules to make from its output.
    pub(crate) on_complete: Option<Located<FanOutDoc>>,
    /// Molecules to make when it is reached, one for each child of the bead that the molecule works on. Steps that need
    /// it wait for them.
    pub(crate) drain: Option<Located<DrainDoc>>,
    /// Acceptance criteria: text, or a list that may include criteria for a program to check.
    #[serde(default)]
    #[schemars(schema_with = "acceptance_schema")]
    pub(crate) acceptance: Option<Located<Value>>,
    /// Retry policy.
    pub(crate) retry: Option<Located<RetryDoc>>,
    /// Program that decides after each attempt whether the step is done.
    pub(crate) check: Option<Located<CheckDoc>>,
    /// Older name of `check`.
    pub(crate) ralph: Option<Located<CheckDoc>>,
    /// Maximum duration of an attempt, such as `90s` or `1h30m`.
    pub(crate) timeout: Option<Located<String>>,
    /// Step kind, as in a runbook, performed by the machine.
    pub(crate) uses: Option<Located<String>>,
    /// Arguments of that kind. `{ "$ref" = "#/inputs/NAME" }` refers to a variable, `{ "$ref" =
    /// "#/steps/ID/output/…" }` to the output of an earlier step.
    #[serde(rename = "with")]
    pub(crate) arguments: Option<Located<Map<String, Value>>>,
    /// Context pack for the actor that claims the step: `true`, or the arguments of the step kind `pack`. Its goal
    /// defaults to title and description, its definition of done to the acceptance criteria.
    #[serde(default)]
    #[schemars(schema_with = "pack_schema")]
    pub(crate) pack: Option<Located<Value>>,
    /// False if no other step of the molecule may run at the same time.
    pub(crate) parallel: Option<bool>,
    /// True if the step is a conversation with a person.
    pub(crate) interactive: Option<bool>,
    /// Kind of agent that should do it.
    pub(crate) agent: Option<String>,
    /// True if the step is a review that changes nothing.
    pub(crate) review_only: Option<bool>,
}

/// Gate before a step.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaGate")]
pub(crate) struct GateDoc {
    /// Kind: `timer`, `human`, `mail`, `bead`, `gh:run`, `gh:pr`, `file`, `command` or `condition`.
    #[serde(rename = "type")]
    pub(crate) kind: Located<String>,
    /// Subject of the wait: a workflow, pull request, bead, duration or file.
    pub(crate) id: Option<String>,
    /// Another name of `id`; takes precedence over it.
    pub(crate) await_id: Option<String>,
    /// Time limit; the duration of a timer.
    pub(crate) timeout: Option<Located<String>>,
    /// Duration of a timer.
    pub(crate) duration: Option<Located<String>>,
    /// Condition.
    pub(crate) condition: Option<Located<String>>,
    /// File, relative to the repository.
    pub(crate) path: Option<String>,
    /// Program and its arguments.
    pub(crate) command: Option<Vec<String>>,
    /// Inputs to ask the approver for, by name.
    pub(crate) inputs: Option<BTreeMap<String, Located<VarDoc>>>,
}

/// Loop over a body of steps: a fixed number of times, for each number of a range, or until a condition holds.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaLoop")]
pub(crate) struct LoopDoc {
    /// Number of iterations.
    #[serde(default)]
    #[schemars(schema_with = "number_or_text")]
    pub(crate) count: Option<Located<Scalar>>,
    /// Range of numbers, such as `1..10` or `1..2^{disks}`.
    pub(crate) range: Option<Located<String>>,
    /// Name of the number in the body: `{name}`.
    pub(crate) var: Option<Located<String>>,
    /// Condition on the results of the body's steps.
    pub(crate) until: Option<Located<String>>,
    /// Maximum number of iterations, with `until`.
    #[serde(default)]
    #[schemars(schema_with = "number_or_text")]
    pub(crate) max: Option<Located<Scalar>>,
    /// Steps. Each iteration starts when the previous one has ended.
    pub(crate) body: Vec<Located<StepDoc>>,
}

/// Molecules to make from a step's output, one for each item of a list.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaFanOut")]
pub(crate) struct FanOutDoc {
    /// Path to the list: `output.FIELD`.
    pub(crate) for_each: Located<String>,
    /// Formula of the molecules.
    pub(crate) bond: Located<String>,
    /// Values of its variables, in which `{item}`, `{item.FIELD}` and `{index}` refer to the item and its index
    /// from 0.
    pub(crate) vars: Option<BTreeMap<String, Scalar>>,
    /// True to run all at the same time; the default.
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
    /// Effect of the last failure: `hard_fail` holds back the dependents, `soft_fail` does not.
    pub(crate) on_exhausted: Option<crate::OnExhausted>,
    /// Delay before the second attempt; it doubles for each further one.
    pub(crate) backoff: Option<Located<String>>,
    /// Maximum delay.
    pub(crate) max_backoff: Option<Located<String>>,
}

/// Program that decides after each attempt whether a step is done.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaCheck")]
pub(crate) struct CheckDoc {
    /// Maximum number of attempts, including the first; 1 if absent.
    #[schemars(range(min = 1, max = 100))]
    pub(crate) max_attempts: Option<u32>,
    /// Program, in the form that Gas City uses.
    pub(crate) check: Option<Located<CheckProgram>>,
    /// Mode: `exec`.
    pub(crate) mode: Option<CheckMode>,
    /// Path of the program, relative to the repository.
    pub(crate) path: Option<String>,
    /// Time limit.
    pub(crate) timeout: Option<Located<String>>,
}

/// Program of a check.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaCheckProgram")]
pub(crate) struct CheckProgram {
    /// Mode: `exec`.
    pub(crate) mode: Option<CheckMode>,
    /// Path of the program, relative to the repository.
    pub(crate) path: String,
    /// Time limit.
    pub(crate) timeout: Option<Located<String>>,
}

/// Mode of a check.
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

/// Returns the schema of acceptance criteria, which are a text or a list of texts and checkable criteria.
fn acceptance_schema(generator: &mut SchemaGenerator) -> Schema {
    let criterion = generator.subschema_for::<CriterionDoc>();
    json_schema!({ "anyOf": [
        { "type": "string" },
        { "type": "array", "items": { "anyOf": [{ "type": "string" }, criterion] } },
    ] })
}

/// Criterion that a program can check; exactly one field is set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaAcceptance")]
pub(crate) struct CriterionDoc {
    /// Program and arguments that must exit with 0.
    pub(crate) command: Option<Vec<String>>,
    /// File that must exist, relative to the repository.
    pub(crate) file: Option<String>,
    /// Text that must be found.
    pub(crate) grep: Option<GrepDoc>,
    /// JSON Schema that the output must match.
    pub(crate) schema: Option<Map<String, Value>>,
}

/// Text search.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaGrep")]
pub(crate) struct GrepDoc {
    /// Regular expression.
    pub(crate) pattern: String,
    /// Files and folders to search; all if absent.
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
    /// Iterates over the needs in both fields that may contain them.
    pub(crate) fn all_needs(&self) -> impl Iterator<Item = &Located<String>> {
        let both = [&self.needs, &self.depends_on];
        both.into_iter().flatten().flatten()
    }

    /// Iterates over the labels in both fields that may contain them.
    pub(crate) fn all_labels(&self) -> impl Iterator<Item = &String> {
        let both = [&self.labels, &self.tags];
        both.into_iter().flatten().flatten()
    }
}
