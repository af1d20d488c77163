//! Checks packs and payloads that other tools have made, or that were written by hand.

use std::sync::OnceLock;

use jsonschema::{ValidationError, Validator};
use serde_json::Value;
use windlass_base::{Diagnostic, Diagnostics};
use windlass_packs::context::{NotSealed, dangling_origins, read_pack, read_payload, schemas};
use windlass_plan::Document;

/// Maximum number of mismatches with the schema that we report.
const MAX_TOLD: usize = 50;

/// Checks a pack. Mismatches with the schema are errors. If there are none, we warn about a missing
/// goal, an origin for a part that the pack doesn't have, and an ID that doesn't match the
/// contents.
#[must_use]
pub fn check_pack(document: &Document) -> Diagnostics {
    let mut found = Diagnostics::default();
    mismatches(document, "context-pack", &mut found);
    check_moment(document, "/createdAt", &mut found);
    if found.has_errors() {
        return found;
    }
    let root = document.root().place();
    match read_pack(document.value().clone()) {
        Err(error) => found.push(Diagnostic::error("not-a-pack", error.to_string()).at(root)),
        Ok(pack) => {
            if pack.goal.trim().is_empty() {
                let place = document.at("/goal").map_or(root, |goal| goal.place());
                let message = "`goal` is empty, so the pack does not state its purpose";
                let help = "state the goal in one to three sentences";
                found.push(Diagnostic::warning("no-goal", message).at(place).help(help));
            }
            if let Some(item) = dangling_origins(&pack).first() {
                let place = document.at("/provenance/items").map(|it| it.place());
                let message = format!(
                    "the provenance has an origin for `{item}`, which the pack does not have"
                );
                let help = "merging the pack drops this origin; remove it from `provenance`";
                let warning = Diagnostic::warning("dangling-origin", message).help(help);
                found.push(match place {
                    Some(place) => warning.at(place),
                    None => warning,
                });
            }
            // Other tools have their own kinds of IDs. Only if there's a schema version, we know
            // that the ID should match the contents.
            if let (Some(_), Err(error @ NotSealed::OtherContents { .. })) =
                (pack.schema_version, pack.check_seal())
            {
                let place = document.at("/packId").map(|id| id.place());
                let help = "no command uses a pack that was changed by hand; remove `schema_version` if another tool made it";
                let warning = Diagnostic::warning("changed-pack", error.to_string()).help(help);
                found.push(match place {
                    Some(place) => warning.at(place),
                    None => warning,
                });
            }
        }
    }
    found
}

/// Checks an edge payload, which is the message from one node to the next.
#[must_use]
pub fn check_payload(document: &Document) -> Diagnostics {
    let mut found = Diagnostics::default();
    mismatches(document, "edge-payload", &mut found);
    check_moment(document, "/createdAt", &mut found);
    if !found.has_errors()
        && let Err(error) = read_payload(document.value().clone())
    {
        let place = document.root().place();
        found.push(Diagnostic::error("not-a-payload", error.to_string()).at(place));
    }
    found
}

fn check_moment(document: &Document, pointer: &str, found: &mut Diagnostics) {
    let Some(node) = document.at(pointer) else {
        return;
    };
    if let Value::String(text) = node.value()
        && text.parse::<jiff::Timestamp>().is_err()
    {
        let message = format!("`{text}` is not a timestamp");
        let help = "write it as RFC 3339: `2026-01-31T12:00:00Z`";
        found.push(
            Diagnostic::error("wrong-value", message)
                .at(node.place())
                .help(help),
        );
    }
}

fn mismatches(document: &Document, name: &str, found: &mut Diagnostics) {
    let Some(validator) = validator(name) else {
        return;
    };
    let words = known_words(document.value(), name);
    for error in validator.iter_errors(document.value()).take(MAX_TOLD) {
        let pointer = error.instance_path().to_string();
        let node = document.at(&pointer).unwrap_or_else(|| document.root());
        let what = if pointer.is_empty() { "/" } else { &*pointer };
        let message = format!("{what}: {}", error.masked());
        let mut wrong = Diagnostic::error(rule(&error), message).at(node.place());
        if is_word(&error)
            && let Some(words) = &words
        {
            wrong = Diagnostic::error(rule(&error), format!("{what}: {words}")).at(node.place());
        }
        found.push(wrong);
    }
}

/// True if a string isn't one of the permitted words. The message of [`known_words`] is better in
/// this case.
fn is_word(error: &ValidationError<'_>) -> bool {
    use jsonschema::error::ValidationErrorKind as Kind;
    matches!(error.kind(), Kind::OneOfNotValid { .. } | Kind::Enum { .. })
}

/// The parser's message about the first unknown word. It lists the words that are permitted.
fn known_words(value: &Value, name: &str) -> Option<String> {
    let error = match name {
        "context-pack" => read_pack(value.clone()).err()?,
        _ => read_payload(value.clone()).err()?,
    };
    let told = error.to_string();
    told.starts_with("unknown variant").then_some(told)
}

fn rule(error: &ValidationError<'_>) -> &'static str {
    use jsonschema::error::ValidationErrorKind as Kind;
    match error.kind() {
        Kind::Required { .. } => "missing-field",
        Kind::Type { .. } => "wrong-type",
        _ => "wrong-value",
    }
}

fn validator(name: &str) -> Option<&'static Validator> {
    static ALL: OnceLock<Vec<(String, Validator)>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let ready = |(name, schema): (String, Value)| {
            Some((name, jsonschema::draft202012::new(&schema).ok()?))
        };
        schemas().into_iter().filter_map(ready).collect()
    });
    all.iter()
        .find(|(known, _)| known == name)
        .map(|(_, validator)| validator)
}
