//! Rules for the lines of the feedback log.

use serde_json::Value;
use windlass_base::{Diagnostic, did_you_mean};

use crate::check::checked_impressions::{SCHEMA_VERSION, faulty, place};
use crate::records::feedback::{MAX_NOTE, MAX_QUERY, Outcome, UNMATCHED};
use crate::records::kind::Status;
use crate::state::memory::{LineFile, Memory};
use crate::texts::day::is_date;
use crate::texts::json_lines::JsonLine;
use crate::texts::layout::FEEDBACK;

pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    let file = &memory.feedback_lines;
    faulty(file, FEEDBACK, "feedback-syntax", found);
    for line in file.lines.iter() {
        let at = |field: &str| place(file, line, field);
        match line.fields.get("schema_version").map(Value::as_u64) {
            Some(Some(SCHEMA_VERSION)) => {}
            None => found.push(
                Diagnostic::error(
                    "missing-schema-version",
                    "the field `schema_version` is missing",
                )
                .at(at("schema_version"))
                .help("write `\"schema_version\": 1`"),
            ),
            Some(_) => found.push(
                Diagnostic::error(
                    "schema-version",
                    format!("unsupported `schema_version`: only {SCHEMA_VERSION} is known"),
                )
                .at(at("schema_version"))
                .help("update windlass if a newer version wrote this line"),
            ),
        }
        match line.text("query").map(str::trim) {
            None | Some("") => found.push(
                Diagnostic::error("feedback-field", "`query` must be a non-empty string")
                    .at(at("query"))
                    .help("write the words that were searched for"),
            ),
            Some(query) if query.chars().count() > MAX_QUERY => found.push(
                Diagnostic::warning(
                    "long-feedback-query",
                    format!("the query has more than {MAX_QUERY} characters; a cue is a few words"),
                )
                .at(at("query"))
                .help("keep the few words that matter"),
            ),
            Some(_) => {}
        }
        match line.text("outcome") {
            Some(outcome) if Outcome::parse(outcome).is_some() => {}
            outcome => {
                let known = Outcome::ALL.map(Outcome::as_str);
                let near = outcome.and_then(|outcome| did_you_mean(outcome, known.iter().copied()));
                let near = near
                    .map(|near| format!("; did you mean `{near}`?"))
                    .unwrap_or_default();
                let message = match outcome {
                    None => "the field `outcome` is missing".to_owned(),
                    Some(outcome) => format!("unknown outcome `{outcome}`{near}"),
                };
                found.push(
                    Diagnostic::error("feedback-outcome", message)
                        .at(at("outcome"))
                        .help(format!("known outcomes: {}", known.join(", "))),
                );
            }
        }
        let created = match line.fields.get("created") {
            None => Some(("feedback-field", "the field `created` is missing")),
            Some(day) if day.as_str().is_some_and(is_date) => None,
            Some(_) => Some(("invalid-date", "`created` must be a day or a time")),
        };
        if let Some((rule, message)) = created {
            let finding = Diagnostic::error(rule, message).at(at("created"));
            found.push(finding.help("write `2026-03-01`"));
        }
        texts(file, line, found);
        let id = line.text("matched_id").filter(|id| *id != UNMATCHED);
        if let Some(id) = id.filter(|id| !counts(memory, id)) {
            found.push(
                Diagnostic::warning(
                    "unmatched-feedback",
                    format!("no current impression or record has the id `{id}`"),
                )
                .at(at("matched_id"))
                .help("this feedback affects no record until one has this id"),
            );
        }
    }
}

/// Returns true if feedback on `id` affects recall, either for that entry or for its successor.
fn counts(memory: &Memory, id: &str) -> bool {
    match (memory.impression(id), memory.find(id)) {
        (Some(one), _) => one.status != Status::Archived,
        (None, Some(record)) => record.status() != Status::Archived,
        (None, None) => false,
    }
}

/// Reports optional fields that aren't strings, and notes that are too long.
fn texts(file: &LineFile, line: &JsonLine, found: &mut Vec<Diagnostic>) {
    for field in ["matched_id", "note"] {
        let is_text = |value: &Value| value.is_string() || value.is_null();
        if !line.fields.get(field).is_none_or(is_text) {
            let message = format!("`{field}` must be a string");
            let finding = Diagnostic::error("feedback-field", message).at(place(file, line, field));
            found.push(finding.help("write it in double quotes, or remove it"));
        }
    }
    let note = line.text("note").unwrap_or_default();
    if note.chars().count() > MAX_NOTE {
        let message =
            format!("the note has more than {MAX_NOTE} characters; feedback is a few words");
        let finding = Diagnostic::warning("long-feedback-note", message);
        found.push(
            finding
                .at(place(file, line, "note"))
                .help("shorten it, or write a record"),
        );
    }
}
