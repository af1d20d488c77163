//! Whether the baseline is of what was measured.

use super::{ANY, Regression};
use crate::OURS;
use crate::results::{Baseline, Results};

/// What it is called where metrics are named.
const BASELINE: &str = "baseline";

/// That `baseline` is of something else, if so: nothing of it can be compared then.
pub(super) fn check(results: &Results, baseline: Option<&Baseline>) -> Option<Regression> {
    let is = results.unlike(baseline?)?;
    Some(Regression {
        archetype: ANY.to_owned(),
        metric: BASELINE.to_owned(),
        must: "the baseline is of what was measured".to_owned(),
        is: is.to_owned(),
        cases: Vec::new(),
        reproduce: results.reproduce(None, None, &[OURS]),
        about: super::about(results),
        is_of_baseline: true,
    })
}
