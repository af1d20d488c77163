use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::quote::harmless;
use crate::reference::is_reference;
use crate::{Reference, Target};

/// Maximum number of list items in a description. We count the others.
const MAX_NAMED: usize = 12;

/// A step's input in words, as far as it's known before the run.
///
/// Inputs with a value are filled in. There are no outputs yet, so we describe those by their step.
#[derive(Debug)]
pub struct InputWords {
    with: Value,
}

impl InputWords {
    /// Fills the values of `inputs` into `with`.
    #[must_use]
    pub fn new(with: &Value, inputs: &BTreeMap<String, Value>) -> Self {
        Self {
            with: bind(with, inputs),
        }
    }

    /// Describes a field.
    ///
    /// Returns `None` if the field is absent, empty or false, since there's nothing to say about
    /// it.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<String> {
        let value = self.with.get(name)?;
        let empty = match value {
            Value::Null | Value::Bool(false) => true,
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            _ => false,
        };
        (!empty).then(|| in_words(value))
    }

    /// Like [`field`](Self::field), but with `before` at the start. For a field without a
    /// description, it's an empty string.
    #[must_use]
    pub fn phrase(&self, before: &str, name: &str) -> String {
        match self.field(name) {
            Some(words) => format!("{before}{words}"),
            None => String::new(),
        }
    }

    /// The whole input. It still contains references to outputs.
    #[must_use]
    pub fn whole(&self) -> &Value {
        &self.with
    }

    /// Like [`field`](Self::field), but this returns the value itself, which may still contain
    /// references to outputs.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.with.get(name)
    }
}

fn bind(template: &Value, inputs: &BTreeMap<String, Value>) -> Value {
    if is_reference(template) {
        let Some(Ok(reference)) = Reference::from_value(template) else {
            return template.clone();
        };
        // Only inputs are known yet. If their path leads nowhere, describe the reference instead.
        let known = matches!(reference.target, Target::Input(_));
        let value = known.then(|| reference.value(inputs).ok()).flatten();
        return value.unwrap_or_else(|| template.clone());
    }
    match template {
        Value::Array(items) => items.iter().map(|item| bind(item, inputs)).collect(),
        Value::Object(fields) => {
            let bound = fields.iter();
            let bound = bound.map(|(name, value)| (name.clone(), bind(value, inputs)));
            Value::Object(bound.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// Describes a value for use in a sentence, e.g. `` `a`, `b` and the output of step `c` ``.
pub(crate) fn in_words(value: &Value) -> String {
    match (Reference::from_value(value), value) {
        (Some(Ok(reference)), _) => reference_in_words(&reference),
        (_, Value::Array(items)) => {
            let mut words: Vec<_> = items.iter().take(MAX_NAMED).map(in_words).collect();
            if items.len() > MAX_NAMED {
                words.push(format!("{} more", items.len() - MAX_NAMED));
            }
            match words.split_last() {
                Some((last, [])) => last.clone(),
                Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
                None => "nothing".to_owned(),
            }
        }
        (_, Value::String(text)) => format!("`{}`", harmless(text)),
        (_, other) => format!("`{}`", harmless(&other.to_string())),
    }
}

/// Describes a reference for use in a sentence, e.g. `` `files` of step `routes` ``.
pub(crate) fn reference_in_words(reference: &Reference) -> String {
    let path = harmless(&reference.path.join("."));
    let part_of = |whole: String| match path.as_str() {
        "" => whole,
        path => format!("`{path}` of {whole}"),
    };
    let words = match &reference.target {
        Target::Input(name) => part_of(format!("input `{}` (not given yet)", harmless(name))),
        Target::Output(id) if path.is_empty() => format!("the output of step `{}`", harmless(id)),
        Target::Output(id) => part_of(format!("step `{}`", harmless(id))),
        Target::Status(id) => format!("the status of step `{}`", harmless(id)),
        Target::Item => part_of("the item".to_owned()),
        Target::Index => "the number of the item".to_owned(),
    };
    match &reference.default {
        Some(default) => format!("{words} (or `{}`)", harmless(&default.to_string())),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn input_words_known_inputs_inserted() {
        let inputs = BTreeMap::from([("focus".to_owned(), json!("crates/api"))]);
        let with = json!({
            "one": { "$ref": "#/inputs/focus" },
            "many": ["a", { "$ref": "#/inputs/focus" }, { "$ref": "#/steps/s/output/files/0" }],
            "open": { "$ref": "#/inputs/other" },
            "whole": { "$ref": "#/steps/s/output", "$default": [] },
            "status": { "$ref": "#/steps/s/status" },
            "item": [{ "$ref": "#/item/file" }, { "$ref": "#/index" }],
            "data": { "$ref": "#/inputs/focus", "more": 1 },
            "none": [],
            "long": (0..20).collect::<Vec<_>>(),
        });
        let input = InputWords::new(&with, &inputs);
        let words: Vec<_> = with
            .as_object()
            .unwrap()
            .keys()
            .map(|name| format!("{name}:{}", input.phrase(" ", name)))
            .collect();
        insta::assert_snapshot!(words.join("\n"), @r##"
        one: `crates/api`
        many: `a`, `crates/api` and `files.0` of step `s`
        open: input `other` (not given yet)
        whole: the output of step `s` (or `[]`)
        status: the status of step `s`
        item: `file` of the item and the number of the item
        data: `{"$ref":"#/inputs/focus","more":1}`
        none:
        long: `0`, `1`, `2`, `3`, `4`, `5`, `6`, `7`, `8`, `9`, `10`, `11` and 8 more
        "##);
        assert_eq!(input.phrase(" in ", "one"), " in `crates/api`");
        assert_eq!(input.phrase(" in ", "none"), "");
    }
}
