//! Estimates the confidence that an entry answers a question.
//!
//! Two logistic curves give probabilities: [`certainty`] that the question means exactly this
//! entry, and [`likelihood`] that the entry answers the question at all. [`confidence`] combines
//! them, and limits the result where a rule of thumb says that the curves would be too optimistic.
//!
//! The coefficients were fitted to questions with known answers, and validated on others. After
//! changing any of them, run `cargo xtask recall` and compare the figures.

use super::level::Bounds;

/// Maximum for an entry that's only likely, or that matches a single distinctive word of several.
///
/// Such an entry must never be reported as `strong`. The value is low enough that it stays below
/// the threshold even after feedback has lowered the threshold as far as possible.
const MAX_LIKELY: f64 = 0.48;
/// Maximum for an entry that only matches common words.
const MAX_COMMON: f64 = 0.2;
/// Confidence if the question consists of common words, and the title, keywords or aliases of the
/// entry contain all of them.
const NAMED_BY_COMMON: f64 = 0.4;
/// Maximum for an entry without the version or date in the question. It's probably about another
/// one.
const MAX_OTHER_NUMBER: f64 = 0.45;
/// Maximum number of subject words in a short question.
const SHORT: u32 = 3;

/// The facts about an entry, or about one of its passages, that its confidence depends on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Features {
    /// The part of the question's information that the entry covers, from 0 to 1.
    pub(super) share: f64,
    /// Total information of the matched words, in nats. Rare words carry more information.
    pub(super) matched: f64,
    /// `matched`, in units of a word that occurs in no other entry.
    pub(super) matched_words: f64,
    /// The information of the most informative distinctive word, in nats.
    first: f64,
    /// The same for the runner-up, or 0 if only one distinctive word matches.
    pub(super) second: f64,
    /// `second`, in the unit of `matched_words`. From 0 to 1.
    pub(super) second_share: f64,
    /// The lead over the next entry, as a fraction of the best possible score. For all entries but
    /// the best one, this is negative: their distance from it.
    pub(super) lead: f64,
    /// Number of matched distinctive words.
    pub(super) distinctive: u32,
    /// Number of distinctive words that only match after a spelling correction.
    pub(super) corrected: u32,
    /// Number of subject words in the question.
    pub(super) subject_words: u32,
    /// True if a distinctive word is a keyword or alias of this entry and occurs in no other entry.
    pub(super) has_unique_cue: bool,
    /// True if the question's version or date is missing from the entry.
    pub(super) lacks_number: bool,
    /// True if the entry lacks a part of a code name in the question. For example, an entry about
    /// `parse_config` is probably not what a question about `parse_config_file` means.
    pub(super) lacks_name: bool,
    /// True if the entry lacks the aspect that the question asks for, e.g. tests or steps.
    pub(super) lacks_aspect: bool,
    /// True if the question consists of common words, and the names of the entry contain all of
    /// them.
    pub(super) is_named_by_common: bool,
    /// Number of entries in all searched sources. In a small memory, a match is more likely
    /// accidental or trivial.
    pub(super) entries: usize,
}

impl Features {
    pub(super) fn add_distinctive(&mut self, information: f64) {
        self.distinctive += 1;
        self.add_information(information);
    }

    pub(super) fn add_corrected(&mut self, information: f64) {
        self.corrected += 1;
        self.add_information(information);
    }

    fn add_information(&mut self, information: f64) {
        self.second = self.second.max(information.min(self.first));
        self.first = self.first.max(information);
    }
}

/// Combines both curves. The result is from 0 to 1.
pub(super) fn confidence(features: Features) -> f64 {
    let limit = match features.distinctive {
        0 if features.is_named_by_common => return NAMED_BY_COMMON,
        0 if features.corrected == 0 => MAX_COMMON,
        _ if features.lacks_number => MAX_OTHER_NUMBER,
        _ if features.lacks_name => MAX_LIKELY,
        // The correction may be wrong, so one or two other words aren't enough for strong.
        0..=2 if features.corrected > 0 => MAX_LIKELY,
        1 if features.subject_words > 1 || features.lacks_aspect => MAX_LIKELY,
        _ => 1.0,
    };
    let certainty = certainty(features);
    let likely = scaled_likelihood(likelihood(features));
    // A short question rarely contains a second word to confirm the first, so a unique cue will do.
    let by_cue = features.has_unique_cue && features.subject_words <= SHORT;
    let confidence = match certainty > MAX_LIKELY {
        true => certainty,
        false if by_cue => likely.max(certainty),
        false => likely,
    };
    confidence.min(limit)
}

