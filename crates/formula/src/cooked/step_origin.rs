use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_base::Digest;

/// Where a step comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// The document it is written in: its number in `sources`, from 0.
    pub source: u32,
    /// The line, from 1.
    pub line: u32,
    /// How it got from there into the formula, outermost first; nothing where it is written in the formula itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<Via>,
}

/// One thing that brought a step into a formula.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// It was inherited from this formula.
    Extends(String),
    /// It is part of a template that stands in for a step.
    Expansion {
        /// The formula the template is of.
        formula: String,
        /// The step it stands in for.
        target: String,
    },
    /// It is part of the body of a loop.
    Loop {
        /// The loop.
        step: String,
        /// Which time, from 1.
        iteration: u32,
    },
    /// It was woven around a step.
    Advice {
        /// The formula the advice is of.
        formula: String,
        /// The step.
        target: String,
    },
    /// It was attached at a bond point.
    Hook {
        /// The formula that was attached.
        formula: String,
        /// The bond point; `end` for the end of the formula.
        at: String,
    },
}

/// A document that a formula was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceUsed {
    /// The name of the formula; of a file that is no formula, as it was named.
    pub name: String,
    /// The file, as it was found on the search path.
    pub file: String,
    /// What it was used for, the first use.
    pub role: SourceRole,
    /// The digest of its bytes.
    #[schemars(with = "String")]
    pub digest: Digest,
}

/// What a document was used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceRole {
    /// It is the formula that was cooked.
    Formula,
    /// The formula inherits from it.
    Extends,
    /// Its template stands in for steps.
    Expansion,
    /// Its advice is woven around steps.
    Aspect,
    /// It may be attached.
    Hook,
    /// Molecules of it are made when a step is done.
    FanOut,
    /// It holds the description of a step.
    Description,
}
