//! Gates and their violations. A gate is a requirement on results.
//!
//! For example, a gate may demand a mean recall of at least 0.8, or that Windlass is ahead of `rg`.
//! We report contradictory gates before anything is measured, so that a mistake in the file doesn't
//! cost a whole run. A failure of Windlass itself always counts as a violation, and no gate can
//! permit it.

mod baseline_gates;
mod gates_file;
mod shipped_gates;

use serde::{Deserialize, Serialize};
use windlass_base::counted;

pub use baseline_gates::{changelog_line, named_in};
pub use gates_file::read_gates;
pub use shipped_gates::{GATES, OWN_GATES};

use crate::metric::Better;
use crate::results::{Baseline, CaseResult, Choice, Results};
use crate::stats::{Summary, number};
use crate::{Kind, Metric, OURS};

/// Archetype name in violations without a particular archetype.
const ANY: &str = "any";

/// All requirements on the results of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gates {
    /// The requirements on metrics.
    pub gates: Vec<Gate>,
    /// True if the output must be the same as in the run that wrote the baseline.
    pub same_as_baseline: bool,
}

/// Outcome of checking the gates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// Satisfied requirements, with the measured values.
    pub held: Vec<Held>,
    /// Violated requirements, with the worst cases.
    pub broken: Vec<Regression>,
}

/// A satisfied requirement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// The archetype it was applied to.
    pub archetype: String,
    /// The metric's name in `gates.toml`.
    pub metric: String,
    /// The requirement in words.
    pub must: String,
    /// The measured value in words.
    pub is: String,
}

/// A requirement on the values of a metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// The metric.
    pub metric: Metric,
    /// The archetypes, each checked separately. If empty, all measured archetypes are checked.
    pub archetypes: Vec<String>,
    /// Kinds of questions, checked together. If empty, all cases are checked.
    pub kinds: Vec<Kind>,
    /// Name of the only case to check, or `None` for all cases.
    pub case: Option<String>,
    /// The statistic to compute from the values.
    pub of: Number,
    /// The bound on the statistic.
    pub must: Must,
}

/// Statistics for the values of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Number {
    /// Mean of all cases.
    Mean,
    /// Median of all cases.
    P50,
    /// The largest value reached by 95 % of the cases.
    P5,
    /// The smallest value not exceeded by 95 % of the cases.
    P95,
    /// Minimum of all cases.
    Min,
    /// Maximum of all cases.
    Max,
}

/// The requirement in a gate.
#[derive(Debug, Clone, PartialEq)]
pub enum Must {
    /// The value is at least this limit.
    AtLeast(f64),
    /// The value is at most this limit.
    AtMost(f64),
    /// The mean is better than that of each of these systems, by more than chance.
    BeAheadOf(Vec<String>),
    /// The mean is not worse than that of each of these systems over the same cases. If there are
    /// enough cases, a difference that may be due to chance is allowed.
    BeLevelWith(Vec<String>),
    /// The mean is not worse than that of each of these systems over the same cases, not even by
    /// chance.
    BeNoWorseThan(Vec<String>),
    /// The mean is worse than in the baseline by at most this amount.
    LoseAtMost(f64),
}

/// A violated requirement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Regression {
    /// The archetype it was applied to.
    pub archetype: String,
    /// The metric's name, or `output` for the whole output.
    pub metric: String,
    /// The requirement in words.
    pub must: String,
    /// The measured value in words.
    pub is: String,
    /// Names of up to three of the worst cases.
    pub cases: Vec<String>,
    /// Command that runs only the worst case.
    pub reproduce: String,
    /// True if the violation is about the baseline, so that writing a new one resolves it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_baseline: bool,
}

