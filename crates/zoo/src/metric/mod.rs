//! Metrics: definition, unit and range of each, in this one place.
//!
//! An undefined value is neither good nor zero, and a gate on it fails. A useless system must not
//! score well: one that names nothing saves no tokens and is as wrong as one that names everything.
//! A failed answer counts as an empty one. If a system states its confidence for some answers only,
//! the others count as half confident.

mod claims;
pub mod ranking;
mod shown;

use serde::{Deserialize, Serialize};

pub use claims::{Claim, Claims, Said, Verdict};
pub(crate) use shown::says;
pub use shown::{Lines, Seen, Shown, ShownSpan, shown, weight};

/// Token budget of an answer.
pub const BUDGET: u64 = 2_000;

/// Recall within smaller budgets of the same answer, in ascending order.
pub(crate) const CURVE: [(Metric, u64); 3] = [
    (Metric::RecallAt500Tokens, 500),
    (Metric::RecallAt1000Tokens, 1_000),
    (Metric::RecallAtTokens, BUDGET),
];

/// Number of calls to assume if two do not reach the goal.
pub(crate) const NOT_REACHED: f64 = 3.0;

macro_rules! metrics {
    ($($variant:ident $name:literal $unit:literal $better:ident [$low:expr, $high:expr] $means:literal;)*) => {
        /// Metric. Its name is the same in results, gates and reports.
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

/// Definition of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Definition {
    /// Unit.
    pub unit: &'static str,
    /// Direction of better values.
    pub better: Better,
    /// Smallest and largest possible value.
    pub range: (f64, f64),
    /// Meaning of the value, and when it is undefined.
    pub means: &'static str,
}

/// Direction of better values of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Larger values are better.
    More,
    /// Smaller values are better.
    Less,
    /// Neither: the metric describes the material, not a system.
    Neither,
}

