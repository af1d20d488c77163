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
/// As sure as a record can be that is no more than likely: below every bound of strong that feedback may set, so that it is weak. So is
/// one that has one telling word alone of a question of several: it may be of anything else that has the word.
const MOST_OF_LIKELY: f64 = 0.48;
/// What a record is worth at most of which only words match that anybody may say of anything.
const MOST_OF_COMMON: f64 = 0.2;
/// What a record is worth whose title, keywords or aliases have all words of a question in which there are no others: it is called what
/// was asked for, and may be.
const OF_CALLED: f64 = 0.4;
/// What a record is worth at most that lacks a version, a date or the like that was asked for: it is of another one.
const MOST_OF_ANOTHER: f64 = 0.45;

/// The most telling words of a question that is short.
const SHORT: u32 = 3;

/// What of a question a record answers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Answered {
    /// The share of what the words of the question tell that stands in the record, from 0 to 1.
    pub(super) share: f64,
    /// How much these words tell, in nats.
    pub(super) told: f64,
    /// The same, counted in words that stand nowhere else.
    pub(super) words: f64,
    /// How much the one of its telling words tells that tells most, in nats.
    pub(super) most: f64,
    /// The same of the one after it; 0 where there is none.
    pub(super) next: f64,
    /// How much that is of what a word tells that stands nowhere else, from 0 to 1.
    pub(super) second: f64,
    /// How far its score is ahead of the next one, as a share of the best score there can be; below zero behind the best.
    pub(super) ahead: f64,
    /// How many of them are not common.
    pub(super) telling: u32,
    /// How many other words of it stand in it a letter or two otherwise.
    pub(super) near: u32,
    /// How many words of the question are not.
    pub(super) asked: u32,
    /// Whether one of these stands in nothing else that is remembered, and here among the keywords or aliases.
    pub(super) has_own_cue: bool,
    /// Whether a version, a date or the like was asked for that does not stand in it.
    pub(super) lacks_number: bool,
    /// Whether a name of code was asked for of which a part does not stand in it: it speaks of another one.
    pub(super) lacks_name: bool,
    /// Whether something of what it is about was asked for (its tests, its steps) that does not stand in it.
    pub(super) lacks_matter: bool,
    /// Whether words that anybody may say are all that was asked for, and it is called by every one of them.
    pub(super) is_called_so: bool,
    /// How many entries the memory has, with those of what is asked beside it.
    pub(super) entries: usize,
}

impl Answered {
    /// Notes that it has another telling word, which tells so much, in nats.
    pub(super) fn has_telling(&mut self, tells: f64) {
        self.telling += 1;
        self.tells(tells);
    }

    /// Notes that another telling word, which tells so much, stands in it a letter or two otherwise.
    pub(super) fn has_near(&mut self, tells: f64) {
        self.near += 1;
        self.tells(tells);
    }

    fn tells(&mut self, tells: f64) {
        self.next = self.next.max(tells.min(self.most));
        self.most = self.most.max(tells);
    }
}

/// How sure it is that the record is meant, from 0 to 1. Whether it is surely meant and whether it is likely to be are two questions,
/// answered by two curves: what makes up for what is missing of a question tells that something is known of it, and not that it is
/// this. What is not sure is as sure as it is likely, from the bound of weak where it is as likely as not.
pub(super) fn confidence(answered: Answered) -> f64 {
    let most = match answered.telling {
        0 if answered.is_called_so => return OF_CALLED,
        0 if answered.near == 0 => MOST_OF_COMMON,
        _ if answered.lacks_number => MOST_OF_ANOTHER,
        _ if answered.lacks_name => MOST_OF_LIKELY,
        // By what may be another word nobody is sure: what else was asked has to say enough.
        0..=2 if answered.near > 0 => MOST_OF_LIKELY,
        1 if answered.asked > 1 || answered.lacks_matter => MOST_OF_LIKELY,
        _ => 1.0,
    };
    let (sure, likely) = (sure(answered), as_sure(likely(answered)));
    // A short question has no second word, as a rule: then one that leads to the record alone says as much.
    let by_cue = answered.has_own_cue && answered.asked <= SHORT;
    let confidence = match sure > MOST_OF_LIKELY {
        true => sure,
        false if by_cue => likely.max(sure),
        false => likely,
    };
    confidence.min(most)
}

