//! Limits on the printed size of a pack, in characters or tokens.
//!
//! A budget covers everything we print, including titles, calls and the report about the budget
//! itself. That last part makes the size depend on the limit, which [`least_budget`] has to
//! resolve.

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

/// The tokenizer's name, printed next to token counts so that readers can reproduce them.
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

/// Maximum size of an output, and the profile it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// The limit and its unit.
    pub limit: Limit,
    /// The profile that set the limit, or `None` if the caller did.
    pub profile: Option<String>,
}

/// Maximum number of corrections in [`least_budget`]. A correction only matters if the budget gains
/// a digit, so the loop settles quickly.
const ROUNDS: usize = 8;

/// Returns the smallest sufficient budget for an output that prints its own budget.
///
/// Such an output grows when its budget gains a digit. A view that takes 1000 characters with a
/// budget of 999 takes 1001 with a budget of 1000. We start at `least` and raise it until the size
/// returned by `weigh` no longer exceeds it.
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
