//! The lines that say what became of recalls.

use std::collections::BTreeSet;

use serde_json::Value;
use windlass_base::{Diagnostic, did_you_mean};

use super::impressions::{SCHEMA_VERSION, faulty, place};
use crate::date::is_date;
use crate::feedback::{MAX_QUERY, Outcome, UNMATCHED};
use crate::kind::Status;
use crate::layout::FEEDBACK;
use crate::memory::Memory;

pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    let file = &memory.feedback_lines;
    faulty(file, FEEDBACK, "feedback-syntax", found);
    let active = memory
        .impressions
        .iter()
        .filter(|one| one.status == Status::Active);
    let ids: BTreeSet<&str> = active.map(|one| one.id.as_str()).collect();
    for line in file.lines.iter() {
        let at = |field: &str| place(file, line, field);
        match line.fields.get("schema_version").map(Value::as_u64) {
            Some(Some(SCHEMA_VERSION)) => {}
            None => found.push(
                Diagnostic::warning(
                    "missing-schema-version",
                    "the field `schema_version` is missing",
                )
                .at(at("schema_version"))
                .help("write `\"schema_version\": 1`"),
            ),
            Some(_) => found.push(
                Diagnostic::error(
                    "schema-version",
                    format!("only `schema_version` {SCHEMA_VERSION} is known"),
                )
                .at(at("schema_version"))
                .help("update windlass if something newer wrote it"),
            ),
        }
        match line.text("query").map(str::trim) {
            None | Some("") => found.push(Diagnostic::error("feedback-field", "`query` has to be a text that says something").at(at("query")).help("write the words that were looked for")),
            Some(query) if query.chars().count() > MAX_QUERY => found.push(
                Diagnostic::warning("long-feedback-query", format!("the query has more than {MAX_QUERY} characters: it is what somebody typed, and no cue")).at(at("query")).help("keep the few words that matter"),
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
                    Some(outcome) => format!("`{outcome}` is no outcome{near}"),
                };
                found.push(
                    Diagnostic::error("feedback-outcome", message)
                        .at(at("outcome"))
                        .help(format!("there are: {}", known.join(", "))),
                );
            }
        }
        if !line.text("created").is_some_and(is_date) {
            found.push(
                Diagnostic::warning("invalid-date", "`created` has to be a day or a time")
                    .at(at("created"))
                    .help("write `2026-03-01`"),
            );
        }
        if let Some(id) = line
            .text("matched_id")
            .filter(|id| *id != UNMATCHED && !ids.contains(id))
        {
            found.push(
                Diagnostic::warning(
                    "unmatched-feedback",
                    format!("there is no active impression `{id}`"),
                )
                .at(at("matched_id"))
                .help("it changes nothing until there is one; newer feedback may say more"),
            );
        }
    }
}
