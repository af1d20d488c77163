//! Measures claims about evidence that may have changed.

use super::shown::ratio;

/// The truth about a piece of evidence, with the claim of a system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// True if the text has not changed and has not moved since it was captured.
    pub stands: bool,
    /// True if the evidence still exists, perhaps changed. This is false if it was deleted, or if
    /// less than half of it is left.
    pub has_place: bool,
    /// The claim, which may be true or false.
    pub said: Said,
    /// How confident the system is about a location or a deletion, from 0 to 1.
    pub confidence: Option<f64>,
}

/// Claims that a system may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// The evidence is still there, and has not changed.
    Fresh(Claim),
    /// The evidence is somewhere else, or its text has changed.
    Place(Claim),
    /// The evidence is gone.
    Gone(Claim),
    /// The evidence is stale, but the system doesn't know where it is now.
    Nothing,
}

/// Tells if a claim is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The claim is true.
    True,
    /// The claim is false.
    False,
}

/// Verdicts on evidence, which the rates are computed from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claims(Vec<Verdict>);

impl Claims {
    /// Takes a verdict for each piece of evidence.
    #[must_use]
    pub fn of(verdicts: Vec<Verdict>) -> Self {
        Self(verdicts)
    }

    /// The share of evidence that really is stale, from 0 to 1. This tells how much has changed,
    /// and doesn't depend on the system.
    #[must_use]
    pub(crate) fn staleness_rate(&self) -> Option<f64> {
        self.share(|_| true, |one| !one.stands)
    }

    /// Among stale evidence that still exists, the share for which the system names the right
    /// location, from 0 to 1.
    #[must_use]
    pub(crate) fn repair_rate(&self) -> Option<f64> {
        self.share(
            |one| !one.stands && one.has_place,
            |one| one.said == Said::Place(Claim::True),
        )
    }

    /// Among stale evidence, the share that doesn't exist anymore, from 0 to 1.
    /// [`repair_rate`](Self::repair_rate) doesn't count this.
    #[must_use]
    pub(crate) fn unrepairable_rate(&self) -> Option<f64> {
        self.share(|one| !one.stands, |one| !one.has_place)
    }

    /// The share of evidence with a false claim, from 0 to 1. It's false to name the wrong
    /// location, to call stale evidence `fresh`, or to call evidence `gone` if it isn't.
    #[must_use]
    pub fn false_claim_rate(&self) -> Option<f64> {
        self.share(|_| true, |one| one.said.claim() == Some(Claim::False))
    }

    /// Among claims made with full confidence, the share of false ones, from 0 to 1. `None` if
    /// there are no such claims.
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
        // Three claims were made with full confidence, and one of them is false.
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
