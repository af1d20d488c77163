//! Defines all metrics, with their units and ranges.
//!
//! If a value is undefined, that is neither good nor zero, and a gate on it fails. We have chosen
//! the metrics such that a useless system cannot do well: if it names no files, it saves no tokens,
//! and naming all files does not help either. A failed answer counts as an empty one. If a system
//! only states its confidence for some answers, we assume 0.5 for the others.

mod claims;
pub mod ranking;
mod shown;

use serde::{Deserialize, Serialize};

pub use claims::{Claim, Claims, Said, Verdict};
pub(crate) use shown::says;
pub use shown::{Lines, Seen, Shown, ShownSpan, shown, weight};

/// The number of tokens that an answer may have.
pub const BUDGET: u64 = 2_000;

/// Metrics for the recall within smaller budgets of the same answer, smallest first.
pub(crate) const CURVE: [(Metric, u64); 3] = [
    (Metric::RecallAt500Tokens, 500),
    (Metric::RecallAt1000Tokens, 1_000),
    (Metric::RecallAtTokens, BUDGET),
];

/// If two calls are not enough, we count this many.
pub(crate) const NOT_REACHED: f64 = 3.0;

macro_rules! metrics {
    ($($variant:ident $name:literal $unit:literal $better:ident [$low:expr, $high:expr] $means:literal;)*) => {
        /// A metric. Its name is used in results, gates and reports.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Metric {
            $(#[doc = $means] #[serde(rename = $name)] $variant,)*
        }

        impl Metric {
            /// All metrics, in display order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the definition.
            #[must_use]
            pub fn definition(self) -> Definition {
                match self {
                    $(Self::$variant => Definition {
                        unit: $unit, better: Better::$better, range: ($low, $high), means: $means,
                    },)*
                }
            }
        }
    };
}

/// The meaning, the unit and the range of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Definition {
    /// The unit, which is printed after a value.
    pub unit: &'static str,
    /// Tells if larger or smaller values are better.
    pub better: Better,
    /// The smallest and the largest possible value.
    pub range: (f64, f64),
    /// Meaning of the value, and the cases in which it is not defined.
    pub means: &'static str,
}

/// Tells which values of a metric are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Larger values are better, as for a recall.
    More,
    /// Smaller values are better.
    Less,
    /// Neither, because the metric is about the sample rather than a system.
    Neither,
}

impl Better {
    /// Converts a value to one that is larger if it is better.
    #[must_use]
    pub(crate) fn merit(self, value: f64) -> f64 {
        match self {
            Self::Less => -value,
            Self::More | Self::Neither => value,
        }
    }
}

const NO_END: f64 = f64::INFINITY;

