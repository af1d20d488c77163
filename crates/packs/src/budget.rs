//! Budget shared by all packs: a number of characters or tokens of the whole output.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_base::Limit;

/// Unit of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Unit")]
pub enum Measure {
    /// Unicode scalar values.
    Chars,
    /// Tokens of `o200k_base`.
    Tokens,
}

/// The name of the tokenizer, as packs give it.
pub(crate) const TOKENIZER: &str = windlass_tokens::ENCODING;

impl Measure {
    /// The measure of `limit`.
    #[must_use]
    pub fn of(limit: Limit) -> Self {
        match limit {
            Limit::Chars(_) => Self::Chars,
            Limit::Tokens(_) => Self::Tokens,
        }
    }

    /// The weight of `text`.
    #[must_use]
    pub fn weigh(self, text: &str) -> usize {
        match self {
            Self::Chars => text.chars().count(),
            Self::Tokens => windlass_tokens::count(text),
        }
    }
}

/// Output limit, and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// Maximum size and its unit.
    pub limit: Limit,
    /// Profile that sets the limit, if any.
    pub profile: Option<String>,
}

/// Maximum number of times a budget is weighed again because its own number is part of the output.
const ROUNDS: usize = 8;

/// Returns the smallest sufficient budget for an output that includes its own budget: more digits take more room. The
/// search starts at `least`; `weigh` returns the size of the output for a budget.
///
/// # Errors
/// Those of `weigh`.
pub fn least_budget<E>(
    mut least: usize,
    mut weigh: impl FnMut(usize) -> Result<usize, E>,
) -> Result<usize, E> {
    for _ in 0..ROUNDS {
        let taken = weigh(least)?;
        if taken <= least {
            break;
        }
        least = taken;
    }
    Ok(least)
}