/// How sure what is no more than `likely` is, from 0 to below every bound of strong.
fn as_sure(likely: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "some hundred")]
    let weak = WEAK as f64 / 1000.0;
    match likely < 0.5 {
        true => weak * likely / 0.5,
        false => weak + (MOST_OF_LIKELY - weak) * (likely - 0.5) / 0.5,
    }
}

/// How likely it is that it is surely meant: a logistic curve, fitted to questions of which it is known whether there is an answer,
/// and looked at on others (`cargo xtask recall`). A short question is answered by what has its words. The longer it is, the more
/// others have some of them, and the further one has to be ahead. What else was looked at (how near to each other the words stand,
/// what of the title was asked for) tells hardly more than that.
fn sure(answered: Answered) -> f64 {
    /// A question of so many telling words is long: then one record has to stand out from the others.
    const LONG: f64 = 6.0;
    /// How much a cue that leads to one record alone adds, with a second word or in a large memory.
    const OWN_CUE: f64 = 1.0;
    /// By itself it adds half as much in a memory of so many entries: in few, nearly every word leads to one alone.
    const FEW: f64 = 50.0;
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
    logistic(sum)
}

/// How likely it is that the record answers the question at all: fitted as the other curve, each set of questions looked at by what
/// was fitted to the others. One word of a question may stand anywhere by accident; a second one that is as rare hardly does,
/// whatever else was asked. Which words the memory has nowhere, and in which parts they stand, tells hardly more.
fn likely(answered: Answered) -> f64 {
    /// How much the share counts for.
    const OF_SHARE: f64 = 4.94;
    /// How much a second word counts for that stands nowhere else.
    const OF_SECOND: f64 = 3.47;
    /// How much it counts for how far it is ahead.
    const OF_AHEAD: f64 = 3.73;
    /// How much it counts against a record that it lacks the version or date.
    const OF_ANOTHER: f64 = 1.97;
    /// How much the size of the memory counts against it, for each time that it is as large again as e says.
    const OF_SIZE: f64 = 1.31;
    /// In a memory of more entries it is not more likely that one has the words by accident.
    const LARGE: f64 = 100.0;
    /// Every memory is taken to have so many more.
    const OTHERS: f64 = 20.0;
    #[expect(clippy::cast_precision_loss, reason = "a number of entries")]
    let entries = (answered.entries as f64).min(LARGE) + OTHERS;
    let another = if answered.lacks_number {
        OF_ANOTHER
    } else {
        0.0
    };
    logistic(
        1.60 + OF_SHARE * answered.share + OF_SECOND * answered.second + OF_AHEAD * answered.ahead
            - OF_SIZE * entries.ln()
            - another,
    )
}

fn logistic(sum: f64) -> f64 {
    1.0 / (1.0 + (-sum).exp())
}

#[cfg(test)]
mod tests {
    use super::super::score::thousandths;
    use super::super::tuning::MOST_SHIFT;
    use super::*;

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "some hundred")]
    fn what_is_only_likely_is_never_sure_whatever_feedback_says() {
        let lowest = STRONG - MOST_SHIFT;
        for likely in 0..=100 {
            let sure = as_sure(f64::from(likely) / 100.0);
            let next = as_sure(f64::from(likely + 1) / 100.0);
            assert!(sure < next && sure * 1000.0 < lowest as f64, "{likely}");
            let level = level_within((WEAK, lowest), thousandths(sure));
            let wanted = match likely >= 50 {
                true => Level::Weak,
                false => Level::None,
            };
            assert_eq!(level, wanted, "{likely}");
        }
    }
}
