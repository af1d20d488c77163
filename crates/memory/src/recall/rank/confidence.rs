//! Confidence that an entry answers a question.
//!
//! Two logistic curves contribute. [`certainty`] is the probability that the entry is meant for
//! sure, and [`likelihood`] is the probability that it answers the question at all. Both were
//! fitted to questions with known answers and validated on others (`cargo xtask recall`).

use super::level::Bounds;

/// Maximum confidence of an entry that is only likely, or has just one distinctive word of several.
/// It's below any bound for a strong level that feedback can set, so such an entry is never strong.
const MAX_LIKELY: f64 = 0.48;
/// Maximum confidence of an entry that matches nothing but common words.
const MAX_COMMON: f64 = 0.2;
/// Confidence of an entry whose title, keywords or aliases contain all words of a question made of
/// common words.
const NAMED_BY_COMMON: f64 = 0.4;
/// Maximum confidence of an entry without the version or date in the question. It's probably about
/// another version.
const MAX_OTHER_NUMBER: f64 = 0.45;
/// Maximum number of subject words in a short question.
const SHORT: u32 = 3;

/// The features of an entry, or of one of its passages, that decide the confidence.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Features {
    /// Share of the question's information covered by the entry, from 0 to 1.
    pub(super) share: f64,
    /// Information of the matched words, in nats. A rare word has more information than a frequent
    /// one.
    pub(super) matched: f64,
    /// Information of the matched words, in units of a word found nowhere else.
    pub(super) matched_words: f64,
    /// Information of the most informative matched word, in nats.
    first: f64,
    /// Information of the second most informative distinctive word, in nats, or 0 if there is none.
    pub(super) second: f64,
    /// The value of `second` as a share of the information of a word found nowhere else, from 0 to
    /// 1.
    pub(super) second_share: f64,
    /// Lead over the next entry, as a share of the best possible score. For all entries but the
    /// best, it's the negative distance to the best.
    pub(super) lead: f64,
    /// Number of matched distinctive words.
    pub(super) distinctive: u32,
    /// Number of distinctive words that match only after a spelling correction.
    pub(super) corrected: u32,
    /// Number of subject words in the question.
    pub(super) subject_words: u32,
    /// True if a distinctive word occurs in no other entry, and in this one among the keywords or
    /// aliases. Such a word is a unique cue.
    pub(super) has_unique_cue: bool,
    /// True if the entry lacks a version or date in the question.
    pub(super) lacks_number: bool,
    /// True if the entry lacks a part of a code name in the question. It's probably about another
    /// name.
    pub(super) lacks_name: bool,
    /// True if the entry lacks an aspect requested by the question, such as tests or steps.
    pub(super) lacks_aspect: bool,
    /// True if the question is made of common words, and the entry's names contain all of them.
    pub(super) is_named_by_common: bool,
    /// Number of entries in all searched sources.
    pub(super) entries: usize,
}

impl Features {
    /// Adds a distinctive word with the given information in nats.
    pub(super) fn add_distinctive(&mut self, information: f64) {
        self.distinctive += 1;
        self.add_information(information);
    }

    /// Adds a corrected word with the given information in nats.
    pub(super) fn add_corrected(&mut self, information: f64) {
        self.corrected += 1;
        self.add_information(information);
    }

    fn add_information(&mut self, information: f64) {
        self.second = self.second.max(information.min(self.first));
        self.first = self.first.max(information);
    }
}

/// Returns the confidence that an entry with these features is meant, from 0 to 1.
pub(super) fn confidence(features: Features) -> f64 {
    let limit = match features.distinctive {
        0 if features.is_named_by_common => return NAMED_BY_COMMON,
        0 if features.corrected == 0 => MAX_COMMON,
        _ if features.lacks_number => MAX_OTHER_NUMBER,
        _ if features.lacks_name => MAX_LIKELY,
        // Corrections are uncertain, so one or two other words aren't enough for a strong level.
        0..=2 if features.corrected > 0 => MAX_LIKELY,
        1 if features.subject_words > 1 || features.lacks_aspect => MAX_LIKELY,
        _ => 1.0,
    };
    let certainty = certainty(features);
    let likely = scaled_likelihood(likelihood(features));
    // A short question usually has no second word to confirm the first. A unique cue does instead.
    let by_cue = features.has_unique_cue && features.subject_words <= SHORT;
    let confidence = match certainty > MAX_LIKELY {
        true => certainty,
        false if by_cue => likely.max(certainty),
        false => likely,
    };
    confidence.min(limit)
}

/// Scales a likelihood to a confidence below any bound for a strong level. A likelihood of one half
/// becomes the bound for a weak level.
fn scaled_likelihood(likelihood: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "some hundred")]
    let weak = Bounds::USUAL.weak as f64 / 1000.0;
    match likelihood < 0.5 {
        true => weak * likelihood / 0.5,
        false => weak + (MAX_LIKELY - weak) * (likelihood - 0.5) / 0.5,
    }
}

/// Returns the probability that the entry is meant for sure.
///
/// For a short question, having its words is enough. The longer a question, the more entries have
/// some of its words, so a long one also requires a lead. We tried the distance between the words
/// and the share of the title as features, but they had little effect.
fn certainty(features: Features) -> f64 {
    /// Number of subject words from which a question counts as long.
    const LONG: f64 = 6.0;
    /// Weight of a unique cue if there's a second word. Without one, it's the limit for a large
    /// memory.
    const UNIQUE_CUE: f64 = 1.0;
    /// Number of entries at which a cue without a second word has half of that weight. In a small
    /// memory nearly every word is unique, so that proves little.
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

/// Returns the probability that the entry answers the question at all.
///
/// One word may match by accident, but a second one of the same rarity rarely does. We tried
/// unknown words and the words' fields as features, but they had little effect.
fn likelihood(features: Features) -> f64 {
    const INTERCEPT: f64 = 1.60;
    /// Weight of the covered share of the question.
    const SHARE: f64 = 4.94;
    /// Weight of a second matched word.
    const SECOND: f64 = 3.47;
    /// Weight of the lead over the next entry.
    const LEAD: f64 = 3.73;
    /// Penalty for a missing version or date.
    const OTHER_NUMBER: f64 = 1.97;
    /// Weight of the penalty for a large memory, which grows with the logarithm of its size.
    const SIZE: f64 = 1.31;
    /// Number of entries from which accidental matches don't become any more frequent.
    const LARGE: f64 = 100.0;
    /// Number of imaginary entries added to every memory, so that a small one isn't overrated.
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