/// Maps a likelihood to a confidence that can't reach the level `strong`. We map 0.5 to the usual
/// threshold for `weak`, so an entry is reported if it's more likely right than wrong.
fn scaled_likelihood(likelihood: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "some hundred")]
    let weak = Bounds::USUAL.weak as f64 / 1000.0;
    match likelihood < 0.5 {
        true => weak * likelihood / 0.5,
        false => weak + (MAX_LIKELY - weak) * (likelihood - 0.5) / 0.5,
    }
}

/// The probability that the question means exactly this entry.
///
/// For a short question, it's enough to look at its words. The longer a question is, the more
/// entries contain some of its words by accident, so the lead over the next entry counts as well.
/// We also tried the distance between words and the share of the title, but they had little effect.
fn certainty(features: Features) -> f64 {
    /// Number of subject words in a long question.
    const LONG: f64 = 6.0;
    /// The weight of a unique cue, if a second word confirms it. A cue on its own only gets close
    /// to this weight in a large memory.
    const UNIQUE_CUE: f64 = 1.0;
    /// Number of entries at which a cue by itself gets half of that weight. In a small memory,
    /// nearly every word is unique and proves little.
    const CUE_ENTRIES: f64 = 50.0;
    let words = features.matched_words;
    let short = -2.8 + 4.1 * features.share + 0.17 * words.min(2.0);
    let long = -3.13 + 1.74 * features.share + 0.68 * words.min(4.5) + 4.0 * features.lead;
    let length = ((f64::from(features.subject_words) - 1.0) / (LONG - 1.0)).clamp(0.0, 1.0);
    let mut sum = short + (long - short) * length;
    if features.has_unique_cue {
        #[expect(clippy::cast_precision_loss, reason = "a number of entries")]
        let entries = features.entries as f64;
        sum += UNIQUE_CUE
            * if features.distinctive > 1 {
                1.0
            } else {
                entries / (entries + CUE_ENTRIES)
            };
    }
    logistic(sum)
}

/// The probability that the entry answers the question at all.
///
/// One word may match by accident, but two words of the same rarity hardly do. We also tried
/// unknown words and the fields of the words, but they had little effect.
fn likelihood(features: Features) -> f64 {
    const INTERCEPT: f64 = 1.60;
    const SHARE: f64 = 4.94;
    /// The weight of a second matched word.
    const SECOND: f64 = 3.47;
    const LEAD: f64 = 3.73;
    /// The penalty for a missing version or date.
    const OTHER_NUMBER: f64 = 1.97;
    /// The penalty for a large memory. It grows with the logarithm of the number of entries.
    const SIZE: f64 = 1.31;
    /// Number of entries beyond which accidental matches don't become more frequent.
    const LARGE: f64 = 100.0;
    /// Number of imaginary entries that we add to every memory, since we would overrate small ones
    /// otherwise.
    const PRIOR_ENTRIES: f64 = 20.0;
    #[expect(clippy::cast_precision_loss, reason = "a number of entries")]
    let entries = (features.entries as f64).min(LARGE) + PRIOR_ENTRIES;
    let penalty = if features.lacks_number {
        OTHER_NUMBER
    } else {
        0.0
    };
    logistic(
        INTERCEPT + SHARE * features.share + SECOND * features.second_share + LEAD * features.lead
            - SIZE * entries.ln()
            - penalty,
    )
}

fn logistic(sum: f64) -> f64 {
    1.0 / (1.0 + (-sum).exp())
}

#[cfg(test)]
mod tests {
    use super::super::level::Level;
    use super::super::thousandths;
    use super::super::tuning::MAX_SHIFT;
    use super::*;

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "some hundred")]
    fn likely_entry_is_never_strong_after_any_feedback() {
        let lowest = Bounds {
            strong: Bounds::USUAL.strong - MAX_SHIFT,
            ..Bounds::USUAL
        };
        for percent in 0..=100 {
            let likely = scaled_likelihood(f64::from(percent) / 100.0);
            let next = scaled_likelihood(f64::from(percent + 1) / 100.0);
            assert!(
                likely < next && likely * 1000.0 < lowest.strong as f64,
                "{percent}"
            );
            let wanted = match percent >= 50 {
                true => Level::Weak,
                false => Level::None,
            };
            assert_eq!(lowest.level(thousandths(likely)), wanted, "{percent}");
        }
    }
}
