//! One file that needs nothing else: styles and pictures are in it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use windlass_base::counted;

use super::beside::beside;
use super::drilled::{command, failing, looked_at, reasons, shown};
use super::past::{self, COLOURS};
use super::versus::{Rows, by_kind, versus};
use super::{History, escaped, failed, fails, measured, not_the_same, without_gates, worded};
use crate::gate::Checked;
use crate::metric::{BUDGET, Better, CURVE};
use crate::results::{Baseline, Choice, Results};
use crate::{CaseResult, Metric, OURS, number};

const STYLE: &str = "\
:root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--line:#d0d7de;--soft:#f6f8fa;--good:#1a7f37;--bad:#b42318;--c0:#0969da;--c1:#bf8700;--c2:#8250df;--c3:#57606a;--c4:#bf3989;--c5:#1b7c83;--c6:#cf222e;--c7:#1a7f37;--c8:#953800;--c9:#0a3069}\
@media(prefers-color-scheme:dark){:root{--fg:#e6edf3;--bg:#0d1117;--line:#30363d;--soft:#161b22;--good:#3fb950;--bad:#ff7b72;--c0:#58a6ff;--c1:#d29922;--c2:#bc8cff;--c3:#8b949e;--c4:#f778ba;--c5:#39c5cf;--c6:#ff7b72;--c7:#3fb950;--c8:#ffa657;--c9:#c8e1ff}}\
*{box-sizing:border-box}body{margin:0 auto;max-width:70rem;padding:1rem;font:16px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);overflow-wrap:anywhere}\
h1{font-size:1.6rem}h2{margin-top:2rem;font-size:1.25rem}.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}\
th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}th:first-child,td:first-child{text-align:left;position:sticky;left:0;background:var(--bg)}\
.bad{color:var(--bad)}.good{color:var(--good)}.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:1rem}\
figure{margin:0;padding:.75rem;border:1px solid var(--line);border-radius:.5rem;background:var(--soft)}figcaption{font-weight:600}svg{width:100%;height:auto;display:block}\
svg text{fill:var(--fg);font:11px system-ui,sans-serif}.s0{fill:var(--c0)}.s1{fill:var(--c1)}.s2{fill:var(--c2)}.s3{fill:var(--c3)}.s4{fill:var(--c4)}.s5{fill:var(--c5)}.s6{fill:var(--c6)}.s7{fill:var(--c7)}.s8{fill:var(--c8)}.s9{fill:var(--c9)}.axis{stroke:var(--line)}\
polyline{fill:none;stroke-width:2}.l0{stroke:var(--c0)}.l1{stroke:var(--c1)}.l2{stroke:var(--c2)}.l3{stroke:var(--c3)}.l4{stroke:var(--c4)}.l5{stroke:var(--c5)}.l6{stroke:var(--c6)}.l7{stroke:var(--c7)}.l8{stroke:var(--c8)}.l9{stroke:var(--c9)}.d1{stroke-dasharray:7 3}.d2{stroke-dasharray:2 3}.d3{stroke-dasharray:8 3 2 3}figure p{margin:0;font-size:.85rem}details{margin:.4rem 0}pre{overflow-x:auto;padding:.6rem;background:var(--soft);border-radius:.4rem}\
.legend span{margin-right:1rem;white-space:nowrap}.legend i{display:inline-block;width:.8em;height:.8em;margin-right:.3em;border-radius:.15em}\
.lines{list-style:none;margin:.4rem 0 0;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.1rem .8rem;font-size:.85rem}\
.lines svg{display:inline-block;width:2rem;height:.6rem;margin-right:.4rem}.lines li{padding-left:2.4rem;text-indent:-2.4rem}.lines line{stroke-width:2}";

/// The metrics that have a chart for each archetype.
const CHARTS: [Metric; 8] = [
    Metric::RecallAtTokens,
    Metric::NoiseRatio,
    Metric::TokenSaved,
    Metric::Ndcg,
    Metric::CallsToAction,
    Metric::RepairRate,
    Metric::FalseClaimRate,
    Metric::Latency,
];

