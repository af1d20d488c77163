//! Measures of what is said of evidence that may have changed.

use super::shown::ratio;

/// What became of a piece of evidence, and what was said of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Whether its text still stands, unchanged, at the place it was captured at.
    pub stands: bool,
    /// Whether it has a place now, changed or not; not so where it was taken out, or less than half of it is left.
    pub has_place: bool,
    /// What was said.
    pub said: Said,
    /// How sure it was, 0 to 1, where a place or that it is gone was claimed.
    pub confidence: Option<f64>,
}

/// What was said of a piece of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// It stands where it stood.
    Fresh(Claim),
    /// It has another place, or another text.
    Place(Claim),
    /// It is gone.
    Gone(Claim),
    /// It no longer stands; where it is, is not claimed.
    Nothing,
}

/// Whether what was claimed is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// It is.
    True,
    /// It is not.
    False,
}

/// How often what was said.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claims(Vec<Verdict>);

impl Claims {
    /// Of these.
    #[must_use]
    pub fn of(verdicts: Vec<Verdict>) -> Self {
        Self(verdicts)
    }

    /// The share of evidence that no longer stands, in truth, 0 to 1. It says how much was changed, not how good a system is.
    #[must_use]
    pub(crate) fn staleness_rate(&self) -> Option<f64> {
        self.share(|_| true, |one| !one.stands)
    }

    /// The share of what no longer stands and has a place that was found there, 0 to 1.
    #[must_use]
    pub(crate) fn repair_rate(&self) -> Option<f64> {
        self.share(
            |one| !one.stands && one.has_place,
            |one| one.said == Said::Place(Claim::True),
        )
    }

    /// The share of what no longer stands that [`Claims::repair_rate`] leaves out, 0 to 1.
    #[must_use]
    pub(crate) fn unrepairable_rate(&self) -> Option<f64> {
        self.share(|one| !one.stands, |one| !one.has_place)
    }

    /// The share of all evidence of which something was claimed that is not so, 0 to 1: a wrong place, fresh what is not, or
    /// gone what is there.
    #[must_use]
    pub fn false_claim_rate(&self) -> Option<f64> {
        self.share(|_| true, |one| one.said.claim() == Some(Claim::False))
    }

    /// Of what is claimed with full confidence, the share that is not so, 0 to 1. Undefined where nothing is.
    #[must_use]
    pub(crate) fn false_when_sure(&self) -> Option<f64> {
        let is_sure = |one: &Verdict| one.confidence.is_some_and(|sure| sure >= 1.0);
        self.share(
            |one| is_sure(one) && one.said.claim().is_some(),
            |one| one.said.claim() == Some(Claim::False),
        )
    }

    fn share(
        &self,
        of: impl Fn(&Verdict) -> bool,
        counts: impl Fn(&Verdict) -> bool,
    ) -> Option<f64> {
        let all = self.0.iter().filter(|one| of(one));
        let (all, counted) = all.fold((0, 0), |sum, one| {
            (sum.0 + 1, sum.1 + u64::from(counts(one)))
        });
        ratio(counted, all)
    }
}

impl Said {
    fn claim(self) -> Option<Claim> {
        match self {
            Self::Fresh(claim) | Self::Place(claim) | Self::Gone(claim) => Some(claim),
            Self::Nothing => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(stands: bool, has_place: bool, said: Said, confidence: Option<f64>) -> Verdict {
        Verdict {
            stands,
            has_place,
            said,
            confidence,
        }
    }

    #[test]
    fn rates_are_over_what_they_say() {
        let claims = Claims::of(vec![
            verdict(true, true, Said::Fresh(Claim::True), None),
            verdict(false, true, Said::Place(Claim::True), Some(1.0)),
            verdict(false, true, Said::Nothing, None),
            verdict(false, true, Said::Gone(Claim::False), Some(1.0)),
            verdict(false, false, Said::Gone(Claim::True), Some(1.0)),
        ]);
        assert_eq!(claims.staleness_rate(), Some(0.8));
        assert_eq!(claims.repair_rate(), Some(1.0 / 3.0));
        assert_eq!(claims.unrepairable_rate(), Some(0.25));
        assert_eq!(claims.false_claim_rate(), Some(0.2));
        // Three claims with full confidence, two of them true.
        assert_eq!(claims.false_when_sure(), Some(1.0 / 3.0));
        let unsure = verdict(false, true, Said::Place(Claim::False), Some(0.8));
        assert_eq!(Claims::of(vec![unsure]).false_when_sure(), None);
    }

    #[test]
    fn with_nothing_to_measure_they_are_undefined() {
        let none = Claims::default();
        assert_eq!(none.staleness_rate(), None);
        assert_eq!(none.false_claim_rate(), None);
        let stands = Claims::of(vec![verdict(true, true, Said::Fresh(Claim::True), None)]);
        assert_eq!(stands.repair_rate(), None);
        assert_eq!(stands.false_when_sure(), None);
    }
}
