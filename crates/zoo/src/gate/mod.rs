//! Gates are what we demand of results.
//!
//! For example, a gate may demand that the mean recall is at least 0.8, or that Windlass is ahead
//! of `rg`. If Windlass itself fails in a case, that is always a violation, whatever the gates say.

mod baseline_gates;
mod gates_file;
mod shipped_gates;

use serde::{Deserialize, Serialize};
use windlass_base::counted;

pub use baseline_gates::{changelog_line, named_in};
pub use gates_file::read_gates;
pub use shipped_gates::GATES;

use crate::metric::Better;
use crate::results::{Baseline, CaseResult, Choice, Results};
use crate::stats::{Summary, number};
use crate::{Kind, Metric, OURS};

/// Stands for the archetype in a violation that is not about a single one.
const ANY: &str = "any";

/// Everything that we demand of the results of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gates {
    /// Limits for single metrics.
    pub gates: Vec<Gate>,
    /// True if the output must be the same as in the run that wrote the baseline.
    pub same_as_baseline: bool,
}

/// The outcome of checking gates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// Gates that hold, with the measured values.
    pub held: Vec<Held>,
    /// Gates that are violated, with the worst cases.
    pub broken: Vec<Regression>,
}

/// A gate that holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// The archetype that we checked.
    pub archetype: String,
    /// The metric, with its name in `gates.toml`.
    pub metric: String,
    /// Condition of the gate, in words.
    pub must: String,
    /// The measured value, in words.
    pub is: String,
}

/// Limits for one metric.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "gates_file::WrittenGate")]
pub struct Gate {
    /// The metric whose values we check.
    pub metric: Metric,
    /// The archetypes to check, one by one. If there are none, we check all archetypes with the
    /// metric.
    pub archetypes: Vec<String>,
    /// Archetypes that are not checked.
    pub except: Vec<String>,
    /// The kinds of questions that we check together. If there are none, we check all cases.
    pub kinds: Vec<Kind>,
    /// The only case to check, or `None` for all of them.
    pub case: Option<String>,
    /// Statistic that makes a single number of the values.
    pub of: Number,
    /// Limit for this number.
    pub must: Must,
}

windlass_base::word_enum! {
    /// Ways to get a single number from the values of a metric.
    Number, "statistic" {
        /// Mean of all cases.
        Mean = "mean",
        /// Median of all cases.
        P50 = "p50",
        /// The largest value that 95 % of the cases reach.
        P5 = "p5",
        /// The smallest value that 95 % of the cases do not exceed.
        P95 = "p95",
        /// Minimum of all cases.
        Min = "min",
        /// Maximum of all cases.
        Max = "max",
    }
}

/// Limit of a gate for a number.
#[derive(Debug, Clone, PartialEq)]
pub enum Must {
    /// The number must be at least this.
    AtLeast(f64),
    /// The number must be at most this.
    AtMost(f64),
    /// The mean must be better than that of each of these systems, by more than chance would
    /// explain.
    BeAheadOf(Vec<String>),
    /// The mean must not be worse than that of each of these systems, over the same cases. Here,
    /// chance is no excuse.
    BeNoWorseThan(Vec<String>),
    /// The mean may be worse than in the baseline, but by no more than this.
    LoseAtMost(f64),
}

/// A gate that is violated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Regression {
    /// The archetype that we checked.
    pub archetype: String,
    /// Name of the metric, or `output` if it is about the whole output.
    pub metric: String,
    /// Condition of the gate, in words.
    pub must: String,
    /// The measured value, in words.
    pub is: String,
    /// The worst cases, at most three.
    pub cases: Vec<String>,
    /// A command that runs just the worst case.
    pub reproduce: String,
    /// True if it is only the baseline that is different. Writing a new one resolves this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_baseline: bool,
}

