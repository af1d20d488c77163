use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Condition of a gate, of `until` or of a step, evaluated while a molecule runs.
///
/// Written in the condition language of formulas (`review.output.approved == true`, `children(survey).all(status ==
/// 'complete')`, `file.exists('go.mod')`). Its names are those of the cooked steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunCondition {
    /// Text as written.
    pub text: String,
    /// Subject and test.
    pub looks_at: LookAt,
}

/// Subject of a condition, with its test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum LookAt {
    /// A step, or several that replace one: each must pass.
    Steps {
        /// Names of the steps.
        steps: Vec<String>,
        /// Test for each step.
        test: Comparison,
    },
    /// A set of steps that is known only at run time.
    Set {
        /// The set.
        set: StepSet,
        /// Number of steps that must pass. `all` of an empty set is false, since its steps may not exist yet.
        over: TestOver,
        /// Test for each step.
        test: Comparison,
    },
    /// Existence of a file.
    File {
        /// Path relative to the repository.
        path: String,
    },
    /// An environment variable; empty if it is not set.
    Environment {
        /// Name of the variable.
        name: String,
        /// Comparison operator.
        op: CompareOp,
        /// Value to compare with.
        value: String,
    },
}

/// Set of steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepSet {
    /// Steps that these contain, and molecules made from their output.
    Children(Vec<String>),
    /// Children, and their children in turn.
    Descendants(Vec<String>),
    /// All steps of the molecule.
    All,
}

/// Number of steps of a set that must pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestOver {
    /// All, and at least one.
    All,
    /// At least one.
    Any,
    /// A number that passes a comparison.
    Count {
        /// Comparison operator.
        op: CompareOp,
        /// Number to compare with.
        number: u32,
    },
}

/// Test of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Path into the output: field names, outermost first; empty to test the status.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<String>,
    /// Comparison operator.
    pub op: CompareOp,
    /// Value to compare with. For a status, the name used by Windlass: `completed`, `failed` …
    pub value: String,
}

/// Comparison operator. Compares as numbers if both values are numbers, otherwise as texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CompareOp {
    /// Equal.
    #[serde(rename = "==")]
    Equal,
    /// Not equal.
    #[serde(rename = "!=")]
    NotEqual,
    /// Greater.
    #[serde(rename = ">")]
    Greater,
    /// Greater or equal.
    #[serde(rename = ">=")]
    GreaterOrEqual,
    /// Less.
    #[serde(rename = "<")]
    Less,
    /// Less or equal.
    #[serde(rename = "<=")]
    LessOrEqual,
}

impl CompareOp {
    /// Returns the operator as it is written in conditions.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
        }
    }
}
