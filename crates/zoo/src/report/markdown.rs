use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use windlass_base::counted;

use super::beside::beside;
use super::versus::{Rows, by_kind, versus};
use super::{failed, fails, measured, not_the_same, why, without_gates};
use crate::gate::Checked;
use crate::results::{Baseline, Choice, Results};
use crate::{Metric, OURS, number};

/// The results for a comment under a proposed change: what does not hold first, then how ours fares over all of its cases, and beside
/// each other system over those that both have, then what changed since the baseline.
#[must_use]
pub fn markdown(
    results: &Results,
    checked: Option<&Checked>,
    baseline: Option<&Baseline>,
) -> String {
    let mut text = "## The zoo\n".to_owned();
    if let Some(origin) = &results.origin {
        let _ = writeln!(text, "\nMeasured in {}.", origin.place());
    }
    if let Some(checked) = checked {
        let Checked { held, broken } = checked;
        let without = without_gates(results, checked);
        let _ = match (broken.len(), &without) {
            (0, None) => writeln!(text, "\nEvery gate holds ({}).", held.len()),
            (0, Some(_)) if held.is_empty() => Ok(()),
            (0, Some(_)) => writeln!(text, "\nEvery gate that was held holds ({}).", held.len()),
            (1, _) => writeln!(text, "\n**One gate does not hold.**"),
            (many, _) => writeln!(text, "\n**{many} gates do not hold.**"),
        };
        if let Some(without) = without {
            let _ = writeln!(text, "\n**{without}**");
        }
        for one in broken {
            let _ = writeln!(
                text,
                "\n- **{} {}**: {}; now: {}",
                one.archetype,
                plain(&one.metric),
                one.must,
                plain(&one.is)
            );
            for case in &one.cases {
                let _ = writeln!(text, "  - {}", plain(case));
            }
            let _ = writeln!(text, "  - `{}`", one.reproduce);
        }
    }
    for failed in failed(results) {
        let _ = writeln!(text, "\n- {}", plain(&failed));
    }
    text += &own(results);
    text += &pairs(results);
    text += &table(&by_kind(results));
    if results.systems().len() > 1 {
        text += &table(&versus(results));
    }
    if let Some(baseline) = baseline {
        text += &changed(results, baseline);
        let differs = not_the_same(results, baseline);
        text.extend(differs.map(|differs| format!("\n{differs}\n")));
    }
    let failing: Vec<_> = results
        .cases
        .iter()
        .filter(|case| case.system == OURS && fails(case))
        .collect();
    if !failing.is_empty() {
        let _ = writeln!(
            text,
            "\n<details><summary>{} to look at</summary>\n",
            counted(failing.len(), "case")
        );
        const MOST: usize = 50;
        for case in failing.iter().take(MOST) {
            let _ = writeln!(
                text,
                "- {} {}: {} ({})",
                case.archetype,
                case.case,
                plain(&case.asked),
                why(case).join("; ")
            );
        }
        if let Some(more) = failing.len().checked_sub(MOST).filter(|more| *more > 0) {
            let _ = writeln!(text, "- and {more} more: `windlass zoo report` has them");
        }
        let _ = writeln!(text, "\n</details>");
    }
    text
}

/// Each metric of ours, over all of its cases: also the tail, which is what 95 % of them reach, and the worst.
fn own(results: &Results) -> String {
    let mut text =
        "\n| ours, all of its cases | mean | p50 | tail | worst | cases | undefined |\n|---|---:|---:|---:|---:|---:|---:|\n"
            .to_owned();
    let told = |value: Option<f64>| value.map_or("–".to_owned(), number);
    for metric in measured(results) {
        if let Some(summary) = results.summary(metric, Choice::of(OURS)) {
            let better = metric.definition().better;
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} |",
                metric.name(),
                told(summary.mean),
                told(summary.p50),
                told(summary.tail(better)),
                told(summary.worst(better)),
                summary.count,
                summary.undefined
            );
        }
    }
    text
}

/// Ours beside each other system, over the cases in which both have a value.
fn pairs(results: &Results) -> String {
    let systems = results.systems();
    let others: Vec<&str> = systems.into_iter().filter(|name| *name != OURS).collect();
    if others.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n| ours / the other (cases that both have a value in), means | {} |\n|---|{}\n",
        others.join(" | "),
        "---:|".repeat(others.len())
    );
    for metric in measured(results) {
        let cells = others
            .iter()
            .map(|other| beside(results, metric, other, |_| true));
        let cells: Vec<String> = cells.collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            let _ = writeln!(text, "| {} | {} |", metric.name(), cells.join(" | "));
        }
    }
    text
}

fn table(rows: &Rows) -> String {
    if rows.rows.is_empty() {
        return String::new();
    }
    let mut text = format!("\n| {} |\n|---|", rows.head.join(" | "));
    text += &"---:|".repeat(rows.head.len() - 1);
    for row in &rows.rows {
        let _ = write!(text, "\n| {} |", row.join(" | "));
    }
    text + "\n"
}

/// What the baseline has of what was measured, where that is something else now: also what has no value any more, or has one for the first
/// time.
fn changed(results: &Results, baseline: &Baseline) -> String {
    let now = results.baseline();
    let (mut rows, mut compared) = (String::new(), 0);
    let told = |value: Option<f64>| value.map_or("–".to_owned(), number);
    for (archetype, means) in &now.means {
        let Some(had) = baseline.means.get(archetype) else {
            continue;
        };
        let metrics: BTreeSet<&Metric> = means.keys().chain(had.keys()).collect();
        for metric in metrics {
            let value =
                |means: &BTreeMap<Metric, Option<f64>>| means.get(metric).copied().flatten();
            let change = match (value(had), value(means)) {
                (None, None) => continue,
                (Some(before), Some(now)) if (now - before).abs() <= 1e-9 => None,
                (Some(before), Some(now)) if now > before => {
                    Some(format!("+{}", number(now - before)))
                }
                (Some(before), Some(now)) => Some(number(now - before)),
                (Some(_), None) => Some("no value any more".to_owned()),
                (None, Some(_)) => Some("for the first time".to_owned()),
            };
            compared += 1;
            if let Some(change) = change {
                let (before, now) = (told(value(had)), told(value(means)));
                let name = metric.name();
                let _ = writeln!(
                    rows,
                    "| {archetype} | {name} | {before} | {now} | {change} |"
                );
            }
        }
    }
    match (compared, rows.is_empty()) {
        (0, _) => "\nThe baseline has nothing that this run measured.\n".to_owned(),
        (_, true) => "\nNothing changed since the baseline.\n".to_owned(),
        (_, false) => format!(
            "\n| archetype | metric | baseline | now | change |\n|---|---|---:|---:|---:|\n{rows}"
        ),
    }
}

/// A text in one line that Markdown takes as it is written.
fn plain(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let special = |c: char| "\\`*_[]<>|#".contains(c);
    text.chars()
        .flat_map(|c| special(c).then_some('\\').into_iter().chain([c]))
        .collect()
}
