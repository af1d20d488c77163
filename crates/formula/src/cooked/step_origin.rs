use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_base::Digest;

/// Origin of a step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// Index in `sources` of the document that defines it, from 0.
    pub source: u32,
    /// Line number, from 1.
    pub line: u32,
    /// Path from there into the formula, outermost first; empty if the formula itself defines the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<Via>,
}

/// Way in which a step got into a formula.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// Inherited from this formula.
    Extends(String),
    /// Part of a template that replaces a step.
    Expansion {
        /// Formula that defines the template.
        formula: String,
        /// Step that it replaces.
        target: String,
    },
    /// Part of the body of a loop.
    Loop {
        /// Name of the loop.
        step: String,
        /// Number of the iteration, from 1.
        iteration: u32,
    },
    /// Woven around a step.
    Advice {
        /// Formula that defines the advice.
        formula: String,
        /// Name of the step.
        target: String,
    },
    /// Attached at a bond point.
    Hook {
        /// Formula that was attached.
        formula: String,
        /// Bond point; `end` for the end of the formula.
        at: String,
    },
}

/// Document that a formula was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceUsed {
    /// Name of the formula, or the path of another file as written.
    pub name: String,
    /// File as found on the search path.
    pub file: String,
    /// Role of its first use.
    pub role: SourceRole,
    /// Digest of its contents.
    #[schemars(with = "String")]
    pub digest: Digest,
}

/// Role of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceRole {
    /// The formula that was cooked.
    Formula,
    /// A formula that it inherits from.
    Extends,
    /// Supplies a template.
    Expansion,
    /// Supplies advice.
    Aspect,
    /// May be attached.
    Hook,
    /// Supplies the molecules made when a step is done.
    FanOut,
    /// Holds the description of a step.
    Description,
}