metrics! {
    CallsToAction "calls_to_action" "calls" Less [1.0, NOT_REACHED]
        "Calls until the wanted lines are in view. For a question: 1 if the answer shows a wanted line within 2,000 tokens (in each wanted file, if only all of them together answer); 2 if these files are among the first 10 named ones, nearest files included, so that one more call shows them; else 3. For a runbook: 1 if the first line of every anchor is shown, 2 if the next page has the rest, else 3. Undefined if nothing is wanted.";
    NotReached "not_reached" "share" Less [0.0, 1.0]
        "1 if two calls do not reach the goal (calls_to_action is 3), else 0. The mean is the share of cases in which an agent gets no help. Undefined if nothing is wanted.";
    TokenSaved "token_saved" "share" More [-1.0, 1.0]
        "Share of tokens saved: the tokens read without the answer minus those read with it, divided by the larger of both. Half as many tokens give 0.5, twice as many -0.5, so that no case outweighs others. Without the answer, whole files are opened in the order of a plain search for the words of the question (files with most words first, names included) until all wanted files are open. With the answer, all printed text is read (or the lines of the locations, within 2,000 tokens). While wanted lines are missing, whole files are opened: first the 10 that the answer names, except files that it shows completely, then those of the plain search. A wrong name thus costs its file, and an empty or failed answer saves 0. For a runbook: without it, the files of the anchors are read; with it, the necessary pages and the files with missing lines. Undefined if nothing is wanted.";
    NoiseRatio "noise_ratio" "share" Less [0.0, 1.0]
        "Share of unwanted lines among the tokens shown within 2,000, counting only lines with a letter or digit. Lines with a planted secret value and neutral files are not counted. Undefined if no such line is shown.";
    ContextEfficiency "context_efficiency" "share" More [0.0, 1.0]
        "Tokens of wanted lines, divided by the tokens shown up to the last of them, within 2,000. 0 if no wanted line is shown. Undefined if nothing is wanted.";
    RecallAtTokens "recall_at_2000_tokens" "share" More [0.0, 1.0]
        "Share of the wanted lines with a letter or digit that is shown within 2,000 tokens of o200k_base. Undefined if nothing is wanted.";
    RecallAt1000Tokens "recall_at_1000_tokens" "share" More [0.0, 1.0]
        "The same within 1,000 tokens of the same answer.";
    RecallAt500Tokens "recall_at_500_tokens" "share" More [0.0, 1.0]
        "The same within 500 tokens of the same answer.";
    RecallAt5 "recall_at_5" "share" More [0.0, 1.0]
        "Share of the wanted files among the first 5 named files. Undefined if nothing is wanted.";
    SuccessAt1 "success_at_1" "share" More [0.0, 1.0]
        "1 if the first named file is wanted, else 0. Undefined if nothing is wanted.";
    SuccessAt5 "success_at_5" "share" More [0.0, 1.0]
        "1 if one of the first 5 named files is wanted, else 0. Undefined if nothing is wanted.";
    Mrr "mrr" "share" More [0.0, 1.0]
        "1 divided by the rank of the first wanted file; 0 if none is named. Undefined if nothing is wanted.";
    Ndcg "ndcg" "share" More [0.0, 1.0]
        "Normalised discounted cumulative gain of the named files, with linear gain, as in trec_eval. Undefined if nothing is wanted.";
    Map "map" "share" More [0.0, 1.0]
        "Average precision of the named files. Undefined if nothing is wanted.";
    NothingSaid "nothing_said" "share" More [0.0, 1.0]
        "If nothing is wanted: 1 if the answer has no location, even if it names nearest files, else 0; 0 if the system fails. Undefined if something is wanted.";
    FalselyNothing "falsely_nothing" "share" Less [0.0, 1.0]
        "If something is wanted: 1 if the answer has no location, else 0. Undefined if nothing is wanted.";
    GateError "gate_error" "share" Less [0.0, 1.0]
        "Squared error of the confidence of an answer (a Brier score). The right confidence is 1 if the first named file is wanted, and 0 if nothing is wanted. If something is wanted but the first file is wrong or missing, the error is the larger of both distances: high confidence misleads, and low confidence claims that nothing is there. A constant confidence of 0.5 gives 0.25; an empty answer with confidence 0 gives 1 if something is wanted. An answer without confidence counts as 0.5 if the system states one for other answers, and a failed answer as 1. Undefined for a system that never states its confidence.";
    StalenessRate "staleness_rate" "share" Neither [0.0, 1.0]
        "Share of the captured evidence that is stale in truth. Undefined if nothing was captured.";
    RepairRate "repair_rate" "share" More [0.0, 1.0]
        "Share of the stale but repairable evidence that is located correctly. Evidence is repairable if at least half of its lines remain, unchanged or edited. Deleted, replaced or smaller evidence counts in unrepairable_rate, and all claims about it in false_claim_rate. Undefined without repairable evidence.";
    UnrepairableRate "unrepairable_rate" "share" Neither [0.0, 1.0]
        "Share of the stale evidence that repair_rate omits: it is deleted, or less than half of its lines remain. Undefined if no evidence is stale.";
    FalseClaimRate "false_claim_rate" "share" Less [0.0, 1.0]
        "Share of the captured evidence with a false claim: a wrong location, `fresh` for changed evidence, `gone` for existing evidence, `moved` for edited text or `edited` for unchanged text. Locations are compared line by line if the edit determines them. Undefined if nothing was captured.";
    FalseWhenSure "false_when_sure" "share" Less [0.0, 1.0]
        "Share of false claims among those with full confidence (that a text moved unchanged or is gone). The confidence of answers to questions is measured by gate_error. Undefined without such claims.";
    Stability "stability" "share" More [0.0, 1.0]
        "Share of repetitions with the same output, by digest. A question is repeated once: in a newly opened workspace with another number of threads, for samples in another folder with the same files, and for programs in another process. A runbook is repeated four times, with other numbers of jobs, twice in another folder. Undefined without repetitions.";
    BudgetOverflow "budget_overflow" "tokens" Less [0.0, NO_END]
        "Tokens of output beyond the budget of 2,000. Undefined if the system failed.";
    SecretLeaks "secret_leaks" "secrets" Less [0.0, NO_END]
        "Number of planted secret values in the output; for a program, in the lines of its locations. Undefined if none was planted or the system failed.";
    Failed "failed" "share" Less [0.0, 1.0]
        "1 if the case failed (no answer, an invalid case, or a failed setup), else 0. No gate can allow a failure of Windlass.";
    Latency "latency_ms" "ms" Less [0.0, NO_END]
        "Time from question to answer in milliseconds, on this machine. Not part of digests or baselines.";
}

impl Definition {
    /// Returns the range in words.
    #[must_use]
    pub fn within(&self) -> String {
        match self.range {
            (low, high) if low.is_infinite() => format!("up to {high}"),
            (low, high) if high.is_infinite() => format!("{low} and more"),
            (low, high) => format!("{low} to {high}"),
        }
    }

    /// Returns the worst possible value, or `None` if there is no limit, or if no direction is
    /// better.
    #[must_use]
    pub fn worst(&self) -> Option<f64> {
        let worst = match self.better {
            Better::More => self.range.0,
            Better::Less => self.range.1,
            Better::Neither => return None,
        };
        worst.is_finite().then_some(worst)
    }
}

impl Metric {
    /// Finds a metric by its name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.name() == name)
    }

    /// True if the value depends on the machine. If so, it is not part of baselines and digests.
    #[must_use]
    pub(crate) fn is_timing(self) -> bool {
        self == Self::Latency
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_a_definition() {
        for metric in Metric::ALL {
            assert_eq!(Metric::named(metric.name()), Some(*metric));
            let json = serde_json::to_value(metric).unwrap();
            assert_eq!(json, metric.name());
            let Definition { range, means, .. } = metric.definition();
            assert!(range.0 < range.1, "{}", metric.name());
            assert!(means.ends_with('.'), "{}", metric.name());
        }
        let worst = |metric: Metric| metric.definition().worst();
        assert_eq!(worst(Metric::CallsToAction), Some(NOT_REACHED));
        assert_eq!(worst(Metric::Mrr), Some(0.0));
        assert_eq!(worst(Metric::SecretLeaks), None, "there is no end");
        assert_eq!(worst(Metric::StalenessRate), None, "neither is worse");
        assert_eq!(Metric::named("recal"), None);
    }
}