impl Better {
    /// Returns a value that is larger for better values.
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
        "Calls until what is needed to begin is in view. Of a question: 1 where the answer shows a wanted place, within 2,000 tokens, and one in each wanted file where only all of them together answer; 2 where those files are among the first 10 that are named (also as what comes nearest, by who says that nothing answers), so that one more call shows it; 3 where two calls do not lead there. Of a runbook: 1 where the beginning of everything that was noted is shown, 2 where the next page has the rest, else 3. Undefined where nothing is wanted.";
    NotReached "not_reached" "share" Less [0.0, 1.0]
        "1 where two calls do not lead to what is needed (calls_to_action 3), else 0: its mean is the share of the cases in which an agent is left to itself. Undefined where nothing is wanted.";
    TokenSaved "token_saved" "share" More [-1.0, 1.0]
        "What is saved of the tokens somebody would have had to read without the answer: (otherwise - with it) / the larger of both. Half as much is 0.5, twice as much -0.5; so no case outweighs others because little is read there otherwise. Otherwise, files are opened as a whole in the order in which a plain search for the words of the question names them (most words first, also in their names), until all that hold a wanted place are open. With the answer, all that is printed is read (of a system that prints lines alone, these, within 2,000 tokens); as long as wanted lines are not among it, files are opened as a whole: first the 10 that it names first, in its order, but those that it shows all of, then those of the plain search. A name thus costs all that stands before it, and who says nothing, or fails, saves 0. Of a runbook: otherwise, the files that hold what was noted are read as a whole; with it, the pages that have to be read, and those of the files that they do not show all of it from. Undefined where nothing is wanted.";
    NoiseRatio "noise_ratio" "share" Less [0.0, 1.0]
        "Of the tokens shown within 2,000 in lines that say something (have a letter or a digit), the share in those that are not wanted; lines with a planted secret value, and files of which nobody can say whether they are wanted, count for neither. Undefined where none is shown.";
    ContextEfficiency "context_efficiency" "share" More [0.0, 1.0]
        "Tokens of wanted lines, divided by the tokens shown until the last of them, within 2,000. 0 where nothing wanted is shown. Undefined where nothing is wanted.";
    RecallAtTokens "recall_at_2000_tokens" "share" More [0.0, 1.0]
        "The share of the wanted lines, those with a letter or digit, that is shown within 2,000 tokens of o200k_base. Undefined where nothing is wanted.";
    RecallAt1000Tokens "recall_at_1000_tokens" "share" More [0.0, 1.0]
        "The same within 1,000 tokens of the same answer.";
    RecallAt500Tokens "recall_at_500_tokens" "share" More [0.0, 1.0]
        "The same within 500 tokens of the same answer.";
    RecallAt5 "recall_at_5" "share" More [0.0, 1.0]
        "The share of the wanted files among the first 5 that are named. Undefined where nothing is wanted.";
    SuccessAt1 "success_at_1" "share" More [0.0, 1.0]
        "1 where the first file named is wanted, else 0. Undefined where nothing is wanted.";
    SuccessAt5 "success_at_5" "share" More [0.0, 1.0]
        "1 where one of the first 5 files named is wanted, else 0. Undefined where nothing is wanted.";
    Mrr "mrr" "share" More [0.0, 1.0]
        "1 divided by the rank of the first wanted file; 0 where none is named. Undefined where nothing is wanted.";
    Ndcg "ndcg" "share" More [0.0, 1.0]
        "Normalised discounted cumulative gain of the files named, with linear gain, as trec_eval has it. Undefined where nothing is wanted.";
    Map "map" "share" More [0.0, 1.0]
        "Average precision of the files named. Undefined where nothing is wanted.";
    NothingSaid "nothing_said" "share" More [0.0, 1.0]
        "Where nothing is wanted: 1 where the system answers with no place, whatever it names as coming nearest, else 0; 0 where it fails. Undefined where something is wanted.";
    FalselyNothing "falsely_nothing" "share" Less [0.0, 1.0]
        "Where something is wanted: 1 where the system answers with no place, else 0. Undefined where nothing is wanted.";
    GateError "gate_error" "share" Less [0.0, 1.0]
        "How far the confidence of an answer is off, squared (a Brier score). Where the first file it names is wanted, from 1; where nothing is wanted, from 0. Where something is wanted, and the first file is another or there is none, from whichever is farther: who is sure misleads, and who is not says that nothing is here, which is as wrong. It is least for who says, above 0.5, how likely the first file is wanted, and below, how likely anything is. To say 0.5 of everything is 0.25; to say nothing, and 0, is 1 wherever something is wanted. Of an answer without one, a system that says one of any other is taken to say 0.5; where it fails, this is 1. Undefined for who says none at all.";
    StalenessRate "staleness_rate" "share" Neither [0.0, 1.0]
        "The share of the captured evidence that no longer stands, in truth. Undefined where nothing was captured.";
    RepairRate "repair_rate" "share" More [0.0, 1.0]
        "Of the evidence that no longer stands and can be found again, the share that was found there. What can be found again has at least half of its lines left, as they were or edited; what was deleted, replaced or has less left is not counted here but by unrepairable_rate, and whatever is claimed of it by false_claim_rate. Undefined where there is none.";
    UnrepairableRate "unrepairable_rate" "share" Neither [0.0, 1.0]
        "The share of the evidence that no longer stands that repair_rate leaves out: it is gone, or less than half of its lines are left. Undefined where all of it stands.";
    FalseClaimRate "false_claim_rate" "share" Less [0.0, 1.0]
        "The share of the captured evidence of which something is claimed that is not so: a wrong place, fresh what does not stand unchanged where it stood, gone what is there, moved what was edited, or edited what was not. Places are held against the very lines, where an edit says which they are. Undefined where nothing was captured.";
    FalseWhenSure "false_when_sure" "share" Less [0.0, 1.0]
        "Of what is claimed with full confidence (that a text moved as it was, or is gone), the share that is not so. How sure answers to questions are is measured by gate_error. Undefined where nothing is claimed so.";
    Stability "stability" "share" More [0.0, 1.0]
        "The share of repetitions that give the same as the first, by digest. Of a question: one, in a workspace that is opened anew, with another number of threads; of a sample in another folder with the same files, too; of a program that is measured, in another process of it. Of a runbook: four, with other numbers of jobs, two of them in another folder. Undefined where nothing was repeated.";
    BudgetOverflow "budget_overflow" "tokens" Less [0.0, NO_END]
        "By how many tokens what was printed is larger than the budget it was given, 2,000. Undefined where a system failed.";
    SecretLeaks "secret_leaks" "secrets" Less [0.0, NO_END]
        "How many of the planted secret values are in what was printed; where a program is measured, in the lines of the places that it names. Undefined where none was planted, and where a system failed.";
    Failed "failed" "share" Less [0.0, 1.0]
        "1 where the case failed (the system did not answer, the case itself is wrong, or what it takes could not be made), else 0. Whatever gates there are, nothing of ours may fail.";
    Latency "latency_ms" "ms" Less [0.0, NO_END]
        "From asking to having the answer, in milliseconds, on this machine. No part of digests or baselines.";
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

    /// Returns the worst possible value, or `None` if there is no limit or no better side.
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
    /// Returns the metric called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.name() == name)
    }

    /// Returns true if the value depends on the machine, so that it is excluded from baselines and
    /// digests.
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
