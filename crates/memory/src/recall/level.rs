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
pub(super) const WEAK: i64 = 360;
/// From so many thousandths on it is strong.
pub(super) const STRONG: i64 = 550;
/// What a record is worth at least to which a cue of its own leads: it is weak, where feedback says nothing else.
#[expect(clippy::cast_precision_loss, reason = "a small number")]
const WORTH_A_LOOK: f64 = WEAK as f64 / 1000.0;
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
    /// Whether one of these stands in nothing else that is remembered, and here among the keywords or aliases.
    pub(super) has_own_cue: bool,
}

/// How sure it is that the record is meant, from 0 to 1: a logistic curve over what it answers, fitted to questions of
/// which it is known whether there is an answer (`cargo xtask recall`; fitted to two histories, looked at on others). What else
/// was looked at (how far the next one is behind, how rare the rarest word is, in which part it stands, the share of the title that
/// was asked for) tells hardly more than the share of the question does.
///
/// A cue that leads to this record alone is worth a look, however much else the question says.
pub(super) fn confidence(answered: Answered) -> f64 {
    let Answered {
        share,
        told,
        telling,
        has_own_cue,
    } = answered;
    let sum = -2.8 + 4.1 * share + 0.03 * told.min(12.0);
    let sure = 1.0 / (1.0 + (-sum).exp());
    match (telling, has_own_cue) {
        (0, _) => sure.min(MOST_OF_COMMON),
        (_, true) => sure.max(WORTH_A_LOOK),
        (_, false) => sure,
    }
}
