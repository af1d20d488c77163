//! Checks fields against the specification.

use windlass_base::{Diagnostic, did_you_mean};
use windlass_tron::Value;

use super::findings::Findings;
use crate::specification::one_of;
use crate::time::{is_date, is_duration, is_time_zone, moment, similar_zone};
use crate::{Kind, Node, Operation, Shape, Version};

/// The entity of playbook events.
///
/// In addition to its fields, it has rules that depend on the operation.
const EVENT: &str = "PlaybookItem";

pub(super) struct FieldShapes<'f> {
    /// If true, a field with the value `null` counts as absent.
    takes_null: bool,
    pub(super) version: &'static Version,
    pub(super) found: &'f mut Findings,
}

impl<'f> FieldShapes<'f> {
    pub(super) fn new(
        takes_null: bool,
        version: &'static Version,
        found: &'f mut Findings,
    ) -> Self {
        Self {
            takes_null,
            version,
            found,
        }
    }

    /// Checks an entity and all of its parts.
    ///
    /// This is recursive, which is safe because documents have at most 256 levels.
    pub(super) fn entity(&mut self, node: Node<'_>, shape: &'static Shape) {
        if node.value().as_object().is_none() {
            return self.wrong_type(node, &Kind::Open, &shape.name);
        }
        for field in shape.fields.iter().filter(|field| field.is_required) {
            if node.get(&field.name).is_none() {
                self.missing(node, &shape.name, &field.name, &field.kind);
            }
        }
        // Most entities have no unknown field, so we only collect the names to suggest when we find
        // one.
        let mut free: Option<Vec<&str>> = None;
        for (key, member) in node.members() {
            match shape.field(key) {
                Some(field) if member.value().is_null() => {
                    self.null(member, key, field.is_required);
                }
                Some(field) => self.value(member, &field.kind, key),
                None => {
                    let free = free.get_or_insert_with(|| fields_left(node, shape));
                    self.unknown(member, key, shape, free);
                }
            }
        }
        if shape.name == EVENT {
            self.event(node);
        }
    }

    fn missing(&mut self, node: Node<'_>, entity: &str, field: &str, kind: &Kind) {
        let article = if entity.starts_with(['A', 'E', 'I', 'O', 'U']) {
            "an"
        } else {
            "a"
        };
        self.found.push(
            Diagnostic::error(
                "missing-field",
                format!("`{field}` is missing in {article} {entity}"),
            )
            .at(node.place())
            .help(format!("add `{field}`: {}", kind.told())),
        );
    }

    fn null(&mut self, member: Node<'_>, key: &str, is_required: bool) {
        if is_required || self.takes_null {
            return;
        }
        let message = format!("`{key}` is `null`, which other JSON readers refuse");
        let finding = Diagnostic::warning("null-member", message).at(member.key_place());
        self.found.push(finding.help(format!("remove `{key}`")));
    }

    /// Reports an unknown field that's probably a typo.
    ///
    /// The specification allows unknown fields, so nobody would notice it otherwise.
    fn unknown(&mut self, member: Node<'_>, key: &str, shape: &'static Shape, free: &[&str]) {
        // A short name is similar to too many others.
        let near = did_you_mean(key, free.iter().copied()).filter(|_| key.len() > 3);
        let finding = if shape.is_closed {
            let names: Vec<String> = shape
                .fields
                .iter()
                .map(|field| format!("`{}`", field.name))
                .collect();
            let message = format!(
                "`{key}` is not a field of {}, which only has {}",
                shape.name,
                names.join(", ")
            );
            let finding = Diagnostic::error("unknown-field", message);
            finding.help(near.map_or_else(
                || "move it to `metadata`".to_owned(),
                |near| format!("did you mean `{near}`?"),
            ))
        } else if let Some(near) = near {
            let message = format!(
                "`{key}` is not a field of {}, so it has no effect",
                shape.name
            );
            Diagnostic::warning("misspelt-field", message).help(format!("did you mean `{near}`?"))
        } else {
            return;
        };
        self.found.push(finding.at(member.key_place()));
    }

