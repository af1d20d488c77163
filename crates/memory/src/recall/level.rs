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

/// How sure it is by these bounds: from so many thousandths on weak, and strong.
pub(super) fn level_within((weak, strong): (i64, i64), confidence: u32) -> Level {
    match i64::from(confidence) {
        sure if sure >= strong => Level::Strong,
        sure if sure >= weak => Level::Weak,
        _ => Level::None,
    }
}

/// From so many thousandths on it is weak.
pub(super) const WEAK: i64 = 330;
/// From so many thousandths on it is strong.
pub(super) const STRONG: i64 = 530;
/// What a record is worth at most of which only words match that anybody may say of anything.
const MOST_OF_COMMON: f64 = 0.2;
/// What a record is worth at most that lacks a version, a date or the like that was asked for: it is of another one.
const MOST_OF_ANOTHER: f64 = 0.45;
/// What a record is worth at most that has one telling word alone of a question of several: it may be of anything else that has
/// the word. Below every bound of strong that feedback may set, so that it is weak.
const MOST_OF_ONE: f64 = 0.48;
/// A question of so many telling words is long: then one record has to stand out from the others.
const LONG: f64 = 6.0;
/// How much a cue that leads to one record alone adds, with a second word or in a large memory.
const OWN_CUE: f64 = 1.0;
/// By itself it adds half as much in a memory of so many entries: in few, nearly every word leads to one alone.
const FEW: f64 = 50.0;

/// What of a question a record answers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Answered {
    /// The share of what the words of the question tell that stands in the record, from 0 to 1.
    pub(super) share: f64,
    /// How much these words tell, in nats.
    pub(super) told: f64,
    /// The same, counted in words that stand nowhere else.
    pub(super) words: f64,
    /// How far its score is ahead of the next one, as a share of the best score there can be; below zero behind the best.
    pub(super) ahead: f64,
    /// How many of them are not common.
    pub(super) telling: u32,
    /// How many words of the question are not.
    pub(super) asked: u32,
    /// Whether one of these stands in nothing else that is remembered, and here among the keywords or aliases.
    pub(super) has_own_cue: bool,
    /// Whether a version, a date or the like was asked for that does not stand in it.
    pub(super) lacks_number: bool,
    /// How many entries the memory has.
    pub(super) entries: usize,
}

/// How sure it is that the record is meant, from 0 to 1: a logistic curve, fitted to questions of which it is known whether there
/// is an answer, and looked at on others (`cargo xtask recall`). A short question is answered by what has its words. The longer
/// it is, the more others have some of them, and the further one has to be ahead. What else was looked at (how rare the rarest
/// word is, how near to each other the words stand, what of the title was asked for) tells hardly more than that.
pub(super) fn confidence(answered: Answered) -> f64 {
    let words = answered.words;
    let short = -2.8 + 4.1 * answered.share + 0.17 * words.min(2.0);
    let long = -3.13 + 1.74 * answered.share + 0.68 * words.min(4.5) + 4.0 * answered.ahead;
    let length = ((f64::from(answered.asked) - 1.0) / (LONG - 1.0)).clamp(0.0, 1.0);
    let mut sum = short + (long - short) * length;
    if answered.has_own_cue {
        #[expect(clippy::cast_precision_loss, reason = "a number of entries")]
        let entries = answered.entries as f64;
        sum += OWN_CUE
            * if answered.telling > 1 {
                1.0
            } else {
                entries / (entries + FEW)
            };
    }
    let sure = 1.0 / (1.0 + (-sum).exp());
    match answered.telling {
        0 => sure.min(MOST_OF_COMMON),
        _ if answered.lacks_number => sure.min(MOST_OF_ANOTHER),
        1 if answered.asked > 1 => sure.min(MOST_OF_ONE),
        _ => sure,
    }
}
