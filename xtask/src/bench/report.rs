//! The figures as a table and as JSON.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::measure::Samples;

/// One figure.
pub(crate) struct Row {
    pub(crate) name: String,
    /// What was measured, or why nothing was.
    pub(crate) outcome: Outcome,
}

pub(crate) enum Outcome {
    /// Times of our own, and of a peer where there is one.
    Times {
        ours: Samples,
        peer: Option<(&'static str, Samples)>,
        goal: Goal,
    },
    /// A number that must not be above a limit, with its unit.
    Number {
        value: f64,
        limit: f64,
        unit: &'static str,
    },
    /// Why it was left out.
    Skipped(String),
}

/// What a time should be.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    /// At most this long.
    Within(Duration),
    /// At most so many times what the peer takes.
    Times(f64),
    /// At most so many times what the peer takes, or this long.
    TimesOrWithin(f64, Duration),
    /// Whatever it is: what others are read against.
    Control,
}

impl Row {
    pub(crate) fn times(
        name: impl Into<String>,
        ours: Samples,
        peer: Option<(&'static str, Samples)>,
        goal: Goal,
    ) -> Self {
        let outcome = Outcome::Times { ours, peer, goal };
        Self {
            name: name.into(),
            outcome,
        }
    }

    pub(crate) fn number(
        name: impl Into<String>,
        value: f64,
        limit: f64,
        unit: &'static str,
    ) -> Self {
        let outcome = Outcome::Number { value, limit, unit };
        Self {
            name: name.into(),
            outcome,
        }
    }

    pub(crate) fn skipped(name: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            outcome: Outcome::Skipped(why.into()),
        }
    }

    /// How many times what the peer takes.
    fn ratio(&self) -> Option<f64> {
        match &self.outcome {
            Outcome::Times {
                ours,
                peer: Some((_, peer)),
                ..
            } => Some(ours.ratio_to(peer)),
            _ => None,
        }
    }

    /// Whether the goal is met, where that can be said.
    pub(crate) fn met(&self) -> Option<bool> {
        match &self.outcome {
            Outcome::Skipped(_) => None,
            Outcome::Number { value, limit, .. } => Some(value <= limit),
            Outcome::Times { ours, goal, .. } => match goal {
                Goal::Within(limit) => Some(ours.median() <= *limit),
                Goal::Control => None,
                Goal::Times(factor) => self.ratio().map(|ratio| ratio <= *factor),
                Goal::TimesOrWithin(factor, limit) => {
                    let quick = ours.median() <= *limit;
                    Some(quick || self.ratio().is_some_and(|ratio| ratio <= *factor))
                }
            },
        }
    }

    /// The columns of the table.
    fn cells(&self) -> [String; 6] {
        let met = match self.met() {
            Some(true) => "met",
            Some(false) => "NOT MET",
            None => "",
        };
        let name = self.name.clone();
        match &self.outcome {
            Outcome::Times { ours, peer, goal } => [
                name,
                both(ours),
                peer.as_ref().map_or_else(String::new, |(peer, times)| {
                    format!("{peer} {}", both(times))
                }),
                self.ratio().map_or_else(String::new, significant),
                goal.to_string(),
                met.to_owned(),
            ],
            Outcome::Number { value, limit, unit } => [
                name,
                format!("{} {unit}", plain(*value)),
                String::new(),
                String::new(),
                format!("≤ {} {unit}", plain(*limit)),
                met.to_owned(),
            ],
            Outcome::Skipped(why) => [
                name,
                format!("skipped: {why}"),
                String::new(),
                String::new(),
                String::new(),
                String::new(),
            ],
        }
    }

    fn json(&self) -> Value {
        let mut row = match &self.outcome {
            Outcome::Times { ours, peer, goal } => json!({
                "ours_ms": { "median": ms(ours.median()), "min": ms(ours.min()) },
                "peer": peer.as_ref().map(|(name, times)| json!({
                    "name": name, "median_ms": ms(times.median()), "min_ms": ms(times.min()),
                })),
                "ratio": self.ratio(),
                "goal": goal.to_string(),
            }),
            Outcome::Number { value, limit, unit } => {
                json!({ "value": value, "limit": limit, "unit": unit })
            }
            Outcome::Skipped(why) => json!({ "skipped": why }),
        };
        row["name"] = json!(self.name);
        row["met"] = json!(self.met());
        row
    }
}

impl std::fmt::Display for Goal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Within(limit) => write!(f, "≤ {} ms", limit.as_millis()),
            Self::Times(factor) => write!(f, "≤ {} ×", significant(*factor)),
            Self::Control => f.write_str("control"),
            Self::TimesOrWithin(factor, limit) => {
                write!(
                    f,
                    "≤ {} × or {} ms",
                    significant(*factor),
                    limit.as_millis()
                )
            }
        }
    }
}

/// Median and minimum.
fn both(samples: &Samples) -> String {
    let (median, min) = (ms(samples.median()), ms(samples.min()));
    match median < 1.0 {
        true => format!("{:.1} ({:.1}) µs", median * 1e3, min * 1e3),
        false => format!("{median:.1} ({min:.1}) ms"),
    }
}

/// A factor with two digits behind the point, or as many as it takes to tell it from nothing.
fn significant(factor: f64) -> String {
    match factor < 0.1 {
        true => format!("{factor:.4}"),
        false => format!("{factor:.2}"),
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn plain(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

pub(crate) fn json(rows: &[Row]) -> Value {
    json!({ "rows": rows.iter().map(Row::json).collect::<Vec<_>>() })
}

/// The rows with aligned columns; times are medians with the minimum in brackets.
pub(crate) fn table(rows: &[Row]) -> String {
    let heading = [
        "",
        "ours: median (min)",
        "peer: median (min)",
        "ratio",
        "goal",
        "",
    ];
    let mut lines = vec![heading.map(str::to_owned)];
    lines.extend(rows.iter().map(Row::cells));
    let skipped = |line: &[String; 6]| line[1].starts_with("skipped");
    let mut widths = [0; 6];
    for line in lines.iter().filter(|line| !skipped(line)) {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    widths[0] = lines
        .iter()
        .map(|line| line[0].chars().count())
        .max()
        .unwrap_or(0);
    let mut table = String::new();
    for line in &lines {
        let mut text = String::new();
        for (cell, width) in line.iter().zip(widths) {
            let _ = write!(text, "{cell:width$}  ");
        }
        table.push_str(text.trim_end());
        table.push('\n');
    }
    table
}
