use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A condition of a gate, of `until` or of a step, evaluated while a molecule runs.
///
/// It's written in the condition language of formulas (`review.output.approved == true`,
/// `children(survey).all(status == 'complete')`, `file.exists('go.mod')`). Names refer to cooked
/// steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunCondition {
    /// The text as written.
    pub text: String,
    /// The subject and its test.
    pub looks_at: LookAt,
}

/// The subject of a condition, with its test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum LookAt {
    /// A step, or several that replaced one. Each of them must pass.
    Steps {
        /// The steps' names.
        steps: Vec<String>,
        /// The test for each step.
        test: Comparison,
    },
    /// A set of steps only known at run time.
    Set {
        /// The set.
        set: StepSet,
        /// The number of steps that must pass. `all` of an empty set is false, since its steps may
        /// not exist yet.
        over: TestOver,
        /// The test for each step.
        test: Comparison,
    },
    /// A file that must exist.
    File {
        /// The path relative to the repository.
        path: String,
    },
    /// An environment variable, which counts as empty if it isn't set.
    Environment {
        /// The variable's name.
        name: String,
        /// The comparison operator.
        op: CompareOp,
        /// The value to compare with.
        value: String,
    },
}

/// A set of steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepSet {
    /// The steps contained in these, and molecules made from their output.
    Children(Vec<String>),
    /// Like `Children`, but including children of children.
    Descendants(Vec<String>),
    /// All steps of the molecule.
    All,
}

/// The number of steps in a set that must pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestOver {
    /// All steps, and at least one.
    All,
    /// At least one step.
    Any,
    /// Any number that passes a comparison.
    Count {
        /// The comparison operator.
        op: CompareOp,
        /// The number to compare with.
        number: u32,
    },
}

/// The test of a step's status or output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Path into the output as field names, outermost first. An empty path tests the status.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<String>,
    /// The comparison operator.
    pub op: CompareOp,
    /// The value to compare with. A status has the name used by Windlass, such as `completed` or
    /// `failed`.
    pub value: String,
}

windlass_base::word_enum! {
    /// Comparison operators. Two numbers are compared as numbers, and anything else as text.
    CompareOp, "comparison operator" {
        /// Equal.
        Equal = "==",
        /// Not equal.
        NotEqual = "!=",
        /// Greater.
        Greater = ">",
        /// Greater or equal.
        GreaterOrEqual = ">=",
        /// Less.
        Less = "<",
        /// Less or equal.
        LessOrEqual = "<=",
    }
}