/// Checks `results`. If a value is missing or undefined, its gate is violated: a test that never
/// ran must not look like a success.
///
/// The failures of Windlass come first, since no gate can permit those. Then there are the gates
/// that are violated, and metrics that only have a value in the baseline.
#[must_use]
pub fn check(gates: &Gates, results: &Results, baseline: Option<&Baseline>) -> Checked {
    let mut checked = Checked {
        broken: failed(results),
        held: Vec::new(),
    };
    let all = results.archetypes();
    for gate in &gates.gates {
        let meant: Vec<&str> = match gate.archetypes.is_empty() {
            true => all
                .iter()
                .copied()
                .filter(|one| !gate.except.iter().any(|except| except == one))
                .filter(|one| results.summary(gate.metric, gate.choice(one)).is_some())
                .collect(),
            false => gate.archetypes.iter().map(String::as_str).collect(),
        };
        if meant.is_empty() {
            let is = "never measured".to_owned();
            checked.broken.push(regression(gate, results, None, is));
        }
        for archetype in meant {
            match gate.judged(archetype, results, baseline) {
                Ok(is) => checked.held.push(Held {
                    archetype: archetype.to_owned(),
                    metric: gate.metric.name().to_owned(),
                    must: gate.must(),
                    is,
                }),
                Err(is) => {
                    let broken = regression(gate, results, Some(archetype), is);
                    checked.broken.push(broken);
                }
            }
        }
    }
    if gates.same_as_baseline {
        baseline_gates::check_output(results, baseline, &mut checked);
    }
    if let Some(baseline) = baseline {
        baseline_gates::check_lost(results, baseline, &mut checked);
    }
    checked
}

impl Checked {
    /// The violations that a new baseline would not resolve.
    pub fn not_of_baseline(&self) -> impl Iterator<Item = &Regression> {
        self.broken.iter().filter(|one| !one.is_of_baseline)
    }
}

/// Reports the archetypes in which Windlass has failed.
fn failed(results: &Results) -> Vec<Regression> {
    let gate = Gate {
        metric: Metric::Failed,
        archetypes: Vec::new(),
        except: Vec::new(),
        kinds: Vec::new(),
        case: None,
        of: Number::Max,
        must: Must::AtMost(0.0),
    };
    let all = results.archetypes().into_iter();
    let broken = all.filter_map(|archetype| {
        let cases = results.chosen(gate.choice(archetype));
        let why: Vec<&str> = cases.filter_map(|case| case.failure.as_deref()).collect();
        let first = why.first()?;
        let is = format!("{}; the first: {first}", counted(why.len(), "failed case"));
        let must = "no case of Windlass fails".to_owned();
        Some(Regression {
            must,
            ..regression(&gate, results, Some(archetype), is)
        })
    });
    broken.collect()
}

impl Gate {
    fn choice<'a>(&'a self, archetype: &'a str) -> Choice<'a> {
        Choice {
            archetype: Some(archetype),
            system: OURS,
            kinds: &self.kinds,
            case: self.case.as_deref(),
        }
    }

    /// Returns the measured value in words, as an error if it violates the gate.
    fn judged(
        &self,
        archetype: &str,
        results: &Results,
        baseline: Option<&Baseline>,
    ) -> Result<String, String> {
        let Some(summary) = results.summary(self.metric, self.choice(archetype)) else {
            return Err("not measured".to_owned());
        };
        let Some(value) = self.of.take(&summary) else {
            return Err(match summary.undefined {
                1 => "undefined in its only case".to_owned(),
                all => format!("undefined in all {all} cases"),
            });
        };
        let holds = |holds: bool| match holds {
            true => Ok(number(value)),
            false => Err(number(value)),
        };
        let all = |systems: &[String]| {
            let each = systems.iter();
            let told = each.map(|system| self.against(archetype, results, system));
            let told: Result<Vec<String>, String> = told.collect();
            told.map(|told| told.join("; "))
        };
        match &self.must {
            Must::AtLeast(least) => holds(value >= *least),
            Must::AtMost(most) => holds(value <= *most),
            Must::BeAheadOf(systems) | Must::BeNoWorseThan(systems) => all(systems),
            Must::LoseAtMost(most) => self.lost(archetype, value, baseline, *most),
        }
    }

    /// Returns the comparison with `system` in words, as an error if it violates the gate.
    fn against(&self, archetype: &str, results: &Results, system: &str) -> Result<String, String> {
        let other = Choice {
            system,
            ..self.choice(archetype)
        };
        let mut others = results.chosen(other).peekable();
        if others.peek().is_some() && others.all(|case| case.failure.is_some()) {
            return Err(format!(
                "nothing to compare with: `{system}` failed in every case"
            ));
        }
        let Some(compared) = results.compared(self.metric, self.choice(archetype), system) else {
            return Err(format!("nothing to compare with `{system}`"));
        };
        let ahead = match self.metric.definition().better {
            Better::Less => -compared.difference,
            Better::More | Better::Neither => compared.difference,
        };
        let mut interval = format!("{} against `{system}`", signed(compared.difference));
        if let Some((low, high)) = compared.interval {
            interval += &format!(", 95 % within {} to {}", signed(low), signed(high));
        }
        let is_level = ahead >= -1e-9;
        match &self.must {
            Must::BeNoWorseThan(_) if is_level => Ok(interval),
            Must::BeAheadOf(_) if ahead > 0.0 && compared.is_noise => {
                Err(match compared.too_few() {
                    Some(few) => format!("{interval}: {few}"),
                    None => format!("{interval}: it may be chance"),
                })
            }
            Must::BeAheadOf(_) if ahead > 0.0 => Ok(interval),
            _ => Err(interval),
        }
    }

