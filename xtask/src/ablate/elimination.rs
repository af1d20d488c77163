//! Backward elimination: again and again the heuristic goes that brings least per line.

use std::fmt::Write as _;

use super::heuristics::Heuristic;
use super::table::per_line;
use super::trial::{Figures, Trials};
use crate::Error;

/// Points that all that went may have cost in sum.
const MOST_LOST: f64 = 1.0;

/// A table in Markdown of what goes, in order, and what stays.
pub(super) fn eliminate(
    heuristics: &[Heuristic],
    whole: &Figures,
    trials: &mut Trials,
) -> Result<String, Error> {
    let mut left: Vec<&Heuristic> = heuristics.iter().collect();
    let mut gone: Vec<&str> = Vec::new();
    let mut table = String::from("| goes | lines | points lost in sum |\n|---|---:|---:|\n");
    while let Some((at, points)) = least(&left, &gone, whole, trials)? {
        let heuristic = left.remove(at);
        gone.push(&heuristic.name);
        eprintln!("{}: {points:+.2}", heuristic.name);
        let _ = writeln!(
            table,
            "| {} | {} | {points:.2} |",
            heuristic.name,
            heuristic.lines()?
        );
    }
    for heuristic in left {
        let _ = writeln!(
            table,
            "| stays: {} | {} | |",
            heuristic.name,
            heuristic.lines()?
        );
    }
    Ok(table)
}

/// The heuristic that brings least per line of those that may go, and the points lost in sum without it.
fn least(
    left: &[&Heuristic],
    gone: &[&str],
    whole: &Figures,
    trials: &mut Trials,
) -> Result<Option<(usize, f64)>, Error> {
    let mut least: Option<(usize, f64, f64)> = None;
    for (at, heuristic) in left.iter().enumerate() {
        let without: Vec<&str> = gone
            .iter()
            .copied()
            .chain([heuristic.name.as_str()])
            .collect();
        let figures = trials.without(&without)?;
        let points = whole.lost_to(&figures);
        if points > MOST_LOST || whole.is_less_wrong_than(&figures) {
            continue;
        }
        let brings = per_line(points, heuristic.lines()?);
        if least.is_none_or(|(_, _, fewest)| brings < fewest) {
            least = Some((at, points, brings));
        }
    }
    Ok(least.map(|(at, points, _)| (at, points)))
}
