use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use windlass_base::counted;

use super::beside::beside;
use super::drilled::{command, failing, first, looked_at, only_one, reasons, shown};
use super::versus::{Rows, by_kind, versus};
use super::{failed, in_parts, measured, not_the_same, without_gates};
use crate::gate::Checked;
use crate::results::{Baseline, CaseResult, Choice, Results};
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
        let _ = writeln!(text, "\nMeasured in {}.", worded(&origin.place()));
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
            let _ = writeln!(text, "\n**{}**", plain(&without));
        }
        for one in broken {
            let _ = writeln!(
                text,
                "\n- **{} {}**: {}; now: {}",
                plain(&one.archetype),
                plain(&one.metric),
                worded(&one.must),
                worded(&one.is)
            );
            for case in &one.cases {
                let _ = writeln!(text, "  - {}", plain(case));
            }
            let _ = writeln!(text, "  - {}", code(&one.reproduce));
        }
    }
    for failed in failed(results) {
        let _ = writeln!(text, "\n- {}", worded(&failed));
    }
    if let Some(case) = only_one(results) {
        text += &looked_into(results, case);
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
        text.extend(differs.map(|differs| format!("\n{}\n", worded(&differs))));
    }
    if only_one(results).is_none() {
        for system in looked_at(results) {
            text += &to_look_at(results, system);
        }
    }
    text
}

/// What was expected in the cases of this name, the only ones there are, and what each system showed.
fn looked_into(results: &Results, case: &str) -> String {
    /// So many places of each are shown.
    const MOST: usize = 20;
    let mut text = String::new();
    for archetype in results.archetypes() {
        // Ours comes first.
        let systems = results.systems().into_iter();
        let own = systems.flat_map(|system| {
            results.chosen(Choice {
                archetype: Some(archetype),
                ..Choice::of(system)
            })
        });
        let own: Vec<&CaseResult> = own.collect();
        let Some(any) = own.first() else {
            continue;
        };
        let _ = writeln!(
            text,
            "\n### {} {}\n\n{}\n",
            plain(archetype),
            plain(case),
            plain(&any.asked)
        );
        let mut list = |name: &str, lines: &[String]| {
            let _ = writeln!(text, "- {name}");
            for line in first(lines, MOST) {
                let _ = writeln!(text, "  - {}", plain(&line));
            }
        };
        let expected = match any.expected.is_empty() {
            true => "expected: nothing".to_owned(),
            false => "expected".to_owned(),
        };
        list(&expected, &any.expected);
        for one in own {
            let (reasons, shown) = (reasons(one), shown(one));
            let nothing = if shown.is_empty() { ": nothing" } else { "" };
            let reasons = match reasons.is_empty() {
                true => String::new(),
                false => format!(" ({reasons})"),
            };
            let name = format!("shown by {}{nothing}{reasons}", one.system);
            list(&plain(&name), &shown);
        }
    }
    text
}

/// The cases of `system` that are to be looked at, briefly.
fn to_look_at(results: &Results, system: &str) -> String {
    /// So many places of each are shown.
    const PLACES: usize = 3;
    let failing = failing(results, system);
    if failing.is_empty() {
        return String::new();
    }
    let (of, most) = match system {
        OURS => (String::new(), 50),
        other => (format!(" of {}", plain(other)), 20),
    };
    let mut text = format!(
        "\n<details><summary>{}{of} to look at</summary>\n\n",
        counted(failing.len(), "case")
    );
    for case in failing.iter().take(most) {
        let _ = writeln!(
            text,
            "- {} {}: {} ({})",
            plain(&case.archetype),
            plain(&case.case),
            plain(&case.asked),
            plain(&reasons(case))
        );
        for (word, lines) in [("expected", &case.expected), ("shown", &shown(case))] {
            let lines = match lines.is_empty() {
                true => "nothing".to_owned(),
                false => first(lines, PLACES).join(", "),
            };
            let _ = writeln!(text, "  - {word} {}", plain(&lines));
        }
        // Ours is named by its case alone; a program has to be started as well.
        if system != OURS {
            let _ = writeln!(text, "  - {}", code(&command(results, case)));
        }
    }
    if let Some(more) = failing.len().checked_sub(most).filter(|more| *more > 0) {
        let _ = writeln!(text, "- and {more} more: `windlass zoo report` has them");
    }
    text + "\n</details>\n"
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
    let special = |c: char| "\\`*_[]<>|#&~".contains(c);
    text.chars()
        .flat_map(|c| special(c).then_some('\\').into_iter().chain([c]))
        .collect()
}

/// The same, what stands between backticks as what is typed.
fn worded(text: &str) -> String {
    let each = in_parts(text).into_iter();
    each.map(|(is_typed, part)| match is_typed {
        false => plain(part),
        true => code(part),
    })
    .collect()
}

/// What is typed, as Markdown shows it: in as many backticks as are not in it.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let longest = text.split(|c| c != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or_default() + 1);
    match text.starts_with('`') || text.ends_with('`') {
        true => format!("{fence} {text} {fence}"),
        false => format!("{fence}{text}{fence}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_shown_as_it_is() {
        assert_eq!(code("a b"), "`a b`");
        assert_eq!(code("a `b` ``c"), "```a `b` ``c```");
        assert_eq!(code("`a\nb"), "`` `a b ``");
        assert_eq!(worded("`a_b` at c_d"), "`a_b` at c\\_d");
        for odd in ["a ` b_c", "``` a"] {
            assert_eq!(worded(odd), plain(odd));
        }
    }
}
