//! The data that all reports share: values as text, and the cases to review.

use serde::Serialize;
use windlass_base::counted;

use super::{History, Report};
use crate::gate::{Checked, Held, Regression};
use crate::metric::BUDGET;
use crate::results::{Baseline, CaseResult, Choice, Origin, Results};
use crate::stats::number;
use crate::{BUILT_IN, Kind, Metric, OURS};

/// Maximum number of locations that we show of a case, and of cases of a system.
const PLACES: usize = 20;
const CASES: usize = 200;
/// Maximum number of cases in a report for a terminal.
const IN_TEXT: usize = 10;
/// We show how these metrics have changed over the last runs.
const TREND: [Metric; 4] = [
    Metric::RecallAtTokens,
    Metric::NoiseRatio,
    Metric::RepairRate,
    Metric::FalseClaimRate,
];
const RUNS: usize = 10;

#[derive(Serialize)]
pub(super) struct Page<'a> {
    pub(super) title: String,
    /// The outcome in one sentence.
    verdict: String,
    /// The number of cases, the digest, and where the results come from.
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
    to_review: Vec<Case<'a>>,
    /// The number of cases in a report for a terminal.
    in_text: usize,
    /// True for a user's repository, and false for the samples.
    is_own: bool,
    /// The name, the unit and the definition of each metric.
    metrics: Vec<[&'static str; 3]>,
}

/// The values of an archetype, of a kind of question, or of all cases.
#[derive(Serialize)]
struct Table<'a> {
    title: &'a str,
    rows: Vec<Vec<String>>,
}

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
    name: &'a str,
    asked: &'a str,
    /// Error in the answer.
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
        let to_review = to_review(report);
        let (checked, origin) = (report.checked, results.origin.as_ref());
        Self {
            title: title(origin),
            verdict: verdict(results, checked),
            said: facts(results, to_review.len()),
            has_gates: checked.is_some(),
            held: checked.map_or(&[], |checked| &checked.held),
            broken: checked.map_or(&[], |checked| &checked.broken),
            warnings: warnings(results, baseline),
            others,
            tables,
            changes: baseline.map_or_else(Vec::new, |baseline| changes(results, baseline)),
            trend: trend(report.history),
            suites: results.archetypes().into_iter().map(suite).collect(),
            to_review,
            in_text: IN_TEXT,
            is_own: origin.is_some(),
            metrics: Metric::ALL
                .iter()
                .filter(|metric| results.summary(**metric, ours).is_some())
                .map(|metric| {
                    let what = metric.definition();
                    [metric.name(), what.unit, what.means]
                })
                .collect(),
        }
    }
}

fn title(origin: Option<&Origin>) -> String {
    origin.map_or_else(
        || "Windlass zoo".to_owned(),
        |origin| format!("Windlass zoo: {}", origin.name),
    )
}

/// Sums up the results in one sentence: the gates, the questions with an answer, and the evidence
/// that was repaired.
fn verdict(results: &Results, checked: Option<&Checked>) -> String {
    let gates = checked.map(|checked| match (checked.broken.len(), checked.held.len()) {
        (0, all) => format!("all {} pass", counted(all, "gate")),
        (broken, held) => format!("{broken} of {} fail", counted(broken + held, "gate")),
    });
    let parts: Vec<String> = gates
        .into_iter()
        .chain(answered(results))
        .chain(repaired(results))
        .collect();
    match parts.is_empty() {
        true => "Nothing was measured.".to_owned(),
        false => capitalized(&format!("{}.", parts.join("; "))),
    }
}

/// Counts the questions that Windlass has answered, and those that the best of the other systems
/// has.
fn answered(results: &Results) -> Option<String> {
    let count = |system: &str| {
        let cases = results.chosen(Choice::of(system));
        let cases = cases.filter(|case| case.kind.is_some());
        let calls: Vec<f64> = cases
            .filter_map(|case| case.value(Metric::CallsToAction))
            .collect();
        (
            calls.iter().filter(|calls| **calls <= 1.0).count(),
            calls.len(),
        )
    };
    let (own, all) = count(OURS);
    let others = results.systems().into_iter().filter(|name| *name != OURS);
    let others = others.map(|name| (name, count(name).0));
    let best = others.max_by_key(|(_, count)| *count);
    let best = best.map_or_else(String::new, |(name, count)| {
        format!(", and {name}, the best of the other systems, for {count}")
    });
    (all > 0).then(|| {
        format!(
            "windlass shows a wanted line within {BUDGET} tokens for {own} of {}{best}",
            counted(all, "question")
        )
    })
}