/// Checks `results` against the gates. A missing or undefined value violates its gate.
///
/// Failures of Windlass come first, since no gate can permit them. Violated gates follow, then
/// metrics that have a value in the baseline only.
#[must_use]
pub fn check(gates: &Gates, results: &Results, baseline: Option<&Baseline>) -> Checked {
    let mut checked = Checked {
        broken: failed(results),
        held: Vec::new(),
    };
    let unlike = baseline_gates::unlike(results, baseline);
    let before = match (baseline, &unlike) {
        (None, _) => Err("no baseline"),
        (Some(_), Some(_)) => Err("the baseline is of another subject"),
        (Some(baseline), None) => Ok(baseline),
    };
    checked.broken.extend(unlike);
    let all = results.archetypes();
    for gate in &gates.gates {
        let meant: Vec<&str> = match gate.archetypes.is_empty() {
            true => all
                .iter()
                .copied()
                .filter(|one| results.summary(gate.metric, gate.choice(one)).is_some())
                .collect(),
            false => gate.archetypes.iter().map(String::as_str).collect(),
        };
        if meant.is_empty() {
            let is = "never measured".to_owned();
            checked.broken.push(regression(gate, results, None, is));
        }
        for archetype in meant {
            match gate.judged(archetype, results, before) {
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
        baseline_gates::check_output(results, before, &mut checked);
    }
    if let Ok(baseline) = before {
        baseline_gates::check_lost(results, baseline, &mut checked);
    }
    checked
}

impl Checked {
    /// Returns the violations that a new baseline would not resolve.
    pub fn not_of_baseline(&self) -> impl Iterator<Item = &Regression> {
        self.broken.iter().filter(|one| !one.is_of_baseline)
    }
}

/// Returns a violation for each archetype with a failure of Windlass.
fn failed(results: &Results) -> Vec<Regression> {
    let gate = Gate {
        metric: Metric::Failed,
        archetypes: Vec::new(),
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
    /// Returns the Windlass cases the gate applies to.
    fn choice<'a>(&'a self, archetype: &'a str) -> Choice<'a> {
        Choice {
            archetype: Some(archetype),
            system: OURS,
            kinds: &self.kinds,
            case: self.case.as_deref(),
        }
    }

    /// Describes the measured value. If the value violates the gate, the description is an error.
    fn judged(
        &self,
        archetype: &str,
        results: &Results,
        before: Result<&Baseline, &str>,
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
            Must::BeAheadOf(systems)
            | Must::BeLevelWith(systems)
            | Must::BeNoWorseThan(systems) => all(systems),
            Must::LoseAtMost(most) => self.lost(archetype, value, before, *most),
        }
    }

    /// Describes the comparison with `system`. If it violates the gate, the description is an
    /// error.
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
        let few = compared.too_few();
        let chance = match &few {
            Some(few) => format!("{interval}: {few}"),
            None => format!("{interval}: it may be chance"),
        };
        match &self.must {
            Must::BeLevelWith(_) if !is_level && compared.is_noise && few.is_none() => Ok(chance),
            Must::BeLevelWith(_) | Must::BeNoWorseThan(_) if is_level => Ok(interval),
            Must::BeAheadOf(_) if ahead > 0.0 && compared.is_noise => Err(chance),
            Must::BeAheadOf(_) if ahead > 0.0 => Ok(interval),
            _ => Err(interval),
        }
    }

    fn lost(
        &self,
        archetype: &str,
        value: f64,
        before: Result<&Baseline, &str>,
        most: f64,
    ) -> Result<String, String> {
        let means = &before?.means;
        let before = means
            .get(archetype)
            .and_then(|means| means.get(&self.metric));
        // The baseline has no value to compare with, so the requirement isn't proven.
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
            Must::AtLeast(least) => format!("{} at least {}", self.of.word(), number(*least)),
            Must::AtMost(most) => format!("{} at most {}", self.of.word(), number(*most)),
            Must::BeAheadOf(systems) => format!("ahead of {}", systems.join(", ")),
            Must::BeLevelWith(systems) => {
                format!("not worse than {} beyond chance", systems.join(", "))
            }
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

    fn word(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P5 => "p5",
            Self::P95 => "p95",
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

/// Creates a violation with at most three of the worst cases. `archetype` is `None` if the
/// violation is about no particular one.
fn regression(gate: &Gate, results: &Results, archetype: Option<&str>, is: String) -> Regression {
    let better = gate.metric.definition().better;
    let chosen = archetype.map(|archetype| results.chosen(gate.choice(archetype)));
    let mut cases: Vec<(&CaseResult, Option<f64>)> = chosen
        .into_iter()
        .flatten()
        .filter_map(|case| Some((case, *case.values.get(&gate.metric)?)))
        .collect();
    // If some cases have a value, the undefined ones aren't the cause.
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
        Must::BeAheadOf(systems) | Must::BeLevelWith(systems) | Must::BeNoWorseThan(systems) => {
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