    fn wrong_type(&mut self, node: Node<'_>, kind: &Kind, key: &str) {
        let found = match node.value() {
            Value::Null => "`null`",
            Value::Bool(_) => "`true` or `false`",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        let message = format!("`{key}` is {found}, expected {}", kind.told());
        self.found
            .push(Diagnostic::error("wrong-type", message).at(node.place()));
    }

    fn value(&mut self, node: Node<'_>, kind: &Kind, key: &str) {
        match (kind, node.value()) {
            (Kind::Any | Kind::Open, Value::Object(_))
            | (Kind::Any, _)
            | (Kind::Text, Value::String(_)) => {}
            (Kind::Name, Value::String(text)) => {
                if text.is_empty() {
                    let message = format!("`{key}` is empty");
                    self.found
                        .push(Diagnostic::error("empty-text", message).at(node.place()));
                }
            }
            (Kind::DateTime | Kind::TimeZone | Kind::Uri | Kind::Duration, Value::String(text)) => {
                self.form(node, kind, key, text);
            }
            (Kind::Choice(words), Value::String(text)) => self.word(node, words, key, text),
            (Kind::Whole { .. } | Kind::Number { .. }, Value::Number(_)) => {
                self.number(node, kind, key);
            }
            (Kind::List(inner), Value::Array(_)) => {
                for item in node.items() {
                    // `null` only makes sense in place of a field, where it means that the field is
                    // absent.
                    match item.value().is_null() {
                        true => self.wrong_type(item, inner, key),
                        false => self.value(item, inner, key),
                    }
                }
            }
            (Kind::Texts, Value::Object(_)) => {
                for (title, text) in node.members() {
                    match text.value() {
                        Value::String(_) => {}
                        Value::Null if self.takes_null => {}
                        _ => self.wrong_type(text, &Kind::Text, title),
                    }
                }
            }
            (Kind::Entity(shape), Value::Object(_)) => self.entity(node, self.version.shape(shape)),
            _ => self.wrong_type(node, kind, key),
        }
    }

    fn form(&mut self, node: Node<'_>, kind: &Kind, key: &str, text: &str) {
        let finding = match kind {
            Kind::DateTime if self.version.dates && is_date(text) => {
                Diagnostic::warning("date-time", format!("`{key}` is a date without a time"))
            }
            Kind::DateTime if moment(text).is_none() => {
                // This is the most frequent mistake in a time.
                let what = if moment(&format!("{text}Z")).is_some() {
                    "has no offset"
                } else {
                    "is not a time"
                };
                Diagnostic::error("date-time", format!("`{key}` {what}"))
            }
            Kind::TimeZone if !is_time_zone(text) => {
                let shown: String = text.chars().take(60).collect();
                let message = format!("`{shown}` is not a known time zone");
                let finding = Diagnostic::warning("time-zone", message).at(node.place());
                let near = similar_zone(&shown);
                let help = near.map_or_else(
                    || format!("write {}", kind.told()),
                    |near| format!("did you mean `{near}`?"),
                );
                return self.found.push(finding.help(help));
            }
            Kind::Uri if !is_uri(text) => {
                Diagnostic::error("uri", format!("`{key}` has no scheme"))
            }
            Kind::Duration if !is_duration(text) => {
                Diagnostic::warning("duration", format!("`{key}` is not a duration"))
            }
            _ => return,
        };
        self.found.push(
            finding
                .at(node.place())
                .help(format!("write {}", kind.told())),
        );
    }

    fn word(&mut self, node: Node<'_>, words: &[String], key: &str, text: &str) {
        if words.iter().any(|word| word == text) {
            return;
        }
        let shown: String = text.chars().take(60).collect();
        // For example, `in-progress` instead of `inProgress`.
        let near = did_you_mean(
            &text.replace(['-', '_', ' '], ""),
            words.iter().map(String::as_str),
        );
        let help = near.map_or_else(|| one_of(words), |near| format!("did you mean `{near}`?"));
        let message = format!("`{shown}` is not a valid `{key}`");
        self.found.push(
            Diagnostic::error("unknown-word", message)
                .at(node.place())
                .help(help),
        );
    }

    fn number(&mut self, node: Node<'_>, kind: &Kind, key: &str) {
        let number = node.value().as_number();
        let is_good = match kind {
            Kind::Whole { min, max } => {
                let whole = number.and_then(|number| {
                    // A JSON library may write `3.0` for a whole number. We accept that, and also
                    // numbers like `1e2`.
                    let float = number.as_f64().filter(|float| float.fract() == 0.0);
                    number
                        .as_i64()
                        .or_else(|| format!("{:.0}", float?).parse().ok())
                });
                whole.is_some_and(|whole| (*min..=*max).contains(&whole))
            }
            Kind::Number { min, max } => number
                .and_then(windlass_tron::Number::as_f64)
                .is_some_and(|float| (*min..=*max).contains(&float)),
            _ => true,
        };
        if !is_good {
            let shown: String = node.value().to_string().chars().take(40).collect();
            let message = format!("`{key}` is {shown}, expected {}", kind.told());
            self.found
                .push(Diagnostic::error("out-of-range", message).at(node.place()));
        }
    }

    fn event(&mut self, node: Node<'_>) {
        let operation = node.text_of("operation").and_then(Operation::from_word);
        let needed: &[&str] = match operation {
            Some(Operation::Initial | Operation::Append) => &["kind", "narrative"],
            Some(Operation::Update | Operation::Deprecate) => &["prevEventId"],
            None => return,
        };
        for name in needed {
            if node.get(name).is_none()
                && let Some(field) = Shape::of(EVENT).field(name)
            {
                self.missing(node, EVENT, name, &field.kind);
            }
        }
        if let Some(narrative) = node.get("narrative")
            && narrative
                .value()
                .as_object()
                .is_some_and(windlass_tron::Object::is_empty)
        {
            let finding = Diagnostic::error("empty-narrative", "the narrative is empty");
            self.found.push(
                finding
                    .at(narrative.place())
                    .help("write `{\"Overview\": \"…\"}`"),
            );
        }
    }
}

/// The fields that an entity doesn't have yet. A misspelled name could stand for one of them.
fn fields_left(node: Node<'_>, shape: &'static Shape) -> Vec<&'static str> {
    let names = shape.fields.iter().map(|field| field.name.as_str());
    names.filter(|name| node.member(name).is_none()).collect()
}

/// True if a text begins with a scheme such as `file:` or `https:`.
pub(super) fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    is_scheme && !rest.is_empty() && !text.contains(char::is_whitespace)
}
