//! Data of a report in any format: figures as texts, and the cases to review.

use serde::Serialize;
use windlass_base::counted;

use super::{History, Report};
use crate::gate::{Held, Regression};
use crate::results::{Baseline, CaseResult, Choice, Results};
use crate::stats::number;
use crate::{BUILT_IN, Kind, Metric, OURS};

/// Maximum number of shown locations of a case, and of shown cases of a system.
const PLACES: usize = 20;
const CASES: usize = 200;
/// Metrics whose trend is shown, and the number of runs in a trend.
const TREND: [Metric; 4] = [
    Metric::RecallAtTokens,
    Metric::NoiseRatio,
    Metric::RepairRate,
    Metric::FalseClaimRate,
];
const RUNS: usize = 10;

#[derive(Serialize)]
pub(super) struct Page<'a> {
    /// Summary lines: counts, digest, and the origin of the results.
    said: Vec<String>,
    has_gates: bool,
    held: &'a [Held],
    broken: &'a [Regression],
    /// Failures, and archetypes that differ from the baseline.
    warnings: Vec<String>,
    others: Vec<&'a str>,
    tables: Vec<Table<'a>>,
    changes: Vec<[String; 4]>,
    trend: Vec<[String; 3]>,
    suites: Vec<Suite<'a>>,
    to_look_at: Vec<Case<'a>>,
    metrics: Vec<[&'static str; 3]>,
}

/// Figures of an archetype, of a kind of question, or of all cases.
#[derive(Serialize)]
struct Table<'a> {
    title: &'a str,
    rows: Vec<Vec<String>>,
}

/// Cases of Windlass in an archetype.
#[derive(Serialize)]
struct Suite<'a> {
    name: &'a str,
    failures: usize,
    cases: Vec<Case<'a>>,
}

#[derive(Serialize)]
struct Case<'a> {
    system: &'a str,
    archetype: &'a str,
    name: String,
    asked: String,
    /// Faults, in words.
    why: String,
    is_failure: bool,
    expected: Vec<String>,
    shown: Vec<String>,
    command: String,
    seconds: String,
}

impl<'a> Page<'a> {
    pub(super) fn of(report: &Report<'a>) -> Self {
        let Report {
            results, baseline, ..
        } = *report;
        let systems = results.systems();
        let others = systems.iter().copied().filter(|name| *name != OURS);
        let others: Vec<&str> = others.collect();
        let ours = Choice::of(OURS);
        let mut tables = vec![table(results, "all", ours, &others)];
        tables.extend(
            results
                .archetypes()
                .into_iter()
                .map(|name| table(results, name, ours.within(name), &others)),
        );
        tables.extend(Kind::ALL.iter().map(|kind| {
            let kinds = std::slice::from_ref(kind);
            table(results, kind.as_str(), Choice { kinds, ..ours }, &others)
        }));
        tables.retain(|table| !table.rows.is_empty());
        let suite = |name: &'a str| {
            let own = results.chosen(ours.within(name));
            let cases: Vec<Case<'_>> = own.map(|case| case_data(report, case)).collect();
            Suite {
                name,
                failures: cases.iter().filter(|case| case.is_failure).count(),
                cases,
            }
        };
        let to_look_at = to_look_at(report);
        let count = results.cases.iter().filter(|case| case.system == OURS);
        let mut said = vec![format!(
            "{}, {}, {} to review. Digest {}.",
            counted(results.archetypes().len(), "archetype"),
            counted(count.count(), "case"),
            to_look_at.len(),
            results.digest()
        )];
        let place = results.origin.iter();
        said.extend(place.map(|origin| format!("Measured in {}.", origin.place())));
        let run = results.run.iter();
        said.extend(run.map(|run| format!("Measured at {}, by windlass {}.", run.at, run.version)));
        let checked = report.checked;
        Self {
            said,
            has_gates: checked.is_some(),
            held: checked.map_or(&[], |checked| &checked.held),
            broken: checked.map_or(&[], |checked| &checked.broken),
            warnings: warnings(results, baseline),
            others,
            tables,
            changes: baseline.map_or_else(Vec::new, |baseline| changes(results, baseline)),
            trend: trend(report.history),
            suites: results.archetypes().into_iter().map(suite).collect(),
            to_look_at,
            metrics: Metric::ALL
                .iter()
                .map(|metric| {
                    let what = metric.definition();
                    [metric.name(), what.unit, what.means]
                })
                .collect(),
        }
    }
}

/// Returns the cases with faults of Windlass and of measured programs. Faults of the built-in tools
/// are omitted.
fn to_look_at<'a>(report: &Report<'a>) -> Vec<Case<'a>> {
    let results = report.results;
    let is_alone = |case: &CaseResult| results.cases[0].case == case.case;
    if results.cases.iter().all(is_alone) {
        // A single requested case is always shown.
        let cases = results.cases.iter();
        return cases.map(|case| case_data(report, case)).collect();
    }
    let systems = results.systems().into_iter();
    let looked_at = systems.filter(|name| *name == OURS || !BUILT_IN.contains(name));
    let failing = looked_at.flat_map(|name| {
        let cases = results.chosen(Choice::of(name));
        cases.filter(|case| !reasons(case).is_empty()).take(CASES)
    });
    failing.map(|case| case_data(report, case)).collect()
}

fn told_number(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), number)
}

