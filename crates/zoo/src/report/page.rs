//! Data for reports in all formats: values as text, and the cases to review.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;
use windlass_base::counted;

use super::{History, Report};
use crate::gate::{Checked, Held, Regression};
use crate::metric::BUDGET;
use crate::results::{Baseline, CaseResult, Choice, Origin, Results};
use crate::stats::number;
use crate::{BUILT_IN, Kind, Metric, OURS};

/// Maximum number of locations shown for a case, and of cases shown for a system.
const PLACES: usize = 20;
const CASES: usize = 200;
/// Maximum number of questions in a terminal report.
const IN_TEXT: usize = 10;
/// Terms used in reports, with their definitions.
const TERMS: [[&str; 2]; 8] = [
    [
        "case",
        "A question with its answer, or a kind of edit with all its evidence, asked of one system.",
    ],
    [
        "archetype",
        "A sample repository with known answers; \"repository\" is your own.",
    ],
    [
        "wanted",
        "Lines that answer a question, or files with such lines.",
    ],
    [
        "p50, tail, worst",
        "Median; the value that 95 % of the cases reach or beat; the value of the worst case.",
    ],
    [
        "undefined",
        "Cases without a value. They count neither as good nor as zero.",
    ],
    [
        "difference to",
        "Mean difference over the cases that both systems have, with its 95 % confidence interval. It may be chance if the interval contains 0 or if there are fewer than six questions.",
    ],
    ["gate", "A requirement on a figure, from the file of gates."],
    [
        "digest",
        "Fingerprint of all results but the times: the same on every machine.",
    ],
];
/// Metrics with a trend, followed by the number of runs in a trend.
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
    /// The result in one sentence.
    verdict: String,
    /// Summary lines with counts, the digest, and the origin of the results.
    said: Vec<String>,
    has_gates: bool,
    held: &'a [Held],
    broken: Vec<Regression>,
    /// Warnings about failures, and about archetypes that differ from the baseline.
    warnings: Vec<String>,
    others: Vec<&'a str>,
    tables: Vec<Table<'a>>,
    changes: Vec<[String; 4]>,
    trend: Vec<[String; 3]>,
    suites: Vec<Suite<'a>>,
    to_look_at: Vec<Question<'a>>,
    /// Maximum number of questions in a terminal report.
    in_text: usize,
    /// True if a user repository was measured.
    is_own: bool,
    terms: [[&'static str; 2]; 8],
    /// Name, unit and definition for each measured metric.
    metrics: Vec<[&'static str; 3]>,
}

/// A question to review, with the answers of all systems in all archetypes.
#[derive(Serialize)]
struct Question<'a> {
    asked: String,
    answers: Vec<Case<'a>>,
}

/// Values for an archetype, for a kind of question, or for all cases.
#[derive(Serialize)]
struct Table<'a> {
    title: &'a str,
    rows: Vec<Vec<String>>,
}

