//! What must hold, and what does not.

mod read;

use serde::Serialize;
use windlass_base::counted;

pub use read::read_gates;

use crate::metric::Better;
use crate::results::{Baseline, Choice, Results};
use crate::stats::Summary;
use crate::{Kind, Metric, OURS};

/// What must hold of a metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// The metric.
    pub metric: Metric,
    /// Of these archetypes, each by itself; of each there is if empty.
    pub archetypes: Vec<String>,
    /// Of these kinds of questions together; of all cases if empty.
    pub kinds: Vec<Kind>,
    /// Which number of its values.
    pub of: Number,
    /// What must hold.
    pub must: Must,
}

/// Which number of the values of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Number {
    /// Their mean.
    Mean,
    /// Their median.
    P50,
    /// What 95 % do not exceed.
    P95,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

/// What must hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Must {
    /// It is not below.
    AtLeast(f64),
    /// It is not above.
    AtMost(f64),
    /// The mean is better than that of each of these systems, and not by chance.
    BeAheadOf(Vec<String>),
    /// The mean is no worse than that of each of these systems, over the same cases.
    BeLevelWith(Vec<String>),
    /// The mean is no worse than the baseline's by more than this.
    LoseAtMost(f64),
}

/// Something that does not hold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Regression {
    /// The archetype.
    pub archetype: String,
    /// The metric.
    pub metric: Metric,
    /// What must hold, in words.
    pub must: String,
    /// What is, in words.
    pub is: String,
    /// The worst cases, at most three.
    pub cases: Vec<String>,
    /// The command that looks at the worst of them alone.
    pub reproduce: String,
}

/// What does not hold: first what failed, which nothing of ours may, then in the order of the gates. A value that is undefined, or of
/// which there is none, does not hold.
#[must_use]
pub fn check(gates: &[Gate], results: &Results, baseline: Option<&Baseline>) -> Vec<Regression> {
    let mut found = failed(results);
    for gate in gates {
        let all = results.archetypes();
        let meant: Vec<&str> = match gate.archetypes.is_empty() {
            true => all
                .into_iter()
                .filter(|one| results.summary(gate.metric, gate.choice(one)).is_some())
                .collect(),
            false => gate.archetypes.iter().map(String::as_str).collect(),
        };
        if meant.is_empty() {
            found.push(regression(
                gate,
                results,
                None,
                "it was never measured".to_owned(),
            ));
        }
        for archetype in meant {
            if let Some(is) = gate.broken(archetype, results, baseline) {
                found.push(regression(gate, results, Some(archetype), is));
            }
        }
    }
    found
}

/// The archetypes in which something of ours failed.
fn failed(results: &Results) -> Vec<Regression> {
    let gate = Gate {
        metric: Metric::Failed,
        archetypes: Vec::new(),
        kinds: Vec::new(),
        of: Number::Max,
        must: Must::AtMost(0.0),
    };
    let all = results.archetypes().into_iter();
    let broken = all.filter_map(|archetype| {
        let cases = results.chosen(gate.choice(archetype));
        let why: Vec<&str> = cases.filter_map(|case| case.failure.as_deref()).collect();
        let first = why.first()?;
        let is = format!("{}; the first: {first}", counted(why.len(), "failed case"));
        let must = "no case of ours fails".to_owned();
        Some(Regression {
            must,
            ..regression(&gate, results, Some(archetype), is)
        })
    });
    broken.collect()
}

impl Gate {
    /// What of ours it is about.
    fn choice<'a>(&'a self, archetype: &'a str) -> Choice<'a> {
        Choice {
            archetype: Some(archetype),
            system: OURS,
            kinds: &self.kinds,
        }
    }

    /// What is instead of what must be.
    fn broken(
        &self,
        archetype: &str,
        results: &Results,
        baseline: Option<&Baseline>,
    ) -> Option<String> {
        let Some(summary) = results.summary(self.metric, self.choice(archetype)) else {
            return Some("it was not measured".to_owned());
        };
        let Some(value) = self.of.take(&summary) else {
            return Some(format!("undefined in all {} cases", summary.undefined));
        };
        match &self.must {
            Must::AtLeast(least) => (value < *least).then(|| number(value)),
            Must::AtMost(most) => (value > *most).then(|| number(value)),
            Must::BeAheadOf(systems) => systems
                .iter()
                .find_map(|system| self.behind(archetype, results, system, false)),
            Must::BeLevelWith(systems) => systems
                .iter()
                .find_map(|system| self.behind(archetype, results, system, true)),
            Must::LoseAtMost(most) => self.lost(archetype, value, baseline, *most),
        }
    }

