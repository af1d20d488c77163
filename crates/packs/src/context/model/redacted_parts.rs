//! Counts the marks in a context pack, which take the place of secret values.

use std::collections::{BTreeMap, BTreeSet};

use crate::context::{
    ContextPack, Redaction, RedactionReport, artifact_item, change_item, decision_item, doc_item,
    failure_item, file_item,
};
use crate::redaction::marks_in;

/// Counts marks by part, and lists the `withheld` files. Returns `None` if there are neither marks
/// nor such files.
#[must_use]
pub fn redaction_of(pack: &ContextPack, withheld: BTreeSet<String>) -> Option<RedactionReport> {
    let delta = pack.delta.iter();
    let failures = delta.clone().flat_map(|delta| &delta.failures);
    let changes = delta.flat_map(|delta| &delta.files);
    let docs = pack
        .doc_refs
        .iter()
        .map(|it| (doc_item(&it.path), it.excerpt.as_ref()));
    let files = pack
        .relevant_files
        .iter()
        .map(|it| (file_item(&it.path), it.excerpt.as_ref()));
    let purposes = pack
        .relevant_files
        .iter()
        .map(|it| (file_item(&it.path), it.purpose.as_ref()));
    let done = pack.definition_of_done.iter();
    let done = done.map(|it| ("definitionOfDone".to_owned(), Some(it)));
    let decisions = pack.decisions.iter();
    let decisions = decisions.map(|it| (decision_item(&it.id), Some(&it.summary)));
    let artifacts = pack.artifacts.iter();
    let artifacts = artifacts.map(|it| (artifact_item(&it.reference), it.summary.as_ref()));
    let values: Vec<(String, String)> = [
        ("constraints", &pack.constraints),
        ("repoFacts", &pack.repo_facts),
    ]
    .into_iter()
    .flat_map(|(field, values)| values.iter().map(move |(name, value)| (field, name, value)))
    .map(|(field, name, value)| (format!("{field}/{name}"), value.to_string()))
    .collect();
    let values = values.iter().map(|(item, text)| (item.clone(), Some(text)));
    let texts = docs
        .chain(files)
        .chain(purposes)
        .chain(done)
        .chain(decisions)
        .chain(artifacts)
        .chain(values)
        .chain(changes.map(|it| (change_item(&it.path), it.diff.as_ref())))
        .chain(failures.map(|it| {
            (
                failure_item(&it.id),
                it.detail.as_ref().or(Some(&it.summary)),
            )
        }))
        .chain([("goal".to_owned(), Some(&pack.goal))]);
    let mut counts: BTreeMap<(String, String), u32> = BTreeMap::new();
    for (item, text) in texts {
        let marks = text.map(|text| marks_in(text)).unwrap_or_default();
        for (rule, count) in marks {
            *counts.entry((item.clone(), rule)).or_default() += count;
        }
    }
    let replaced = counts.into_iter();
    let replaced: Vec<Redaction> = replaced
        .map(|((item, rule), count)| Redaction { item, rule, count })
        .collect();
    let withheld: Vec<String> = withheld.into_iter().collect();
    (!replaced.is_empty() || !withheld.is_empty()).then_some(RedactionReport {
        replaced,
        withheld,
        ..RedactionReport::default()
    })
}
