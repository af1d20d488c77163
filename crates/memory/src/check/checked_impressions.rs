//! Rules for the lines of `impressions.jsonl`. Each line is an impression: keywords that lead to a
//! record.

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

/// Number of generic keywords from which we report them. One or two do no harm beside specific
/// ones.
const MANY_GENERIC: usize = 3;
/// The only known version of the line format.
pub(crate) const SCHEMA_VERSION: u64 = 1;

pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    let file = &memory.impression_lines;
    faulty(file, IMPRESSIONS, "impression-syntax", found);
    let scope = memory.scope();
    let mut ids: BTreeMap<&str, &JsonLine> = BTreeMap::new();
    let mut keyword_sets: BTreeMap<BTreeSet<String>, &JsonLine> = BTreeMap::new();
    for line in file.lines.iter() {
        let at = |field: &str| place(file, line, field);
        fields(file, line, found);
        version(file, line, found);
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

/// Reports lines set aside because they can't be parsed. Conflict markers are skipped, since
/// they're already reported as an unfinished merge.
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
    let mut wrong = |rule: &'static str, field: &str, message: String, help: &str| {
        found.push(
            Diagnostic::error(rule, message)
                .at(place(file, line, field))
                .help(help),
        );
    };
    for field in ["id", "scope", "title", "record_path", "updated"] {
        match line.fields.get(field) {
            Some(Value::String(text)) if !text.trim().is_empty() => {}
            None => wrong(
                "impression-field",
                field,
                format!("the field `{field}` is missing"),
                "each line has `id`, `scope`, `title`, `keywords`, `record_path` and `updated`",
            ),
            Some(_) => wrong(
                "impression-field",
                field,
                format!("`{field}` must be a text with words"),
                "write it in double quotes",
            ),
        }
    }
    if let Some(date) = line
        .text("updated")
        .filter(|date| !date.trim().is_empty() && !is_date(date))
    {
        wrong(
            "invalid-date",
            "updated",
            format!("`{date}` is not a date"),
            "write `2026-03-01`, or a time as `2026-03-01T10:00:00Z`",
        );
    }
    let is_list = |value: &Value| {
        let items = value.as_array();
        items.is_some_and(|items| {
            items
                .iter()
                .all(|item| item.as_str().is_some_and(|text| !text.trim().is_empty()))
        })
    };
    match line.fields.get("keywords") {
        None => wrong(
            "impression-field",
            "keywords",
            "the field `keywords` is missing".to_owned(),
            "write 5 to 12 words that lead to it",
        ),
        Some(list) if !is_list(list) || list.as_array().is_some_and(Vec::is_empty) => {
            wrong(
                "impression-field",
                "keywords",
                "`keywords` has to be a list of words, at least one".to_owned(),
                "write 5 to 12 words that lead to it",
            );
        }
        Some(_) => {}
    }
    if line
        .fields
        .get("aliases")
        .is_some_and(|list| !is_list(list))
    {
        wrong(
            "impression-field",
            "aliases",
            "`aliases` has to be a list of words".to_owned(),
            "omit the field if there are no aliases",
        );
    }
    if let Some(weight) = line.fields.get("weight")
        && !weight
            .as_f64()
            .is_some_and(|weight| (0.0..=1.0).contains(&weight))
    {
        wrong(
            "impression-weight",
            "weight",
            "`weight` has to be a number from 0 to 1".to_owned(),
            "omit the field for the default of 0.5",
        );
    }
    if let Some(status) = line.fields.get("status")
        && status.as_str().and_then(Status::parse).is_none()
    {
        wrong(
            "invalid-status",
            "status",
            format!("{status} is not a status"),
            "there are: active, superseded, archived",
        );
    }
}

fn version(file: &LineFile, line: &JsonLine, found: &mut Vec<Diagnostic>) {
    match line.fields.get("schema_version") {
        None => {
            let finding = Diagnostic::warning(
                "missing-schema-version",
                "the field `schema_version` is missing",
            )
            .at(place(file, line, "schema_version"));
            found.push(
                finding.help("write `\"schema_version\": 1`; `windlass memory check --fix` does"),
            );
        }
        Some(version) if version.as_u64() == Some(SCHEMA_VERSION) => {}
        Some(version) => {
            let message =
                format!("`schema_version` is {version}, and only {SCHEMA_VERSION} is known");
            let finding = Diagnostic::error("schema-version", message).at(place(
                file,
                line,
                "schema_version",
            ));
            found.push(finding.help("update windlass if a newer version wrote it"));
        }
    }
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
    // An event file only keeps the keywords of its latest events, so having few is normal.
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