/// Returns a table with the mean, median, tail and worst value of each metric of Windlass, and its
/// difference from each other system over the common cases, with the 95 % interval.
fn table<'a>(results: &Results, title: &'a str, choice: Choice<'_>, others: &[&str]) -> Table<'a> {
    let row = |metric: &Metric| {
        let summary = results.summary(*metric, choice)?;
        let better = metric.definition().better;
        let figures = [
            summary.mean,
            summary.p50,
            summary.tail(better),
            summary.worst(better),
        ];
        let mut row = vec![metric.name().to_owned()];
        row.extend(figures.map(told_number));
        row.extend([summary.count.to_string(), summary.undefined.to_string()]);
        row.extend(others.iter().map(|other| {
            let compared = results.compared(*metric, choice, other);
            compared.map_or_else(String::new, |one| {
                let interval = one.interval.map_or_else(String::new, |(low, high)| {
                    format!(" [{}, {}]", number(low), number(high))
                });
                let chance = if one.is_noise { " (may be chance)" } else { "" };
                format!("{}{interval}{chance}", number(one.difference))
            })
        }));
        Some(row)
    };
    Table {
        title,
        rows: Metric::ALL.iter().filter_map(row).collect(),
    }
}

fn warnings(results: &Results, baseline: Option<&Baseline>) -> Vec<String> {
    let failed = results.failures().into_iter();
    let failed = failed.map(|(system, count, first)| {
        let count = counted(count, "case");
        format!("{system} failed in {count}; the first: {first}")
    });
    let differing = baseline.map(|baseline| results.differing(baseline).join(", "));
    let differing = differing.filter(|names| !names.is_empty()).map(|names| {
        format!(
            "Results differ from the baseline: {names}. If nothing changed, they depend on the machine."
        )
    });
    failed.chain(differing).collect()
}

/// Returns the means that differ from the baseline, including those that no longer have a value.
fn changes(results: &Results, baseline: &Baseline) -> Vec<[String; 4]> {
    let mut rows = Vec::new();
    for (archetype, means) in &results.baseline().means {
        let Some(had) = baseline.means.get(archetype) else {
            continue;
        };
        for metric in Metric::ALL {
            let value = |means: &std::collections::BTreeMap<Metric, Option<f64>>| {
                told_number(means.get(metric).copied().flatten())
            };
            let (before, now) = (value(had), value(means));
            if before != now {
                rows.push([archetype.clone(), metric.name().to_owned(), before, now]);
            }
        }
    }
    rows
}

/// Returns the trend of the means over the last runs with the same questions, by archetype and
/// metric, oldest first.
fn trend(history: &History) -> Vec<[String; 3]> {
    let Some(last) = history.runs.last() else {
        return Vec::new();
    };
    let mut rows = Vec::new();
    for archetype in last.means.means.keys() {
        for metric in TREND {
            let runs = history.runs.iter().rev();
            let runs = runs.filter(|run| run.means.asked() == last.means.asked());
            let means =
                runs.filter_map(|run| run.means.means.get(archetype)?.get(&metric).copied()?);
            let mut means: Vec<String> = means.take(RUNS).map(number).collect();
            means.reverse();
            if means.len() > 1 {
                let name = metric.name().to_owned();
                rows.push([archetype.clone(), name, means.join(" → ")]);
            }
        }
    }
    rows
}

fn case_data<'a>(report: &Report<'a>, case: &'a CaseResult) -> Case<'a> {
    let results = report.results;
    let reasons = reasons(case);
    let first = |lines: &[String], more: usize| {
        let mut first: Vec<String> = lines.iter().take(PLACES).map(|line| clean(line)).collect();
        let more = more + lines.len().saturating_sub(PLACES);
        if more > 0 {
            first.push(format!("and {more} more"));
        }
        first
    };
    Case {
        system: &case.system,
        archetype: &case.archetype,
        name: clean(&case.case),
        asked: clean(&case.asked),
        is_failure: match report.checked {
            Some(_) => case.failure.is_some(),
            None => !reasons.is_empty(),
        },
        why: clean(&reasons.join("; ")),
        expected: first(&case.expected, 0),
        shown: first(&case.shown, case.left_off),
        command: results.reproduce(Some(&case.archetype), Some(&case.case), &[&*case.system]),
        seconds: number(case.value(Metric::Latency).unwrap_or_default() / 1e3),
    }
}

/// Removes the characters that XML does not allow.
fn clean(text: &str) -> String {
    let is_held = |c: &char| {
        matches!(c, '\n' | '\t') || !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    text.chars().filter(is_held).collect()
}

/// Returns the faults of a case in words.
fn reasons(case: &CaseResult) -> Vec<String> {
    let is = |metric, wrong: fn(f64) -> bool| case.value(metric).is_some_and(wrong);
    let answered = case.failure.is_none();
    let reasons = [
        (
            answered && is(Metric::NothingSaid, |said| said < 1.0),
            "places are shown although nothing answers",
        ),
        (
            is(Metric::RecallAtTokens, |recall| recall <= 0.0),
            "no wanted line is shown",
        ),
        (
            is(Metric::CallsToAction, |calls| calls > 2.0),
            "two calls do not reach the goal",
        ),
        (
            is(Metric::FalseClaimRate, |rate| rate > 0.0),
            "a claim is false",
        ),
        (
            is(Metric::RepairRate, |rate| rate < 1.0),
            "not all repairable evidence is repaired",
        ),
        (
            is(Metric::Stability, |share| share < 1.0),
            "a repetition differs",
        ),
        (
            is(Metric::BudgetOverflow, |tokens| tokens > 0.0),
            "the output exceeds the budget",
        ),
        (
            is(Metric::SecretLeaks, |leaks| leaks > 0.0),
            "a secret value is printed",
        ),
    ];
    let failed = case.failure.iter().map(|why| format!("failed: {why}"));
    let reasons = reasons.into_iter().filter(|(is_so, _)| *is_so);
    failed
        .chain(reasons.map(|(_, why)| why.to_owned()))
        .collect()
}