    fn lost(
        &self,
        archetype: &str,
        value: f64,
        baseline: Option<&Baseline>,
        most: f64,
    ) -> Result<String, String> {
        let means = &baseline.ok_or("no baseline")?.means;
        let before = means
            .get(archetype)
            .and_then(|means| means.get(&self.metric));
        // If the baseline has no value, we can't prove that nothing was lost.
        let Some(before) = before.copied().flatten() else {
            return Err("the baseline has no value for it".to_owned());
        };
        let lost = match self.metric.definition().better {
            Better::Less => value - before,
            Better::More => before - value,
            Better::Neither => (value - before).abs(),
        };
        let is = format!("{}, was {}", number(value), number(before));
        match lost > most + 1e-9 {
            true => Err(format!("{is}: {} worse", number(lost))),
            false => Ok(is),
        }
    }

    fn must(&self) -> String {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.as_str()).collect();
        let of = match (&self.case, kinds.is_empty()) {
            (Some(case), _) => format!(" of the case `{case}`"),
            (None, true) => String::new(),
            (None, false) => format!(" of {}", kinds.join(", ")),
        };
        format!("{}{of}", self.demand())
    }

    fn demand(&self) -> String {
        match &self.must {
            Must::AtLeast(least) => format!("{} at least {}", self.of, number(*least)),
            Must::AtMost(most) => format!("{} at most {}", self.of, number(*most)),
            Must::BeAheadOf(systems) => format!("ahead of {}", systems.join(", ")),
            Must::BeNoWorseThan(systems) => format!("no worse than {}", systems.join(", ")),
            Must::LoseAtMost(most) => {
                format!("no more than {} worse than the baseline", number(*most))
            }
        }
    }
}

impl Number {
    fn take(self, summary: &Summary) -> Option<f64> {
        match self {
            Self::Mean => summary.mean,
            Self::P50 => summary.p50,
            Self::P5 => summary.p5,
            Self::P95 => summary.p95,
            Self::Min => summary.min,
            Self::Max => summary.max,
        }
    }
}

/// Reports a violation with the worst cases. `archetype` is `None` if it is not about a single one.
fn regression(gate: &Gate, results: &Results, archetype: Option<&str>, is: String) -> Regression {
    let better = gate.metric.definition().better;
    let chosen = archetype.map(|archetype| results.chosen(gate.choice(archetype)));
    let mut cases: Vec<(&CaseResult, Option<f64>)> = chosen
        .into_iter()
        .flatten()
        .filter_map(|case| Some((case, *case.values.get(&gate.metric)?)))
        .collect();
    // If there's a value in any case, the gate isn't violated because of the undefined ones.
    if cases.iter().any(|(_, value)| value.is_some()) {
        cases.retain(|(_, value)| value.is_some());
    }
    let merit = |value: Option<f64>| value.map_or(f64::NEG_INFINITY, |value| better.merit(value));
    cases.sort_by(|one, other| merit(one.1).total_cmp(&merit(other.1)));
    let told = |(case, value): &(&CaseResult, Option<f64>)| {
        let value = value.map_or("undefined".to_owned(), number);
        format!("{}: {value}", case.case)
    };
    let against: Vec<&str> = match &gate.must {
        Must::BeAheadOf(systems) | Must::BeNoWorseThan(systems) => {
            systems.iter().map(String::as_str).collect()
        }
        _ => Vec::new(),
    };
    let worst = cases.first().map(|(case, _)| &*case.case);
    Regression {
        archetype: archetype.unwrap_or(ANY).to_owned(),
        metric: gate.metric.name().to_owned(),
        must: gate.must(),
        is,
        cases: cases.iter().take(3).map(told).collect(),
        reproduce: results.reproduce(archetype, worst, &against),
        is_of_baseline: matches!(gate.must, Must::LoseAtMost(_)),
    }
}

fn signed(value: f64) -> String {
    match value < 0.0 {
        true => number(value),
        false => format!("+{}", number(value)),
    }
}

#[cfg(test)]
mod tests;
