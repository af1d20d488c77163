//! How recall, noise and repair went over the runs there were.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::html::COLOURS;
use super::{History, escaped};
use crate::results::Baseline;
use crate::{Metric, number};

/// The mean of a run, by the number of the run.
type Points = Vec<(usize, f64)>;

/// A line for each archetype, where there were several runs; runs that asked something else are on none of its lines.
pub(super) fn write(page: &mut String, history: &History) {
    if history.runs.len() < 2 {
        return;
    }
    *page += "<h2>Over time</h2>\n";
    let asked = history.runs.iter().map(|(_, run)| run.asked());
    if asked.collect::<BTreeSet<_>>().len() > 1 {
        *page += "<p>Not all runs asked the same questions: a line leads only from one to another that did. The figure is that of the last run.</p>\n";
    }
    *page += "<div class=\"charts\">\n";
    for metric in [
        Metric::RecallAtTokens,
        Metric::NoiseRatio,
        Metric::RepairRate,
        Metric::FalseClaimRate,
    ] {
        over_time(page, history, metric);
    }
    *page += "</div>\n";
}

fn over_time(page: &mut String, history: &History, metric: Metric) {
    let runs: Vec<&Baseline> = history.runs.iter().map(|(_, run)| run).collect();
    let archetypes: BTreeSet<&String> = runs.iter().flat_map(|run| run.means.keys()).collect();
    let step = 280.0 / (runs.len() - 1) as f64;
    let (mut lines, mut last) = (String::new(), Vec::new());
    for archetype in archetypes {
        let mut by_questions: BTreeMap<Option<&str>, Points> = BTreeMap::new();
        let mut newest = None;
        for (at, run) in runs.iter().enumerate() {
            let mean = run
                .means
                .get(archetype)
                .and_then(|means| means.get(&metric));
            if let Some(mean) = mean.copied().flatten() {
                let own = by_questions.entry(run.asked()).or_default();
                own.push((at, mean));
                newest = Some(mean);
            }
        }
        let Some(newest) = newest else {
            continue;
        };
        for points in by_questions.values() {
            lines += &line(points, step, last.len() % COLOURS, archetype);
        }
        last.push(format!("{} {}", escaped(archetype), number(newest)));
    }
    if last.is_empty() {
        return;
    }
    let _ = writeln!(
        page,
        "<figure><figcaption>{0}</figcaption><svg viewBox=\"0 0 300 100\" role=\"img\" aria-label=\"{0} over time\">\
         <line class=\"axis\" x1=\"10\" x2=\"290\" y1=\"95\" y2=\"95\"/>{lines}</svg><p>{1}</p></figure>",
        metric.name(),
        last.join(", ")
    );
}

/// A line through these means; a dot where there is one alone.
fn line(points: &Points, step: f64, colour: usize, archetype: &str) -> String {
    let place = |(at, mean): &(usize, f64)| {
        let (x, y) = (10.0 + *at as f64 * step, 95.0 - 85.0 * mean.clamp(0.0, 1.0));
        (format!("{x:.1}"), format!("{y:.1}"))
    };
    let title = escaped(archetype);
    match points.as_slice() {
        [one] => {
            let (x, y) = place(one);
            format!(
                "<circle class=\"s{colour}\" cx=\"{x}\" cy=\"{y}\" r=\"2\"><title>{title}</title></circle>"
            )
        }
        points => {
            let points: Vec<String> = points
                .iter()
                .map(|point| {
                    let (x, y) = place(point);
                    format!("{x},{y}")
                })
                .collect();
            format!(
                "<polyline class=\"l{colour}\" points=\"{}\"><title>{title}</title></polyline>",
                points.join(" ")
            )
        }
    }
}