/// The page. `history` are earlier runs, `checked` what came of gates, where they were held against the results, and `baseline` what they
/// are compared with.
#[must_use]
pub fn html(
    results: &Results,
    checked: Option<&Checked>,
    baseline: Option<&Baseline>,
    history: &History,
) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\
         <title>The zoo</title><style>{STYLE}</style></head><body>\n<h1>The zoo</h1>\n"
    );
    let ours = results.cases.iter().filter(|case| case.system == OURS);
    let (all, failing) = ours.fold((0, 0), |sum, case| {
        (sum.0 + 1, sum.1 + usize::from(fails(case)))
    });
    let _ = writeln!(
        page,
        "<p>{}, {}, {failing} to look at. Digest <code>{}</code>.</p>",
        counted(results.archetypes().len(), "archetype"),
        counted(all, "case"),
        results.digest()
    );
    measured_when(&mut page, results);
    if let Some(checked) = checked {
        gates(&mut page, results, checked);
    }
    if let Some(differs) = baseline.and_then(|baseline| not_the_same(results, baseline)) {
        let _ = writeln!(page, "<p>{}</p>", worded(&differs));
    }
    for failed in failed(results) {
        let _ = writeln!(page, "<p class=\"bad\">{}</p>", worded(&failed));
    }
    legend(&mut page, results);
    page += "<h2>All archetypes together</h2>\n<p>Mean, p50, tail (what 95 % of the cases are no worse than) and worst are ours, over all of its cases. \
             Beside another system are both means, ours first, over the cases in which both have a value.</p>\n";
    table(&mut page, results, None);
    rows(&mut page, "By kind of question", &by_kind(results));
    if results.systems().len() > 1 {
        rows(
            &mut page,
            "Against the others, with 95 % intervals",
            &versus(results),
        );
    }
    page += "<h2>By archetype</h2>\n<p>Each bar is of all cases in which that system has a value.</p>\n<div class=\"charts\">\n";
    for metric in CHARTS {
        chart(&mut page, results, metric);
    }
    page += "</div>\n";
    curves(&mut page, results);
    for archetype in results.archetypes() {
        let _ = writeln!(page, "<details><summary>{}</summary>", escaped(archetype));
        table(&mut page, results, Some(archetype));
        page += "</details>\n";
    }
    past::write(&mut page, history);
    for system in looked_at(results) {
        cases(&mut page, results, system);
    }
    page += "<h2>What is measured</h2>\n<dl>\n";
    for metric in Metric::ALL {
        let what = metric.definition();
        let better = match what.better {
            Better::More => "more is better",
            Better::Less => "less is better",
            Better::Neither => "neither more nor less is better",
        };
        let _ = writeln!(
            page,
            "<dt><code>{}</code> ({}, {}, {better})</dt><dd>{}</dd>",
            metric.name(),
            what.unit,
            what.within(),
            worded(what.means)
        );
    }
    page + "</dl>\n</body></html>\n"
}

/// Where it was measured, when, and by what: the archetypes of a report may be of different runs.
fn measured_when(page: &mut String, results: &Results) {
    if let Some(origin) = &results.origin {
        let _ = writeln!(page, "<p>Measured in {}.</p>", worded(&origin.place()));
    }
    let mut runs: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (archetype, measured) in &results.measured {
        runs.entry(measured.told()).or_default().push(archetype);
    }
    for (when, archetypes) in &runs {
        let what = match runs.len() {
            1 => String::new(),
            _ => format!("{}: ", archetypes.join(", ")),
        };
        let _ = writeln!(
            page,
            "<p>{}measured at {}.</p>",
            escaped(&what),
            escaped(when)
        );
    }
}

fn gates(page: &mut String, results: &Results, checked: &Checked) {
    let Checked { held, broken } = checked;
    let without = without_gates(results, checked);
    if let Some(without) = &without {
        let _ = writeln!(page, "<p class=\"bad\">{}</p>", escaped(without));
    }
    if broken.is_empty() && !held.is_empty() {
        *page += match without {
            Some(_) => "<p>Of all else every gate holds.</p>\n",
            None => "<p class=\"good\">No gate is broken.</p>\n",
        };
    }
    if !broken.is_empty() {
        *page += "<h2 class=\"bad\">What does not hold</h2>\n<ul>\n";
        for one in broken {
            let _ = writeln!(
                page,
                "<li><strong>{} {}</strong>: {}; now: {}<br/>{}<br/><code>{}</code></li>",
                escaped(&one.archetype),
                escaped(&one.metric),
                worded(&one.must),
                worded(&one.is),
                worded(&one.cases.join("; ")),
                escaped(&one.reproduce)
            );
        }
        *page += "</ul>\n";
    }
    let _ = writeln!(
        page,
        "<details><summary>What holds ({})</summary>\n<ul>",
        held.len()
    );
    for one in held {
        let _ = writeln!(
            page,
            "<li>{} {}: {}; now: {}</li>",
            escaped(&one.archetype),
            escaped(&one.metric),
            worded(&one.must),
            worded(&one.is)
        );
    }
    *page += "</ul></details>\n";
}

