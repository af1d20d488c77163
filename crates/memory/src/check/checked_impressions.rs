//! Checks the lines of `impressions.jsonl`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use windlass_base::{Diagnostic, Place};

use crate::check::checked_records::scope_of;
use crate::records::keywords::{GENERIC, MAX_KEYWORDS, MIN_KEYWORDS};
use crate::records::kind::{RecordKind, Status};
use crate::state::memory::{LineFile, Memory};
use crate::texts::conflict_marks::conflict_lines;
use crate::texts::day::is_date;
use crate::texts::json_lines::JsonLine;
use crate::texts::layout::IMPRESSIONS;

/// From this number on, we report generic keywords. One or two next to specific keywords do no
/// harm.
const MANY_GENERIC: usize = 3;
/// Version of the line format. There's been only one so far.
pub(crate) const SCHEMA_VERSION: u64 = 1;

const REQUIRED: [&str; 6] = ["id", "scope", "title", "keywords", "record_path", "updated"];

/// A check for one field of a JSON line: the name of the field, the rule to report, the expected
/// value in words, the test, and the help.
pub(super) type FieldRule = (
    &'static str,
    &'static str,
    &'static str,
    fn(&Value) -> bool,
    &'static str,
);

const WORDS: &str = "a text with words";
const QUOTE: &str = "write it in double quotes";
const FIELDS: [FieldRule; 10] = [
    ("id", "impression-field", WORDS, is_text, QUOTE),
    ("scope", "impression-field", WORDS, is_text, QUOTE),
    ("title", "impression-field", WORDS, is_text, QUOTE),
    ("record_path", "impression-field", WORDS, is_text, QUOTE),
    ("updated", "impression-field", WORDS, is_text, QUOTE),
    (
        // `is_text` reports anything but text, so don't report it again here.
        "updated",
        "invalid-date",
        "a date",
        |value| !is_text(value) || value.as_str().is_some_and(is_date),
        "write `2026-03-01`, or a time as `2026-03-01T10:00:00Z`",
    ),
    (
        "keywords",
        "impression-field",
        "a list of words, at least one",
        |value| is_list(value) && *value != Value::Array(Vec::new()),
        "write 5 to 12 words that lead to it",
    ),
    (
        "aliases",
        "impression-field",
        "a list of words",
        is_list,
        "omit the field if there are no aliases",
    ),
    (
        "weight",
        "impression-weight",
        "a number from 0 to 1",
        |value| value.as_f64().is_some_and(|it| (0.0..=1.0).contains(&it)),
        "omit the field for the default of 0.5",
    ),
    (
        "status",
        "invalid-status",
        "`active`, `superseded` or `archived`",
        |value| value.as_str().and_then(Status::from_word).is_some(),
        "omit the field for `active`",
    ),
];

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

fn is_list(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|items| items.iter().all(is_text))
}

pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    let file = &memory.impression_lines;
    faulty(file, IMPRESSIONS, "impression-syntax", found);
    let scope = memory.scope();
    let mut ids: BTreeMap<&str, &JsonLine> = BTreeMap::new();
    let mut keyword_sets: BTreeMap<BTreeSet<String>, &JsonLine> = BTreeMap::new();
    for line in file.lines.iter() {
        let at = |field: &str| place(file, line, field);
        fields(file, line, found);
        found.extend(version(file, line, Diagnostic::warning));
        if let Some(own) = line.text("scope").filter(|own| !own.is_empty()) {
            found.extend(scope_of(own, scope, at("scope")));
        }
        keywords(file, line, found);
        if let Some(id) = line.text("id").filter(|id| !id.is_empty()) {
            match ids.get(id) {
                None => drop(ids.insert(id, line)),
                Some(first) => {
                    let same = first.fields == line.fields;
                    let message = match same {
                        true => format!("the impression `{id}` is there twice"),
                        false => {
                            format!("two impressions have the id `{id}`, and say different things")
                        }
                    };
                    let help = match same {
                        true => "delete one of the lines; `windlass memory check --fix` does",
                        false => "give one of them another id, or make them one line",
                    };
                    let finding =
                        Diagnostic::error("duplicate-impression-id", message).at(at("id"));
                    found.push(
                        finding
                            .see(place(file, first, "id"), "it is here first")
                            .help(help),
                    );
                }
            }
        }
        let set: BTreeSet<String> = line
            .texts("keywords")
            .into_iter()
            .map(|word| word.to_lowercase())
            .collect();
        let is_active = line
            .text("status")
            .is_none_or(|status| status == Status::Active.as_str());
        // With very few keywords, two impressions may have the same ones by chance; a finding about
        // that would only add to the one about too few keywords.
        if is_active && set.len() >= MIN_KEYWORDS {
            match keyword_sets.get(&set) {
                None => drop(keyword_sets.insert(set, line)),
                Some(first) if first.text("id") != line.text("id") => {
                    let message =
                        "another impression has the same keywords, so the two cannot be told apart";
                    let finding = Diagnostic::warning("same-keywords", message).at(at("keywords"));
                    found.push(
                        finding
                            .see(place(file, first, "keywords"), "of this one")
                            .help("add a keyword that only one of them has"),
                    );
                }
                Some(_) => {}
            }
        }
    }
}

