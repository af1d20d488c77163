//! Ours against each other system, with confidence intervals; and by kind of question.

use super::beside::beside;
use crate::metric::Metric;
use crate::recipe::Kind;
use crate::results::{CaseResult, Choice, Results};
use crate::{OURS, number};

/// What systems are compared by.
const METRICS: [Metric; 2] = [Metric::RecallAtTokens, Metric::NoiseRatio];

/// A table: its head, and its rows.
pub(super) struct Rows {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// For each archetype how ours differs from each other system, with the 95 % interval of the mean difference.
pub(super) fn versus(results: &Results) -> Rows {
    let systems = results.systems();
    let others: Vec<&str> = systems.into_iter().filter(|name| *name != OURS).collect();
    let mut head = vec!["ours less".to_owned()];
    for metric in METRICS {
        head.extend(
            others
                .iter()
                .map(|other| format!("{other}: {}", metric.name())),
        );
    }
    let cells = |archetype: Option<&str>| -> Vec<String> {
        let choice = Choice {
            archetype,
            ..Choice::of(OURS)
        };
        let compared = METRICS.iter().flat_map(|metric| {
            others.iter().map(move |other| {
                let compared = results.compared(*metric, choice, other);
                compared.map_or_else(String::new, |one| {
                    let chance = if one.is_noise { " (may be chance)" } else { "" };
                    let interval = one.interval.map_or_else(String::new, |(low, high)| {
                        format!(" [{}, {}]", number(low), number(high))
                    });
                    format!("{}{interval}{chance}", number(one.difference))
                })
            })
        });
        compared.collect()
    };
    let mut rows = Vec::new();
    let of_each = results.archetypes().into_iter().map(Some);
    for archetype in of_each.chain([None]) {
        let cells = cells(archetype);
        if cells.iter().any(|cell| !cell.is_empty()) {
            let name = archetype.unwrap_or("all").to_owned();
            rows.push([vec![name], cells].concat());
        }
    }
    Rows { head, rows }
}

/// How well each kind of question is answered: ours over all of its questions, and beside each other system over those in which both
/// have a value.
pub(super) fn by_kind(results: &Results) -> Rows {
    let systems = results.systems();
    let others: Vec<&str> = systems.into_iter().filter(|name| *name != OURS).collect();
    let metrics = [&METRICS[..], &[Metric::NothingSaid]].concat();
    let mut head = vec!["kind of question".to_owned(), "questions".to_owned()];
    for metric in &metrics {
        head.push(format!("ours: {}", metric.name()));
        let pairs = others.iter();
        head.extend(pairs.map(|other| format!("ours / {other} (both): {}", metric.name())));
    }
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        let choice = Choice {
            kinds: &[kind],
            ..Choice::of(OURS)
        };
        let count = results.chosen(choice).count();
        if count == 0 {
            continue;
        }
        let mut row = vec![kind.as_str().to_owned(), count.to_string()];
        for metric in &metrics {
            let own = results.summary(*metric, choice);
            row.push(own.map_or_else(String::new, |own| own.mean.map_or("–".to_owned(), number)));
            let is_meant = |case: &CaseResult| case.kind == Some(kind);
            row.extend(
                others
                    .iter()
                    .map(|other| beside(results, *metric, other, is_meant)),
            );
        }
        rows.push(row);
    }
    Rows { head, rows }
}
