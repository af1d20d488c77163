use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Located, Scalar, VarDoc};

/// One step of a formula, a template, or the body of a loop.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaStep")]
pub(crate) struct StepDoc {
    /// Its name, unique in the formula. In a template `{target}` is the step that it stands in for.
    pub(crate) id: Located<String>,
    /// What a person calls it. Only a step with `expand` can do without.
    pub(crate) title: Option<String>,
    /// What is to be done, for whoever does it.
    pub(crate) description: Option<String>,
    /// A file that holds the description, relative to the formula.
    pub(crate) description_file: Option<Located<String>>,
    /// What else is worth knowing.
    pub(crate) notes: Option<String>,
    /// What sort of work it is: `task`, `bug`, `feature`, `epic`, `chore` …
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    /// From 0, critical, to 4.
    #[schemars(range(max = 4))]
    pub(crate) priority: Option<u8>,
    /// Its labels.
    pub(crate) labels: Option<Vec<String>>,
    /// Its labels, as Gas City calls them.
    pub(crate) tags: Option<Vec<String>>,
    /// Whatever else is to be noted.
    pub(crate) metadata: Option<Map<String, Value>>,
    /// Who should do it.
    pub(crate) assignee: Option<String>,
    /// Steps that must have ended before it starts.
    pub(crate) needs: Option<Vec<Located<String>>>,
    /// The same as `needs`.
    pub(crate) depends_on: Option<Vec<Located<String>>>,
    /// `all-children`, `any-children`, or `children-of(STEP)`: waits for work that is known only when it runs.
    pub(crate) waits_for: Option<Located<String>>,
    /// A condition on variables (`{{x}}`, `!{{x}}`, `{{x}} == value`), which leaves the step out; or on what
    /// earlier steps found, which skips it.
    pub(crate) condition: Option<Located<String>>,
    /// Steps that it contains: it is done when they are.
    pub(crate) children: Option<Vec<Located<StepDoc>>>,
    /// What must be so before it starts.
    pub(crate) gate: Option<Located<GateDoc>>,
    /// Repeats a body of steps.
    #[serde(rename = "loop")]
    pub(crate) repeat: Option<Located<LoopDoc>>,
    /// An expansion formula, whose template stands in for this step.
    pub(crate) expand: Option<Located<String>>,
    /// Values of the expansion's variables.
    pub(crate) expand_vars: Option<BTreeMap<String, Scalar>>,
    /// Molecules that are made of its output when it is done.
    pub(crate) on_complete: Option<Located<FanOutDoc>>,
    /// What must be so for it to count as done: in words, or a list with what a program can look at.
    #[serde(default)]
    #[schemars(schema_with = "acceptance_schema")]
    pub(crate) acceptance: Option<Located<Value>>,
    /// Whether and how it is tried again.
    pub(crate) retry: Option<Located<RetryDoc>>,
    /// A program that says after each attempt whether it is done.
    pub(crate) check: Option<Located<CheckDoc>>,
    /// The older name of `check`.
    pub(crate) ralph: Option<Located<CheckDoc>>,
    /// How long one attempt may take: `90s`, `1h30m`.
    pub(crate) timeout: Option<Located<String>>,
    /// A kind of step, as in a runbook: the machine does it.
    pub(crate) uses: Option<Located<String>>,
    /// The arguments of that kind. `{ "$ref" = "#/inputs/NAME" }` stands for a variable,
    /// `{ "$ref" = "#/steps/ID/output/…" }` for what an earlier step found.
    #[serde(rename = "with")]
    pub(crate) arguments: Option<Located<Map<String, Value>>>,
    /// The context pack that who claims it is given: `true`, or what it is made of, as the kind of step `pack` takes it. Its
    /// goal is the title and the description if none is said, its definition of done the acceptance.
    #[serde(default)]
    #[schemars(schema_with = "pack_schema")]
    pub(crate) pack: Option<Located<Value>>,
    /// Whether it may be done beside others; if not, nothing else of the molecule is done meanwhile.
    pub(crate) parallel: Option<bool>,
    /// Whether it is a talk with a person.
    pub(crate) interactive: Option<bool>,
    /// What sort of agent should do it.
    pub(crate) agent: Option<String>,
    /// Whether it only looks: nothing is to be changed.
    pub(crate) review_only: Option<bool>,
}

/// What must be so before a step starts.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaGate")]
pub(crate) struct GateDoc {
    /// `timer`, `human`, `mail`, `bead`, `gh:run`, `gh:pr`, `file`, `command` or `condition`.
    #[serde(rename = "type")]
    pub(crate) kind: Located<String>,
    /// What it waits for: a workflow, a pull request, a bead, a duration, a file.
    pub(crate) id: Option<String>,
    /// The same as `id`, which it precedes.
    pub(crate) await_id: Option<String>,
    /// How long it may take; how long a timer takes.
    pub(crate) timeout: Option<Located<String>>,
    /// How long a timer takes.
    pub(crate) duration: Option<Located<String>>,
    /// The condition.
    pub(crate) condition: Option<Located<String>>,
    /// The file, relative to the repository.
    pub(crate) path: Option<String>,
    /// The program and its arguments.
    pub(crate) command: Option<Vec<String>>,
    /// What a person who approves is asked for, by name.
    pub(crate) inputs: Option<BTreeMap<String, Located<VarDoc>>>,
}

