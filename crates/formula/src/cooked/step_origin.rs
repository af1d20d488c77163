use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_base::Digest;

/// The place where a step was defined, and its way from there into the formula.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// Index of the defining document in `sources`, from 0.
    pub source: u32,
    /// Line number, from 1.
    pub line: u32,
    /// The way from there into the formula, outermost first. Empty if the formula itself defines
    /// the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<Via>,
}

/// Ways in which a step gets into a formula.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// It's inherited from this formula.
    Extends(String),
    /// It's part of a template that replaces a step.
    Expansion {
        /// The formula with the template.
        formula: String,
        /// The replaced step.
        target: String,
    },
    /// It's part of the body of a loop.
    Loop {
        /// The loop's name.
        step: String,
        /// The number of the iteration, from 1.
        iteration: u32,
    },
    /// It's woven around a step.
    Advice {
        /// The formula with the advice.
        formula: String,
        /// The name of the step it's woven around.
        target: String,
    },
    /// It's attached at a bond point.
    Hook {
        /// The attached formula.
        formula: String,
        /// The bond point, or `end` for the end of the formula.
        at: String,
    },
}

/// A document that a formula was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceUsed {
    /// The formula's name, or the path of another file as written.
    pub name: String,
    /// The file as found on the search path.
    pub file: String,
    /// The role of its first use.
    pub role: SourceRole,
    /// Digest of its contents.
    #[schemars(with = "String")]
    pub digest: Digest,
}

/// Roles of documents in a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceRole {
    /// The cooked formula itself.
    Formula,
    /// A formula it inherits from.
    Extends,
    /// Supplies a template.
    Expansion,
    /// Supplies advice.
    Aspect,
    /// May be attached.
    Hook,
    /// Supplies the molecules made when a step is done.
    FanOut,
    /// Contains the description of a step.
    Description,
}
