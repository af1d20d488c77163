//! Marks that stand in place of secret values.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    ContextPack, Redaction, RedactionReport, artifact_item, change_item, decision_item, doc_item,
    failure_item, file_item,
};

const BEGIN: &str = "[redacted:";

/// How many marks of each rule stand in `text`.
#[must_use]
pub fn marks_in(text: &str) -> BTreeMap<String, u32> {
    let mut marks = BTreeMap::new();
    for rest in text.split(BEGIN).skip(1) {
        let Some((rule, _)) = rest.split_once(']') else {
            continue;
        };
        if is_rule(rule) {
            *marks.entry(rule.to_owned()).or_default() += 1;
        }
    }
    marks
}

/// `text` with a blank for each mark: what stood there is not known, and the name of the rule is no word of the text.
#[must_use]
pub fn without_marks(text: &str) -> String {
    let mut parts = text.split(BEGIN);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for rest in parts {
        match rest.split_once(']') {
            Some((rule, behind)) if is_rule(rule) => {
                plain.push(' ');
                plain.push_str(behind);
            }
            _ => {
                plain.push_str(BEGIN);
                plain.push_str(rest);
            }
        }
    }
    plain
}

fn is_rule(name: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.len() <= 40 && name.chars().all(is_sign)
}

/// Which marks stand in which part of `pack`, and which files it could not read; nothing where there is neither.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_marks_are_counted_by_rule() {
        let marks =
            marks_in("[redacted:a-b] x [redacted:a-b] [redacted:] [redacted:C] [redacted:z");
        assert_eq!(
            marks.into_iter().collect::<Vec<_>>(),
            [("a-b".to_owned(), 2)]
        );
    }

    #[test]
    fn marks_are_no_words() {
        for (text, plain) in [
            ("fix [redacted:ticket] now", "fix   now"),
            ("[redacted:a-b][redacted:c]", "  "),
            (
                "see [redacted:] or [redacted:X] or [redacted:z",
                "see [redacted:] or [redacted:X] or [redacted:z",
            ),
            ("none", "none"),
        ] {
            assert_eq!(without_marks(text), plain, "{text}");
        }
    }
}