fn repaired(results: &Results) -> Option<String> {
    let mean = |metric| results.summary(metric, Choice::of(OURS))?.mean;
    let percent = |share: f64| format!("{} %", number((share * 1_000.0).round() / 10.0));
    Some(format!(
        "it locates {} of the repairable evidence after edits, and {} of its claims are false",
        percent(mean(Metric::RepairRate)?),
        percent(mean(Metric::FalseClaimRate)?)
    ))
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

fn facts(results: &Results, to_review: usize) -> Vec<String> {
    let count = results.cases.iter().filter(|case| case.system == OURS);
    let count = counted(count.count(), "case");
    let counts = match &results.origin {
        Some(origin) => format!("{count} about {}", origin.place()),
        None => format!(
            "{}, {count}",
            counted(results.archetypes().len(), "archetype")
        ),
    };
    let mut facts = vec![format!(
        "{counts}, {to_review} to review. Digest {}.",
        results.digest()
    )];
    if results.quick {
        facts.push("A quick run: a part of the cases.".to_owned());
    }
    let run = results.run.iter();
    facts.extend(run.map(|run| format!("Measured at {}, by windlass {}.", run.at, run.version)));
    facts
}

/// Finds the cases in which something is wrong. We don't care about the answers of plain tools.
fn to_review<'a>(report: &Report<'a>) -> Vec<Case<'a>> {
    let results = report.results;
    let is_alone = |case: &CaseResult| results.cases[0].case == case.case;
    if results.cases.iter().all(is_alone) {
        // There's only one case, because the user has asked for it. Show it even if nothing is
        // wrong.
        let cases = results.cases.iter();
        return cases.map(|case| case_data(report, case)).collect();
    }
    let systems = results.systems().into_iter();
    let reviewed = systems.filter(|name| *name == OURS || !BUILT_IN.contains(name));
    let failing = reviewed.flat_map(|name| {
        let cases = results.chosen(Choice::of(name));
        cases.filter(|case| !reasons(case).is_empty()).take(CASES)
    });
    failing.map(|case| case_data(report, case)).collect()
}

fn told_number(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), number)
}

/// Creates a table with the mean, the median, the tail and the worst value of each metric for
/// Windlass.
///
/// For each other system, there's a column with the difference over the cases that both have, and
/// its 95 % confidence interval.
fn table<'a>(results: &Results, title: &'a str, choice: Choice<'_>, others: &[&str]) -> Table<'a> {
    let row = |metric: &Metric| {
        let summary = results
            .summary(*metric, choice)
            .filter(|one| one.count > 0)?;
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

/// Lists the means that differ from the baseline, including those that have lost their value.
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

/// Lists the means over the last runs by archetype and metric, oldest first. We only use runs with
/// the same questions.
fn trend(history: &History) -> Vec<[String; 3]> {
    let Some(last) = history.runs.last() else {
        return Vec::new();
    };
    let mut rows = Vec::new();
    for archetype in last.means.means.keys() {
        for metric in TREND {
            let runs = history.runs.iter().rev();
            let runs = runs.filter(|run| run.questions == last.questions);
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
        let mut first: Vec<String> = lines.iter().take(PLACES).cloned().collect();
        let more = more + lines.len().saturating_sub(PLACES);
        if more > 0 {
            first.push(format!("and {more} more"));
        }
        first
    };
    Case {
        system: &case.system,
        archetype: &case.archetype,
        name: &case.case,
        asked: &case.asked,
        is_failure: match report.checked {
            Some(_) => case.failure.is_some(),
            None => !reasons.is_empty(),
        },
        why: reasons.join("; "),
        expected: first(&case.expected, 0),
        shown: first(&case.shown, case.left_off),
        command: results.reproduce(Some(&case.archetype), Some(&case.case), &[&*case.system]),
        seconds: number(case.value(Metric::Latency).unwrap_or_default() / 1e3),
    }
}

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
