use super::tuning::Tuning;

windlass_base::word_enum! {
    /// Confidence that the memory has an answer.
    Level, "level" {
        /// Probably no answer: load nothing.
        None = "none",
        /// Possible answer: verify what is loaded.
        Weak = "weak",
        /// Probable answer.
        Strong = "strong",
    }
}

/// The lowest confidence for each of two levels, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) weak: i64,
    pub(super) strong: i64,
}

impl Bounds {
    /// The thresholds without any feedback.
    pub(super) const USUAL: Self = Self {
        weak: 330,
        strong: 530,
    };

    /// Adds what we've learned from feedback.
    pub(super) fn shifted(tuning: &Tuning) -> Self {
        Self {
            weak: Self::USUAL.weak + tuning.weak_shift,
            strong: Self::USUAL.strong + tuning.strong_shift,
        }
    }

    /// Returns the level of a `confidence`, in thousandths.
    pub(super) fn level(self, confidence: u32) -> Level {
        match i64::from(confidence) {
            it if it >= self.strong => Level::Strong,
            it if it >= self.weak => Level::Weak,
            _ => Level::None,
        }
    }
}
