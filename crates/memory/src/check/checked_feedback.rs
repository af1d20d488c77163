use serde_json::Value;
use windlass_base::{Diagnostic, did_you_mean, similar_hint};

use crate::check::checked_impressions::{FieldRule, faulty, place, types, version};
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
        found.extend(version(file, line, Diagnostic::error));
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
            Some(outcome) if Outcome::from_word(outcome).is_some() => {}
            outcome => {
                let known = Outcome::ALL.map(Outcome::as_str);
                let near = outcome.and_then(|outcome| did_you_mean(outcome, known.iter().copied()));
                let message = match outcome {
                    None => "the field `outcome` is missing".to_owned(),
                    Some(outcome) => format!("unknown outcome `{outcome}`{}", similar_hint(near)),
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

/// True if feedback on `id` affects recall: its entry or its successor's.
fn counts(memory: &Memory, id: &str) -> bool {
    match (memory.impression(id), memory.find(id)) {
        (Some(one), _) => one.status != Status::Archived,
        (None, Some(record)) => record.status() != Status::Archived,
        (None, None) => false,
    }
}

/// Reports optional fields with a value other than a string, and notes above the maximum length.
fn texts(file: &LineFile, line: &JsonLine, found: &mut Vec<Diagnostic>) {
    let optional = |value: &Value| value.is_string() || value.is_null();
    let rules = ["matched_id", "note"].map(|field| -> FieldRule {
        let help = "write it in double quotes, or remove it";
        (field, "feedback-field", "a string", optional, help)
    });
    types(file, line, &rules, found);
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
