//! Budget for the printed form of a pack, in characters or tokens. It covers the whole output.

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

/// Name of the tokenizer, which packs state next to their token count.
pub(crate) const TOKENIZER: &str = windlass_tokens::ENCODING;

impl Measure {
    /// Returns the unit of `limit`.
    #[must_use]
    pub fn of(limit: Limit) -> Self {
        match limit {
            Limit::Chars(_) => Self::Chars,
            Limit::Tokens(_) => Self::Tokens,
        }
    }

    /// Returns the size of `text` in this unit.
    #[must_use]
    pub fn weigh(self, text: &str) -> usize {
        match self {
            Self::Chars => text.chars().count(),
            Self::Tokens => windlass_tokens::count(text),
        }
    }
}

/// Maximum size of an output, with the profile that sets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// Maximum size, with its unit.
    pub limit: Limit,
    /// Name of the profile that sets the limit. `None` if the caller set it.
    pub profile: Option<String>,
}

/// Maximum number of corrections in [`least_budget`]. The number of digits settles after a small number of them.
const ROUNDS: usize = 8;

/// Returns the smallest sufficient budget for an output that contains its own budget, so that its size depends on the
/// number of digits. The search starts at `least`. `weigh` returns the size of the output for a budget.
///
/// # Errors
/// Returns any error of `weigh`.
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