/// The Windlass cases of an archetype.
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
    /// Describes what's wrong with the answer.
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
        without_repetition(&mut tables);
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
        let checked = report.checked;
        let origin = results.origin.as_ref();
        let broken = checked.map_or(&[][..], |checked| &checked.broken).iter();
        let broken = broken.cloned().map(|one| Regression {
            reproduce: from_root(origin, &one.reproduce),
            ..one
        });
        Self {
            title: title(origin),
            verdict: verdict(results, checked),
            said: facts(results, to_look_at.len()),
            has_gates: checked.is_some(),
            held: checked.map_or(&[], |checked| &checked.held),
            broken: broken.collect(),
            warnings: warnings(results, baseline)
                .iter()
                .map(|warning| from_root(origin, warning))
                .collect(),
            others,
            tables,
            changes: baseline.map_or_else(Vec::new, |baseline| changes(results, baseline)),
            trend: trend(report.history),
            suites: results.archetypes().into_iter().map(suite).collect(),
            to_look_at,
            in_text: IN_TEXT,
            terms: TERMS,
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

/// Removes tables with the same values as an earlier table, as happens with only one archetype or
/// kind of question.
fn without_repetition(tables: &mut Vec<Table<'_>>) {
    let mut seen = BTreeSet::new();
    tables.retain(|table| seen.insert(table.rows.clone()));
}

fn title(origin: Option<&Origin>) -> String {
    let name = origin.and_then(|origin| Path::new(&origin.root).file_name());
    match name {
        Some(name) => format!("Windlass zoo: {}", name.to_string_lossy()),
        None => "Windlass zoo".to_owned(),
    }
}

/// Summarises the result in one sentence: the gates, the answered questions, and the repaired evidence.
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

/// Reports the number of questions answered by Windlass and by the best other system.
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

/// Reports the share of evidence repaired by Windlass, and the share of false claims.
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

/// Returns summary lines about the questions, the repository, and the measurement.
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

/// Makes paths inside the measured repository relative to its root. A path such as
/// `/home/ann/repo2` is left alone if the root is `/home/ann/repo`.
fn from_root(origin: Option<&Origin>, text: &str) -> String {
    let root = origin.map(|origin| origin.root.as_str());
    let Some(root) = root.filter(|root| root.len() > 1) else {
        return text.to_owned();
    };
    let in_name = |c: char| c.is_alphanumeric() || "-_.~+@%#".contains(c);
    let mut relative = String::with_capacity(text.len());
    let mut rest = 0;
    for (at, _) in text.match_indices(root) {
        let after = &text[at + root.len()..];
        // The dot after a path may end the sentence, in which case it doesn't continue the name.
        let goes_on = after.trim_start_matches('.').starts_with(in_name);
        if goes_on || text[..at].ends_with(in_name) {
            continue;
        }
        relative.push_str(&text[rest..at]);
        rest = at + root.len();
        match after.strip_prefix('/') {
            Some(inside) if inside.starts_with(in_name) => rest += 1,
            _ => relative.push('.'),
        }
    }
    relative.push_str(&text[rest..]);
    relative
}

/// Returns the questions to review, each once with all answers that are wrong in some way. Answers
/// from the built-in tools are left out.
fn to_look_at<'a>(report: &Report<'a>) -> Vec<Question<'a>> {
    let mut questions: Vec<Question<'a>> = Vec::new();
    for case in cases_to_look_at(report) {
        match questions.iter_mut().find(|one| one.asked == case.asked) {
            Some(question) if !case.asked.is_empty() => question.answers.push(case),
            _ => questions.push(Question {
                asked: case.asked.clone(),
                answers: vec![case],
            }),
        }
    }
    questions
}

fn cases_to_look_at<'a>(report: &Report<'a>) -> Vec<Case<'a>> {
    let results = report.results;
    let is_alone = |case: &CaseResult| results.cases[0].case == case.case;
    if results.cases.iter().all(is_alone) {
        // If the user asked for a single case, show it even if nothing is wrong.
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

/// Returns a table with the mean, median, tail and worst value of each Windlass metric. It also has
/// the difference from each other system over the common cases, with its 95 % confidence interval.
fn table<'a>(results: &Results, title: &'a str, choice: Choice<'_>, others: &[&str]) -> Table<'a> {
    let row = |metric: &Metric| {
        // Skip metrics that have no value in any case.
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

/// Returns the trends of the means, by archetype and metric, over the last runs with the same
/// questions. The oldest run comes first.
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
        name: case.case.clone(),
        asked: case.asked.clone(),
        is_failure: match report.checked {
            Some(_) => case.failure.is_some(),
            None => !reasons.is_empty(),
        },
        why: from_root(results.origin.as_ref(), &reasons.join("; ")),
        expected: first(&case.expected, 0),
        shown: first(&case.shown, case.left_off),
        command: from_root(
            results.origin.as_ref(),
            &results.reproduce(Some(&case.archetype), Some(&case.case), &[&*case.system]),
        ),
        seconds: number(case.value(Metric::Latency).unwrap_or_default() / 1e3),
    }
}

/// Describes what's wrong with the answer in a case.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_is_replaced_at_path_boundaries() {
        let origin = Origin {
            root: "/src/app".to_owned(),
            ..Origin::default()
        };
        for (text, relative) in [
            ("`/src/app/a.rs:1` in /src/app.", "`a.rs:1` in .."),
            ("--repo=/src/app --x", "--repo=. --x"),
            ("/src/app/.ci, '/src/app/'", ".ci, './'"),
            (
                "/src/app-old/a /src/app.old /mnt/src/app",
                "/src/app-old/a /src/app.old /mnt/src/app",
            ),
        ] {
            assert_eq!(from_root(Some(&origin), text), relative);
        }
    }
}