/// Reports the lines of a [`LineFile`] that we couldn't parse, except for conflict markers, which
/// are reported as an unfinished merge.
pub(super) fn faulty(file: &LineFile, name: &str, rule: &'static str, found: &mut Vec<Diagnostic>) {
    let text = file.source.as_ref().map_or("", |source| source.text());
    let marks = conflict_lines(text);
    for line in &file.faulty {
        let start = line.place.range.start;
        if marks.iter().any(|mark| mark.contains(&start)) {
            continue;
        }
        let message = format!("this line of `{name}` is set aside: {}", line.why);
        let finding = Diagnostic::error(rule, message).at(line.place.clone());
        found.push(finding.help("write one whole JSON object on each line"));
    }
}

pub(super) fn place(file: &LineFile, line: &JsonLine, field: &str) -> Place {
    match &file.source {
        Some(source) => line.place_of(source, field),
        None => super::whole(IMPRESSIONS),
    }
}

fn fields(file: &LineFile, line: &JsonLine, found: &mut Vec<Diagnostic>) {
    for field in REQUIRED.iter().filter(|it| !line.fields.contains_key(**it)) {
        let message = format!("the field `{field}` is missing");
        let finding = Diagnostic::error("impression-field", message).at(place(file, line, field));
        found.push(finding.help(format!("each line has `{}`", REQUIRED.join("`, `"))));
    }
    types(file, line, &FIELDS, found);
}

pub(super) fn types(
    file: &LineFile,
    line: &JsonLine,
    rules: &[FieldRule],
    found: &mut Vec<Diagnostic>,
) {
    for (field, rule, expected, fits, help) in rules {
        if line.fields.get(*field).is_some_and(|value| !fits(value)) {
            let finding = Diagnostic::error(rule, format!("`{field}` must be {expected}"));
            found.push(finding.at(place(file, line, field)).help(*help));
        }
    }
}

/// Checks `schema_version`. If the field is missing, `missing` creates the finding.
pub(super) fn version(
    file: &LineFile,
    line: &JsonLine,
    missing: fn(&'static str, &'static str) -> Diagnostic,
) -> Option<Diagnostic> {
    let at = || place(file, line, "schema_version");
    let Some(version) = line.fields.get("schema_version") else {
        let finding = missing(
            "missing-schema-version",
            "the field `schema_version` is missing",
        );
        let help = "run `windlass memory check --fix` to write `\"schema_version\": 1`";
        return Some(finding.at(at()).help(help));
    };
    let message = format!("unsupported `schema_version` {version}: only {SCHEMA_VERSION} is known");
    let finding = Diagnostic::error("schema-version", message).at(at());
    (version.as_u64() != Some(SCHEMA_VERSION))
        .then(|| finding.help("update windlass if a newer version wrote this line"))
}

fn keywords(file: &LineFile, line: &JsonLine, found: &mut Vec<Diagnostic>) {
    let keywords = line.texts("keywords");
    if keywords.is_empty() {
        return;
    }
    let mut warn = |rule: &'static str, message: String, help: &str| {
        found.push(
            Diagnostic::warning(rule, message)
                .at(place(file, line, "keywords"))
                .help(help),
        );
    };
    let lower: Vec<String> = keywords
        .iter()
        .map(|word| word.trim().to_lowercase())
        .collect();
    let different: BTreeSet<&String> = lower.iter().collect();
    if different.len() < lower.len() {
        warn(
            "repeated-keyword",
            "a keyword is there twice".to_owned(),
            "delete one; `windlass memory check --fix` does",
        );
    }
    // The keywords of an event file are only about the latest events in it, so there may be fewer.
    let path = line.text("record_path").unwrap_or_default();
    let is_event = RecordKind::of_path(path) == Some(RecordKind::Event);
    if different.len() < MIN_KEYWORDS && !is_event {
        warn(
            "few-keywords",
            format!(
                "{} keywords lead to this; fewer than {MIN_KEYWORDS} are easily missed",
                different.len()
            ),
            "add words that somebody would ask with",
        );
    }
    if different.len() > MAX_KEYWORDS {
        warn(
            "many-keywords",
            format!(
                "{} keywords lead to this; with more than {MAX_KEYWORDS} it comes up where it does not belong",
                different.len()
            ),
            "keep the keywords that only this impression has",
        );
    }
    let generic: Vec<&str> = lower
        .iter()
        .map(String::as_str)
        .filter(|word| GENERIC.contains(word))
        .collect();
    if generic.len() >= MANY_GENERIC {
        warn(
            "generic-keywords",
            format!("these keywords lead everywhere: {}", generic.join(", ")),
            "name the part, the tool or the file instead",
        );
    }
}
