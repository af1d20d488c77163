//! How recall, noise and repair went over the runs there were.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::history::{History, Run};
use super::{escaped, worded};
use crate::{Metric, number};

/// The colours there are; the last is that of all systems beyond.
pub(super) const COLOURS: usize = 10;

/// What is drawn: shares, all of them.
const DRAWN: [Metric; 4] = [
    Metric::RecallAtTokens,
    Metric::NoiseRatio,
    Metric::RepairRate,
    Metric::FalseClaimRate,
];

/// Where the field of a chart begins and ends, from the left, and from the top, of 300 by 120.
const FIELD: ([f64; 2], [f64; 2]) = ([30.0, 290.0], [10.0, 95.0]);

/// How many patterns of dashes there are, the first without any.
const DASHES: usize = 4;

/// The mean of a run, by the number of the run.
type Points = Vec<(usize, f64)>;

/// How the line of an archetype is drawn: no two that have one colour have one pattern of dashes, as long as there are so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pen {
    colour: usize,
    dashes: usize,
}

impl Pen {
    fn of(number: usize) -> Self {
        Self {
            colour: number % COLOURS,
            dashes: (number + number / COLOURS) % DASHES,
        }
    }

    /// The classes of a line.
    fn classes(self) -> String {
        match self.dashes {
            0 => format!("class=\"l{}\"", self.colour),
            dashes => format!("class=\"l{} d{dashes}\"", self.colour),
        }
    }
}

/// A line for each archetype, where there were several runs; runs that asked something else are on none of its lines.
pub(super) fn write(page: &mut String, history: &History) {
    if history.runs.len() < 2 {
        return;
    }
    *page += "<h2>Over time</h2>\n<p>From the oldest run to the newest; the figure behind a name is that of the last run that measured it.</p>\n";
    let asked = history.runs.iter().map(|run| run.means.asked());
    if asked.collect::<BTreeSet<_>>().len() > 1 {
        *page += "<p>Not all runs asked the same questions: a line leads only from one to another that did.</p>\n";
    }
    // Each has one pen in all charts.
    let archetypes = history.runs.iter().flat_map(|run| run.means.means.keys());
    let archetypes: BTreeSet<&String> = archetypes.collect();
    let pens = archetypes.into_iter().enumerate();
    let pens: Vec<(&String, Pen)> = pens.map(|(at, name)| (name, Pen::of(at))).collect();
    *page += "<div class=\"charts\">\n";
    for metric in DRAWN {
        over_time(page, &history.runs, &pens, metric);
    }
    *page += "</div>\n";
    listed(page, &history.runs);
}

/// The lines of an archetype, by what was asked: the runs that have a mean of `metric`.
fn lines_of<'a>(
    runs: &'a [Run],
    archetype: &str,
    metric: Metric,
) -> BTreeMap<Option<&'a str>, Points> {
    let mut by_questions: BTreeMap<Option<&str>, Points> = BTreeMap::new();
    for (at, run) in runs.iter().enumerate() {
        let means = run.means.means.get(archetype);
        let mean = means.and_then(|means| means.get(&metric));
        if let Some(mean) = mean.copied().flatten() {
            let own = by_questions.entry(run.means.asked()).or_default();
            own.push((at, mean));
        }
    }
    by_questions
}

fn over_time(page: &mut String, runs: &[Run], pens: &[(&String, Pen)], metric: Metric) {
    let drawn = pens.iter();
    let drawn = drawn.map(|(archetype, pen)| (archetype, *pen, lines_of(runs, archetype, metric)));
    let drawn: Vec<_> = drawn.filter(|(.., lines)| !lines.is_empty()).collect();
    let points = || {
        drawn
            .iter()
            .flat_map(|(.., lines)| lines.values())
            .flatten()
    };
    if points().next().is_none() {
        return;
    }
    let scale = Scale::of(points().map(|(_, mean)| *mean), runs.len());
    let (mut lines, mut legend) = (String::new(), String::new());
    for (archetype, pen, own) in &drawn {
        for points in own.values() {
            lines += &line(points, &scale, *pen, archetype);
        }
        let newest = own.values().flatten().max_by_key(|(at, _)| *at);
        let _ = write!(
            legend,
            "<li><svg viewBox=\"0 0 32 8\" aria-hidden=\"true\"><line {} x1=\"0\" x2=\"32\" y1=\"4\" y2=\"4\"/></svg>{} {}</li>",
            pen.classes(),
            escaped(archetype),
            newest.map_or_else(String::new, |(_, mean)| number(*mean))
        );
    }
    let _ = writeln!(
        page,
        "<figure><figcaption>{0}</figcaption><svg viewBox=\"0 0 300 120\" role=\"img\" aria-label=\"{0} over time\">{1}{lines}</svg>\
         <ul class=\"lines\">{legend}</ul></figure>",
        metric.name(),
        axes(runs, &scale)
    );
}

/// Which shares a chart reaches from and to, so that lines lie apart, and how many runs stand beside each other.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scale {
    low: f64,
    high: f64,
    runs: usize,
}

