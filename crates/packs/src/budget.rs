//! One budget for all packs: so many characters or tokens of everything that is printed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_base::Limit;

/// What is counted.
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

/// How much may be shown, and what it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// The most, and what is counted.
    pub limit: Limit,
    /// The profile, where it comes from one.
    pub profile: Option<String>,
}

/// Most times that a budget is weighed anew because it names itself.
const ROUNDS: usize = 8;

/// The least budget that is enough for what names its own: the more digits that has, the more it takes. It is looked for from `least`
/// on; `weigh` says what is taken with one.
///
/// # Errors
/// When `weigh` fails.
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
