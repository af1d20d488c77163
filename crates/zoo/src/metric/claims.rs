//! Metrics for claims about evidence that may have changed.

use super::shown::ratio;

/// The truth about a piece of evidence, and a system's claim about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// True if the text is unchanged at its captured location.
    pub stands: bool,
    /// True if the evidence has a location now, changed or not. False if it was deleted or less
    /// than half of it is left.
    pub has_place: bool,
    /// The claim about the evidence, which may be true or false.
    pub said: Said,
    /// Confidence in a claimed location or deletion, from 0 to 1.
    pub confidence: Option<f64>,
}

/// A system's claim about a piece of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// The evidence is unchanged at its location.
    Fresh(Claim),
    /// The evidence is at a new location or has a changed text.
    Place(Claim),
    /// The evidence was deleted.
    Gone(Claim),
    /// The evidence is stale, and the system names no location.
    Nothing,
}

/// The truth of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The claim is true.
    True,
    /// The claim is false.
    False,
}

/// Verdicts to compute rates from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claims(Vec<Verdict>);

impl Claims {
    /// Creates claims from `verdicts`.
    #[must_use]
    pub fn of(verdicts: Vec<Verdict>) -> Self {
        Self(verdicts)
    }

    /// Returns the share of evidence that is really stale, from 0 to 1. It describes the amount of
    /// change, not the quality of a system.
    #[must_use]
    pub(crate) fn staleness_rate(&self) -> Option<f64> {
        self.share(|_| true, |one| !one.stands)
    }

    /// Returns the share of correct locations, from 0 to 1, among the stale evidence that still has
    /// one.
    #[must_use]
    pub(crate) fn repair_rate(&self) -> Option<f64> {
        self.share(
            |one| !one.stands && one.has_place,
            |one| one.said == Said::Place(Claim::True),
        )
    }

    /// Returns the share of stale evidence without a location, from 0 to 1. [`Claims::repair_rate`]
    /// leaves this evidence out.
    #[must_use]
    pub(crate) fn unrepairable_rate(&self) -> Option<f64> {
        self.share(|one| !one.stands, |one| !one.has_place)
    }

    /// Returns the share of all evidence with a false claim, from 0 to 1. A wrong location is a
    /// false claim, and so are `fresh` for stale evidence and `gone` for existing evidence.
    #[must_use]
    pub fn false_claim_rate(&self) -> Option<f64> {
        self.share(|_| true, |one| one.said.claim() == Some(Claim::False))
    }

    /// Returns the share of false claims among those with full confidence, from 0 to 1, or `None`
    /// if there are none.
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
    fn rates_use_their_own_denominators() {
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
        // Three claims have full confidence, and one of them is false.
        assert_eq!(claims.false_when_sure(), Some(1.0 / 3.0));
        let unsure = verdict(false, true, Said::Place(Claim::False), Some(0.8));
        assert_eq!(Claims::of(vec![unsure]).false_when_sure(), None);
    }

    #[test]
    fn rates_without_evidence_are_undefined() {
        let none = Claims::default();
        assert_eq!(none.staleness_rate(), None);
        assert_eq!(none.false_claim_rate(), None);
        let stands = Claims::of(vec![verdict(true, true, Said::Fresh(Claim::True), None)]);
        assert_eq!(stands.repair_rate(), None);
        assert_eq!(stands.false_when_sure(), None);
    }
}