impl Scale {
    /// From one tenth to another, around all of `means`.
    fn of(means: impl Iterator<Item = f64>, runs: usize) -> Self {
        // What is computed from tenths may lie beside them.
        const NEAR: f64 = 1e-6;
        let (least, most) = means.fold((1.0_f64, 0.0_f64), |(least, most), mean| {
            (least.min(mean), most.max(mean))
        });
        let low = ((least * 10.0 + NEAR).floor() / 10.0).clamp(0.0, 0.9);
        let high = ((most * 10.0 - NEAR).ceil() / 10.0).clamp(low + 0.1, 1.0);
        Self { low, high, runs }
    }

    fn x(&self, run: usize) -> f64 {
        let [left, right] = FIELD.0;
        left + (right - left) * run as f64 / (self.runs.max(2) - 1) as f64
    }

    fn y(&self, mean: f64) -> f64 {
        let [top, bottom] = FIELD.1;
        let share = (mean.clamp(self.low, self.high) - self.low) / (self.high - self.low);
        bottom - (bottom - top) * share
    }
}

/// The scale, and the first and the last run.
fn axes(runs: &[Run], scale: &Scale) -> String {
    let ([left, right], [top, bottom]) = FIELD;
    let mut axes =
        format!("<line class=\"axis\" x1=\"{left}\" x2=\"{left}\" y1=\"{top}\" y2=\"{bottom}\"/>");
    for value in [scale.low, f64::midpoint(scale.low, scale.high), scale.high] {
        let y = scale.y(value);
        let _ = write!(
            axes,
            "<line class=\"axis\" x1=\"{left}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 4.0,
            y + 4.0,
            number(value)
        );
    }
    let ends = [
        (left, "start", runs.first(), 1),
        (right, "end", runs.last(), runs.len()),
    ];
    for (x, anchor, run, at) in ends {
        let _ = write!(
            axes,
            "<text x=\"{x}\" y=\"113\" text-anchor=\"{anchor}\">{}</text>",
            run.and_then(day).map_or_else(
                || format!("run {at}"),
                |day| format!("run {at}, {}", escaped(day))
            )
        );
    }
    axes
}

/// The day on which a run was done, where that is known.
fn day(run: &Run) -> Option<&str> {
    run.measured.as_ref()?.last.split('T').next()
}

/// A line through these means; a dot where there is one alone.
fn line(points: &Points, scale: &Scale, pen: Pen, archetype: &str) -> String {
    let place = |(at, mean): &(usize, f64)| {
        (
            format!("{:.1}", scale.x(*at)),
            format!("{:.1}", scale.y(*mean)),
        )
    };
    let title = escaped(archetype);
    match points.as_slice() {
        [one] => {
            let (x, y) = place(one);
            let colour = pen.colour;
            format!(
                "<circle class=\"s{colour}\" cx=\"{x}\" cy=\"{y}\" r=\"3\"><title>{title}</title></circle>"
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
                "<polyline {} points=\"{}\"><title>{title}</title></polyline>",
                pen.classes(),
                points.join(" ")
            )
        }
    }
}

/// When each run was, what measured it, and of what.
fn listed(page: &mut String, runs: &[Run]) {
    *page += "<details><summary>These runs</summary>\n<div class=\"wide\"><table><thead><tr><th>run</th><th>measured</th>\
              <th>windlass</th><th>archetypes</th><th>digest</th></tr></thead><tbody>\n";
    for (at, run) in runs.iter().enumerate() {
        let (when, by) = match &run.measured {
            Some(measured) => (measured.last.clone(), measured.by()),
            None => ("not noted".to_owned(), String::new()),
        };
        let names: Vec<&str> = run.means.means.keys().map(String::as_str).collect();
        let what = match names.as_slice() {
            [] => String::new(),
            [one] => (*one).to_owned(),
            all => all.len().to_string(),
        };
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td><code>{}</code></td></tr>",
            at + 1,
            escaped(&when),
            escaped(&by),
            worded(&what),
            escaped(&run.digest.chars().take(12).collect::<String>())
        );
    }
    *page += "</tbody></table></div></details>\n";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_reaches_from_tenth_to_tenth() {
        let of = |means: &[f64]| {
            let Scale { low, high, .. } = Scale::of(means.iter().copied(), 2);
            (number(low), number(high))
        };
        let told = |low: &str, high: &str| (low.to_owned(), high.to_owned());
        assert_eq!(of(&[0.34, 0.73]), told("0.3", "0.8"));
        assert_eq!(of(&[0.3, 0.7]), told("0.3", "0.7"));
        assert_eq!(of(&[0.0, 0.0]), told("0", "0.1"));
        assert_eq!(of(&[1.0, 0.9722]), told("0.9", "1"));
        assert_eq!(of(&[1.0]), told("0.9", "1"));
    }

    #[test]
    fn no_two_lines_look_the_same() {
        let pens: Vec<Pen> = (0..COLOURS * DASHES).map(Pen::of).collect();
        for (at, pen) in pens.iter().enumerate() {
            assert!(!pens[..at].contains(pen), "{at}: {pen:?}");
        }
    }
}
