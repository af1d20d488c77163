//! Limits the printed size of a pack, in characters or tokens.
//!
//! A budget covers everything that we print, including titles, calls and the budget itself. Because
//! of the latter, the size of an output depends on its limit. Use [`least_budget`] to find a limit
//! that works.

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

/// Name of the tokenizer. We print it next to token counts, so that readers can reproduce them.
pub(crate) const TOKENIZER: &str = windlass_tokens::ENCODING;

impl Measure {
    /// The unit of `limit`.
    #[must_use]
    pub fn of(limit: Limit) -> Self {
        match limit {
            Limit::Chars(_) => Self::Chars,
            Limit::Tokens(_) => Self::Tokens,
        }
    }

    /// The size of `text`, in this unit.
    #[must_use]
    pub fn weigh(self, text: &str) -> usize {
        match self {
            Self::Chars => text.chars().count(),
            Self::Tokens => windlass_tokens::count(text),
        }
    }
}

/// A limit on the size of an output, and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// The number along with its unit.
    pub limit: Limit,
    /// The profile that set the limit. This is `None` if the caller did.
    pub profile: Option<String>,
}

/// Maximum number of corrections of a budget. The size only changes when the budget gets another
/// digit, so a few are plenty.
const ROUNDS: usize = 8;

/// Finds the smallest budget for an output that prints its own budget.
///
/// Such an output gets larger when its budget gets another digit: a view may take 1000 characters
/// with a budget of 999, but 1001 with a budget of 1000. We start at `least`, and raise it until
/// the size returned by `weigh` doesn't exceed it.
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