fn legend(page: &mut String, results: &Results) {
    *page += "<p class=\"legend\">";
    for (at, system) in results.systems().iter().enumerate() {
        let _ = write!(
            page,
            "<span><i style=\"background:var(--c{})\"></i>{}</span>",
            at.min(COLOURS - 1),
            escaped(system)
        );
    }
    *page += "</p>\n";
}

fn table(page: &mut String, results: &Results, archetype: Option<&str>) {
    let systems = results.systems();
    let others: Vec<&str> = systems.into_iter().filter(|name| *name != OURS).collect();
    *page += "<div class=\"wide\"><table><thead><tr><th>metric</th><th>mean</th><th>p50</th><th>tail</th><th>worst</th><th>cases</th><th>undefined</th>";
    for other in &others {
        let _ = write!(page, "<th>ours / {} (both)</th>", escaped(other));
    }
    *page += "</tr></thead><tbody>\n";
    for metric in measured(results) {
        let choice = Choice {
            archetype,
            ..Choice::of(OURS)
        };
        let Some(summary) = results.summary(metric, choice) else {
            continue;
        };
        let _ = write!(page, "<tr><td>{}</td>", metric.name());
        let better = metric.definition().better;
        let (tail, worst) = (summary.tail(better), summary.worst(better));
        for value in [summary.mean, summary.p50, tail, worst] {
            let _ = write!(page, "<td>{}</td>", value.map_or("–".to_owned(), number));
        }
        let (count, undefined) = (summary.count, summary.undefined);
        let _ = write!(page, "<td>{count}</td><td>{undefined}</td>");
        for other in &others {
            let is_meant =
                |case: &CaseResult| archetype.is_none_or(|archetype| case.archetype == archetype);
            let _ = write!(
                page,
                "<td>{}</td>",
                beside(results, metric, other, is_meant)
            );
        }
        *page += "</tr>\n";
    }
    *page += "</tbody></table></div>\n";
}

fn rows(page: &mut String, title: &str, table: &Rows) {
    if table.rows.is_empty() {
        return;
    }
    let cells = |tag: &str, row: &[String]| -> String {
        let cells = row
            .iter()
            .map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell)));
        format!("<tr>{}</tr>", cells.collect::<String>())
    };
    let body: String = table.rows.iter().map(|row| cells("td", row)).collect();
    let _ = writeln!(
        page,
        "<h2>{}</h2>\n<div class=\"wide\"><table><thead>{}</thead><tbody>{body}</tbody></table></div>",
        escaped(title),
        cells("th", &table.head)
    );
}

/// Bars for each archetype and system.
fn chart(page: &mut String, results: &Results, metric: Metric) {
    const WIDTH: f64 = 300.0;
    const NAMES: f64 = 95.0;
    let systems = results.systems();
    let value = |archetype: &str, system: &str| {
        let choice = Choice {
            archetype: Some(archetype),
            ..Choice::of(system)
        };
        results
            .summary(metric, choice)
            .and_then(|summary| summary.mean)
    };
    let rows: Vec<(&str, Vec<Option<f64>>)> = results
        .archetypes()
        .into_iter()
        .map(|archetype| {
            (
                archetype,
                systems
                    .iter()
                    .map(|system| value(archetype, system))
                    .collect(),
            )
        })
        .filter(|(_, values): &(_, Vec<_>)| values.iter().any(Option::is_some))
        .collect();
    if rows.is_empty() {
        return;
    }
    let all = || rows.iter().flat_map(|(_, values)| values).flatten();
    let most = all().fold(0.0_f64, |most, value| most.max(*value));
    let least = all().fold(0.0_f64, |least, value| least.min(*value));
    let scale = (WIDTH - NAMES - 45.0) / (most - least).max(f64::MIN_POSITIVE);
    let zero = NAMES - least * scale;
    let mut bars = String::new();
    let mut y = 4.0;
    for (archetype, values) in &rows {
        let _ = write!(
            bars,
            "<text x=\"0\" y=\"{:.0}\">{}</text>",
            y + 9.0,
            escaped(&archetype.chars().take(15).collect::<String>())
        );
        for (at, value) in values.iter().enumerate() {
            if let Some(value) = value {
                let width = (value.abs() * scale).max(1.0);
                let from = if *value < 0.0 { zero - width } else { zero };
                let _ = write!(
                    bars,
                    "<rect class=\"s{}\" x=\"{from:.1}\" y=\"{y:.0}\" width=\"{width:.1}\" height=\"9\"/><text x=\"{:.1}\" y=\"{:.0}\">{}</text>",
                    at.min(COLOURS - 1),
                    from + width + 3.0,
                    y + 9.0,
                    short(*value)
                );
                y += 12.0;
            }
        }
        y += 8.0;
    }
    let _ = writeln!(
        page,
        "<figure><figcaption>{0}</figcaption><svg viewBox=\"0 0 {WIDTH} {y:.0}\" role=\"img\" aria-label=\"{0} by archetype\">\
         <line class=\"axis\" x1=\"{zero:.1}\" x2=\"{zero:.1}\" y1=\"0\" y2=\"{y:.0}\"/>{bars}</svg></figure>",
        metric.name()
    );
}