    fn behind(
        &self,
        archetype: &str,
        results: &Results,
        system: &str,
        level_will_do: bool,
    ) -> Option<String> {
        let other = Choice {
            system,
            ..self.choice(archetype)
        };
        let mut others = results.chosen(other).peekable();
        if others.peek().is_some() && others.all(|case| case.failure.is_some()) {
            return Some(format!(
                "nothing to compare with: `{system}` failed in every case"
            ));
        }
        let Some(compared) = results.compared(self.metric, self.choice(archetype), system) else {
            return Some(format!("nothing to compare with `{system}`"));
        };
        let ahead = match self.metric.definition().better {
            Better::Less => -compared.difference,
            Better::More | Better::Neither => compared.difference,
        };
        let interval = format!(
            "{} against `{system}`, 95 % within {} to {}",
            signed(compared.difference),
            signed(compared.low),
            signed(compared.high)
        );
        match (ahead > 0.0, compared.is_noise) {
            _ if level_will_do && ahead >= -1e-9 => None,
            (true, false) => None,
            (true, true) => Some(format!("{interval}: it may be chance")),
            (false, _) => Some(interval),
        }
    }

    fn lost(
        &self,
        archetype: &str,
        value: f64,
        baseline: Option<&Baseline>,
        most: f64,
    ) -> Option<String> {
        let Some(baseline) = baseline else {
            return Some("there is no baseline".to_owned());
        };
        let before = baseline
            .means
            .get(archetype)
            .and_then(|means| means.get(&self.metric));
        // Without a value there, nothing is known to be no worse.
        let Some(before) = before.copied().flatten() else {
            return Some("the baseline has no value of it".to_owned());
        };
        let lost = match self.metric.definition().better {
            Better::Less => value - before,
            Better::More => before - value,
            Better::Neither => (value - before).abs(),
        };
        (lost > most + 1e-9).then(|| {
            format!(
                "{} where it was {}: {} worse",
                number(value),
                number(before),
                number(lost)
            )
        })
    }

    fn must(&self) -> String {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.as_str()).collect();
        let of = match kinds.is_empty() {
            true => String::new(),
            false => format!(" of {}", kinds.join(", ")),
        };
        format!("{}{of}", self.demand())
    }

    fn demand(&self) -> String {
        match &self.must {
            Must::AtLeast(least) => format!("{} at least {}", self.of.word(), number(*least)),
            Must::AtMost(most) => format!("{} at most {}", self.of.word(), number(*most)),
            Must::BeAheadOf(systems) => format!("ahead of {}", systems.join(", ")),
            Must::BeLevelWith(systems) => format!("no worse than {}", systems.join(", ")),
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
            Self::P95 => summary.p95,
            Self::Min => summary.min,
            Self::Max => summary.max,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

/// Without an archetype, of none that there is.
fn regression(gate: &Gate, results: &Results, archetype: Option<&str>, is: String) -> Regression {
    let chosen = archetype.map(|archetype| results.chosen(gate.choice(archetype)));
    let mut cases: Vec<(&str, Option<f64>)> = chosen
        .into_iter()
        .flatten()
        .filter_map(|case| Some((&*case.case, *case.values.get(&gate.metric)?)))
        .collect();
    let worse = |value: Option<f64>| match (value, gate.metric.definition().better) {
        (None, _) => f64::NEG_INFINITY,
        (Some(value), Better::Less) => -value,
        (Some(value), _) => value,
    };
    // Where something is defined, what is not has no part in it.
    if cases.iter().any(|(_, value)| value.is_some()) {
        cases.retain(|(_, value)| value.is_some());
    }
    cases.sort_by(|one, other| worse(one.1).total_cmp(&worse(other.1)));
    let told = |(case, value): &(&str, Option<f64>)| {
        format!("{case}: {}", value.map_or("undefined".to_owned(), number))
    };
    let worst = cases.first().map(|(case, _)| *case);
    Regression {
        archetype: archetype.unwrap_or("any").to_owned(),
        metric: gate.metric,
        must: gate.must(),
        is,
        cases: cases.iter().take(3).map(told).collect(),
        reproduce: results.reproduce(archetype, worst),
    }
}

/// A number as people read it: four digits behind the point at most.
#[must_use]
pub fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
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
