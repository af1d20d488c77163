//! What was found, for other programs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Drift;
use super::found_places::Told;
use super::score::Score;
use super::table::Table;

/// The version of the format.
const SCHEMA_VERSION: u32 = 1;

/// What was found of everything that was asked for.
#[derive(Debug, Serialize)]
pub struct DriftReport {
    schema_version: u32,
    /// In the order in which it was asked for.
    found: Vec<Found>,
}

/// How often each score was reached, by the name of a row.
type Counts = BTreeMap<String, BTreeMap<&'static str, u32>>;

/// What was found over one distance, or by one set of edits.
#[derive(Debug, Serialize)]
struct Found {
    /// What was asked for.
    title: String,
    /// Why nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    /// How many commits lie between the two states.
    #[serde(skip_serializing_if = "Option::is_none")]
    commits: Option<u32>,
    /// How many days.
    #[serde(skip_serializing_if = "Option::is_none")]
    days: Option<i64>,
    /// How many places have an agreed truth.
    places: u32,
    /// Of these: stand where they stood.
    stand: u32,
    /// Stand elsewhere or were edited, and were found.
    found_again: u32,
    /// Are gone, and that was said.
    gone: u32,
    /// Nothing was claimed of.
    given_up: u32,
    /// Something false was said of.
    #[serde(rename = "false")]
    wrong: u32,
    /// How many places more have no agreed truth.
    without_truth: u32,
    /// Scores by what became of places.
    labels: Counts,
    /// Scores by what was said of them.
    verdicts: Counts,
    /// Scores by kind of edit, where edits are scripted.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    edits: Counts,
    /// Places that are named, with how the verdict on each was reached where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    named: Vec<String>,
}

impl Drift {
    /// What was found, for other programs.
    #[must_use]
    pub fn report(&self) -> DriftReport {
        let found = self.found.iter();
        DriftReport {
            schema_version: SCHEMA_VERSION,
            found: found
                .map(|(asked, told)| Found::of(&asked.title, told))
                .collect(),
        }
    }
}

impl Found {
    fn of(title: &str, told: &Told) -> Self {
        let table = &told.table;
        let fates = table.fates();
        let [stand, found_again, gone, given_up, wrong] = fates;
        let named = told.lines.iter();
        Self {
            title: title.to_owned(),
            failure: told.failure.clone(),
            commits: told.apart.map(|(commits, _)| commits),
            days: told.apart.map(|(_, days)| days),
            places: fates.iter().sum(),
            stand,
            found_again,
            gone,
            given_up,
            wrong,
            without_truth: table.disagreed,
            labels: Table::rows(&table.labels, |label| label.word().to_owned()),
            verdicts: Table::rows(&table.rules, |rule| rule.trim_end().to_owned()),
            edits: Table::rows(&table.kinds, String::clone),
            named: named.map(|line| line.trim().to_owned()).collect(),
        }
    }
}

impl Table {
    fn rows<K>(rows: &BTreeMap<K, BTreeMap<Score, u32>>, name: impl Fn(&K) -> String) -> Counts {
        let row = |(key, scores): (&K, &BTreeMap<Score, u32>)| {
            let scores = scores.iter().map(|(score, count)| (score.word(), *count));
            (name(key), scores.collect())
        };
        rows.iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use windlass_base::{Freshness, Judgement};

    use super::super::score::{Label, Truth};
    use super::*;

    #[test]
    fn counts_have_names() {
        let truth = Truth {
            label: Label::MovedSameFile,
            file: "a.rs".to_owned(),
            inner: (1, 2),
            outer: (1, 2),
        };
        let judgement = Judgement::new(Freshness::Fresh, None);
        let mut told = Told {
            apart: Some((97, 30)),
            lines: vec!["  it".to_owned()],
            ..Told::default()
        };
        told.table.count(&truth, &judgement, Score::Correct);
        told.table.count(&truth, &judgement, Score::GaveUp);
        let text = serde_json::to_value(Found::of("97 back", &told)).unwrap();
        let expected = serde_json::json!({
            "title": "97 back", "commits": 97, "days": 30, "places": 2, "stand": 0, "found_again": 1, "gone": 0, "given_up": 1,
            "false": 0, "without_truth": 0, "named": ["it"],
            "labels": { "moved, same file": { "correct": 1, "gaveup": 1 } },
            "verdicts": { "fresh": { "correct": 1, "gaveup": 1 } },
        });
        assert_eq!(text, expected);
    }
}
