use serde::{Deserialize, Serialize};

/// How sure it is that something of what is remembered is meant.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Nothing is: nothing is to be loaded.
    None,
    /// Something may be: what is loaded may be meant.
    Weak,
    /// Something is.
    Strong,
}

impl Level {
    /// The word, as it stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Weak => "weak",
            Self::Strong => "strong",
        }
    }
}

/// From so many thousandths on it is weak.
pub(super) const WEAK: i64 = 330;
/// From so many thousandths on it is strong.
pub(super) const STRONG: i64 = 550;
/// What a record is worth at most of which only words match that anybody may say of anything.
const MOST_OF_COMMON: f64 = 0.2;

/// What of a question a record answers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Answered {
    /// The share of what the words of the question tell that stands in the record, from 0 to 1.
    pub(super) share: f64,
    /// How much these words tell, in nats.
    pub(super) told: f64,
    /// How many of them are not common.
    pub(super) telling: u32,
}

/// How sure it is that the record is meant, from 0 to 1: a logistic curve over what it answers, fitted to questions of
/// which it is known whether there is an answer (`cargo xtask recall`; fitted to two histories, looked at on others).
pub(super) fn confidence(answered: Answered) -> f64 {
    let Answered {
        share,
        told,
        telling,
    } = answered;
    let sum = -2.8 + 4.1 * share + 0.03 * told.min(12.0);
    let sure = 1.0 / (1.0 + (-sum).exp());
    match telling {
        0 => sure.min(MOST_OF_COMMON),
        _ => sure,
    }
}
