//! Each heuristic left out alone.

use std::fmt::Write as _;

use super::heuristics::Heuristic;
use super::trial::{Figures, Trials};
use crate::Error;

/// A table in Markdown, the least points a line first.
pub(super) fn one_by_one(
    heuristics: &[Heuristic],
    whole: &Figures,
    trials: &mut Trials,
) -> Result<String, Error> {
    let mut rows = Vec::new();
    for heuristic in heuristics {
        let figures = trials.without(&[heuristic.name.as_str()])?;
        let points = whole.lost_to(&figures);
        eprintln!("{}: {points:+.2}", heuristic.name);
        rows.push((
            points,
            heuristic.lines()?,
            heuristic,
            whole.is_less_wrong_than(&figures),
        ));
    }
    rows.sort_by(|a, b| per_line(a.0, a.1).total_cmp(&per_line(b.0, b.1)));
    let mut table = String::from(
        "| heuristic | lines | points lost without it | more wrong without it |\n|---|---:|---:|---|\n",
    );
    for (points, lines, heuristic, is_wrong) in rows {
        let wrong = if is_wrong { "yes" } else { "" };
        let _ = writeln!(
            table,
            "| {} | {lines} | {points:.2} | {wrong} |",
            heuristic.name
        );
    }
    Ok(table)
}

/// Points that a line of code brings.
pub(super) fn per_line(points: f64, lines: usize) -> f64 {
    points / lines.max(1) as f64
}