/// How much of what is wanted is shown within how many tokens: a line for each system.
fn curves(page: &mut String, results: &Results) {
    let drawn: Vec<(&str, String)> = results
        .archetypes()
        .into_iter()
        .filter_map(|archetype| Some((archetype, curve(results, archetype)?)))
        .collect();
    if drawn.is_empty() {
        return;
    }
    *page += "<h2>Recall by tokens</h2>\n<div class=\"charts\">\n";
    for (archetype, lines) in drawn {
        let _ = writeln!(
            page,
            "<figure><figcaption>{0}</figcaption><svg viewBox=\"0 0 300 120\" role=\"img\" aria-label=\"recall by tokens, {0}\">\
             <line class=\"axis\" x1=\"30\" x2=\"290\" y1=\"95\" y2=\"95\"/><line class=\"axis\" x1=\"30\" x2=\"30\" y1=\"10\" y2=\"95\"/>\
             <text x=\"0\" y=\"14\">100 %</text><text x=\"10\" y=\"98\">0</text>{lines}</svg></figure>",
            escaped(archetype)
        );
    }
    *page += "</div>\n";
}

fn curve(results: &Results, archetype: &str) -> Option<String> {
    let x = |tokens: u64| 30.0 + 250.0 * tokens as f64 / BUDGET as f64;
    let mut lines = String::new();
    for (at, system) in results.systems().into_iter().enumerate() {
        let choice = Choice {
            archetype: Some(archetype),
            ..Choice::of(system)
        };
        let recall = |metric| results.summary(metric, choice)?.mean;
        let known = CURVE.iter().filter_map(|(metric, tokens)| {
            let y = 95.0 - 85.0 * recall(*metric)?;
            Some(format!("{:.1},{y:.1}", x(*tokens)))
        });
        let points: Vec<String> = std::iter::once("30.0,95.0".to_owned())
            .chain(known)
            .collect();
        if points.len() > 1 {
            let _ = write!(
                lines,
                "<polyline class=\"l{}\" points=\"{}\"><title>{}</title></polyline>",
                at.min(COLOURS - 1),
                points.join(" "),
                escaped(system)
            );
        }
    }
    if lines.is_empty() {
        return None;
    }
    for (_, tokens) in CURVE {
        let _ = write!(
            lines,
            "<text x=\"{:.0}\" y=\"110\">{tokens}</text>",
            x(tokens) - 12.0
        );
    }
    Some(lines)
}

/// A number beside a bar: three digits or so tell enough.
fn short(value: f64) -> String {
    let digits = if value.abs() >= 100.0 { 1.0 } else { 100.0 };
    number((value * digits).round() / digits)
}

/// The cases of `system` that are to be looked at.
fn cases(page: &mut String, results: &Results, system: &str) {
    /// So many of another than ours, who may fail in all: the page is for a browser.
    const MOST: usize = 200;
    let failing = failing(results, system);
    let (of, most) = match system {
        OURS => (String::new(), failing.len()),
        other => (format!(" of {}", escaped(other)), MOST),
    };
    let _ = writeln!(page, "<h2>Cases{of} to look at ({})</h2>", failing.len());
    for case in failing.iter().take(most) {
        let values: Vec<String> = case
            .values
            .iter()
            .map(|(metric, value)| {
                format!(
                    "{} {}",
                    metric.name(),
                    value.map_or("undefined".to_owned(), number)
                )
            })
            .collect();
        let _ = writeln!(
            page,
            "<details><summary>{} {}: {}</summary><pre>{}\nexpected\n  {}\nshown\n  {}\n\n{}</pre><code>{}</code></details>",
            escaped(&case.archetype),
            escaped(&case.case),
            escaped(&case.asked),
            escaped(&reasons(case)),
            escaped(&case.expected.join("\n  ")),
            escaped(&shown(case).join("\n  ")),
            escaped(&values.join("\n")),
            escaped(&command(results, case))
        );
    }
    if let Some(more) = failing.len().checked_sub(most).filter(|more| *more > 0) {
        let _ = writeln!(
            page,
            "<p>And {}: <code>windlass zoo report --format json</code> has them.</p>",
            counted(more, "more case")
        );
    }
}
