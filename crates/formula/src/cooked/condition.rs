use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A condition that is looked at while a molecule runs: of a gate, of `until`, of a step.
///
/// It is read in the language formulas have for it (`review.output.approved == true`,
/// `children(survey).all(status == 'complete')`, `file.exists('go.mod')`), its names being those of the cooked steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunCondition {
    /// As written.
    pub text: String,
    /// What it looks at, and what that must be.
    pub looks_at: LookAt,
}

/// What a condition looks at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum LookAt {
    /// A step, or several that stand in for one: each must fit.
    Steps {
        /// Their names.
        steps: Vec<String>,
        /// What must be so.
        test: Comparison,
    },
    /// A set of steps that is known only when it runs.
    Set {
        /// Which.
        set: StepSet,
        /// How many of them must fit. All of none is false: they may not have been made yet.
        over: TestOver,
        /// What must be so.
        test: Comparison,
    },
    /// Whether a file is there.
    File {
        /// Relative to the repository.
        path: String,
    },
    /// A variable of the environment; empty where it is not set.
    Environment {
        /// Its name.
        name: String,
        /// How it is compared.
        op: CompareOp,
        /// With what.
        value: String,
    },
}

/// A set of steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepSet {
    /// What these steps contain, and what was made of their output.
    Children(Vec<String>),
    /// The same, and what those contain in turn.
    Descendants(Vec<String>),
    /// All steps of the molecule.
    All,
}

/// How many steps of a set must fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestOver {
    /// All, and at least one.
    All,
    /// One.
    Any,
    /// As many as this says.
    Count {
        /// How their number is compared.
        op: CompareOp,
        /// With what.
        number: u32,
    },
}

/// What must be so of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The way into its output: field names, outermost first; its status if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<String>,
    /// How it is compared.
    pub op: CompareOp,
    /// With what. Of a status, the word of this program: `completed`, `failed` …
    pub value: String,
}

/// How two values are compared: as numbers where both are, else as texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CompareOp {
    /// The same.
    #[serde(rename = "==")]
    Equal,
    /// Not the same.
    #[serde(rename = "!=")]
    NotEqual,
    /// Greater.
    #[serde(rename = ">")]
    Greater,
    /// Greater or the same.
    #[serde(rename = ">=")]
    GreaterOrEqual,
    /// Less.
    #[serde(rename = "<")]
    Less,
    /// Less or the same.
    #[serde(rename = "<=")]
    LessOrEqual,
}

impl CompareOp {
    /// The operator as it is written.
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