/// Repeats a body of steps: so many times, for each number of a range, or until a condition holds.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaLoop")]
pub(crate) struct LoopDoc {
    /// How many times.
    #[serde(default)]
    #[schemars(schema_with = "number_or_text")]
    pub(crate) count: Option<Located<Scalar>>,
    /// From a number to a number: `1..10`, `1..2^{disks}`.
    pub(crate) range: Option<Located<String>>,
    /// The name by which the body knows the number: `{name}`.
    pub(crate) var: Option<Located<String>>,
    /// A condition on what the steps of the body found.
    pub(crate) until: Option<Located<String>>,
    /// How many times at the most, with `until`.
    #[serde(default)]
    #[schemars(schema_with = "number_or_text")]
    pub(crate) max: Option<Located<Scalar>>,
    /// The steps. Each time begins when the one before has ended.
    pub(crate) body: Vec<Located<StepDoc>>,
}

/// Molecules that are made of a step's output, one for each item of a list.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaFanOut")]
pub(crate) struct FanOutDoc {
    /// The list: `output.FIELD`.
    pub(crate) for_each: Located<String>,
    /// The formula.
    pub(crate) bond: Located<String>,
    /// Values of its variables; `{item}`, `{item.FIELD}` and `{index}` are the item and its number from 0.
    pub(crate) vars: Option<BTreeMap<String, Scalar>>,
    /// All at once, which is the default.
    pub(crate) parallel: Option<bool>,
    /// One after the other.
    pub(crate) sequential: Option<bool>,
}

/// Whether and how a step is tried again.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaRetry")]
pub(crate) struct RetryDoc {
    /// The most attempts, the first included.
    #[schemars(range(min = 1, max = 100))]
    pub(crate) max_attempts: u32,
    /// What it means when none succeeded: `hard_fail` holds what needs it, `soft_fail` does not.
    pub(crate) on_exhausted: Option<crate::OnExhausted>,
    /// The wait before the second attempt; it doubles each time.
    pub(crate) backoff: Option<Located<String>>,
    /// The longest wait.
    pub(crate) max_backoff: Option<Located<String>>,
}

/// A program that says after each attempt whether a step is done.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaCheck")]
pub(crate) struct CheckDoc {
    /// The most attempts, the first included; 1 if not said.
    #[schemars(range(min = 1, max = 100))]
    pub(crate) max_attempts: Option<u32>,
    /// The program, as Gas City writes it.
    pub(crate) check: Option<Located<CheckProgram>>,
    /// How it is looked at: `exec`.
    pub(crate) mode: Option<CheckMode>,
    /// The program, relative to the repository.
    pub(crate) path: Option<String>,
    /// How long it may take.
    pub(crate) timeout: Option<Located<String>>,
}

/// The program of a check.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaCheckProgram")]
pub(crate) struct CheckProgram {
    /// How it is looked at: `exec`.
    pub(crate) mode: Option<CheckMode>,
    /// The program, relative to the repository.
    pub(crate) path: String,
    /// How long it may take.
    pub(crate) timeout: Option<Located<String>>,
}

/// How a check looks at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CheckMode {
    /// By running a program.
    Exec,
}

fn number_or_text(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["integer", "string"] })
}

fn pack_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["boolean", "object"] })
}

/// Words, or a list of words and of what a program can look at.
fn acceptance_schema(generator: &mut SchemaGenerator) -> Schema {
    let criterion = generator.subschema_for::<CriterionDoc>();
    json_schema!({ "anyOf": [
        { "type": "string" },
        { "type": "array", "items": { "anyOf": [{ "type": "string" }, criterion] } },
    ] })
}

/// Something that a program can look at to say whether a step is done: one of these.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaAcceptance")]
pub(crate) struct CriterionDoc {
    /// A program and its arguments, which ends with 0.
    pub(crate) command: Option<Vec<String>>,
    /// A file that is there, relative to the repository.
    pub(crate) file: Option<String>,
    /// A text that is found.
    pub(crate) grep: Option<GrepDoc>,
    /// A JSON Schema that the step's output fits.
    pub(crate) schema: Option<Map<String, Value>>,
}

/// A text that is found.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaGrep")]
pub(crate) struct GrepDoc {
    /// A regular expression.
    pub(crate) pattern: String,
    /// The files and folders looked through; all if not said.
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
    /// What it says it needs, both ways of saying so.
    pub(crate) fn all_needs(&self) -> impl Iterator<Item = &Located<String>> {
        let both = [&self.needs, &self.depends_on];
        both.into_iter().flatten().flatten()
    }

    /// Its labels, both names of them.
    pub(crate) fn all_labels(&self) -> impl Iterator<Item = &String> {
        let both = [&self.labels, &self.tags];
        both.into_iter().flatten().flatten()
    }
}
