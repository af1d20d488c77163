use std::cmp::Ordering;
use std::rc::Rc;

use serde_json::{Map, Value};
use windlass_base::{Diagnostic, compare_numbers};

use super::rules::{Rules, Schema};
use crate::Node;
use crate::quote::{cut, near, near_boolean, near_hint};
use crate::reference::is_reference;

/// Maximum number of values tried inside of nested `anyOf`s.
///
/// With a foreign schema, their number may grow exponentially, so the rest passes unchecked.
const MAX_TRIES: usize = 100_000;

/// Maximum number of mismatches. The check stops there, so a list of this length may be incomplete.
pub(crate) const MAX_MISMATCHES: usize = 10_000;

/// Maximum nesting to check.
///
/// Documents are at most 64 deep, but a schema may refer to itself at the same value.
const MAX_DEPTH: usize = 200;

/// Maximum number of `enum` values listed in a message.
const MAX_LISTED: usize = 20;

/// A mismatch between a value and its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Field names and indices of items, outermost first.
    pub path: Vec<String>,
    /// True if the key is wrong rather than the value, e.g. for an unknown field.
    pub(crate) at_key: bool,
    /// The violated rule, e.g. `wrong-type`.
    pub rule: &'static str,
    /// The message for the author of the value.
    pub message: String,
    /// Advice on how to fix it.
    pub help: Option<String>,
}

impl Mismatch {
    /// Converts the mismatch to a finding. `root` is the node of the value that was checked.
    #[must_use]
    pub fn into_finding(self, root: Node<'_>) -> Diagnostic {
        let node = root.nearest(&self.path);
        let place = match self.at_key {
            true => node.key_place(),
            false => node.place(),
        };
        let mut diagnostic = Diagnostic::error(self.rule, self.message).at(place);
        diagnostic.help = self.help;
        diagnostic
    }
}

impl<'a> Schema<'a> {
    /// Checks `value`, and returns up to 10,000 mismatches.
    ///
    /// With `references`, we accept a reference in place of any value. Only the first `suggestions`
    /// of the mismatches get a suggestion, because finding one takes time.
    pub fn check(&mut self, value: &Value, references: bool, suggestions: usize) -> Vec<Mismatch> {
        let root = self.root();
        let mut checker = Checker {
            schema: self,
            references,
            depth: 0,
            trials: 0,
            tries: 0,
            suggestions,
            path: Vec::new(),
        };
        let mut found = Vec::new();
        checker.value(root, value, &mut found);
        // The last rule may have added several.
        found.truncate(MAX_MISMATCHES);
        found
    }
}

struct Checker<'s, 'a, 'v> {
    schema: &'s mut Schema<'a>,
    references: bool,
    depth: usize,
    /// The number of `anyOf`s around the current value.
    trials: usize,
    tries: usize,
    suggestions: usize,
    path: Vec<Part<'v>>,
}

#[derive(Debug, Clone, Copy)]
enum Part<'v> {
    Field(&'v str),
    Item(usize),
}

impl std::fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Field(name) => f.write_str(name),
            Self::Item(at) => at.fmt(f),
        }
    }
}

impl<'a, 'v> Checker<'_, 'a, 'v> {
    fn value(&mut self, schema: &'a Value, value: &'v Value, found: &mut Vec<Mismatch>) {
        // A single `anyOf` is harmless, so count only inside of at least two.
        if self.trials > 1 {
            self.tries += 1;
        }
        if self.tries > MAX_TRIES || self.depth > MAX_DEPTH || found.len() >= MAX_MISMATCHES {
            return;
        }
        self.depth += 1;
        self.value_within(schema, value, found);
        self.depth -= 1;
    }

    fn value_within(&mut self, schema: &'a Value, value: &'v Value, found: &mut Vec<Mismatch>) {
        if self.references && is_reference(value) {
            return;
        }
        let Some(rules) = self.schema.rules(schema) else {
            return;
        };
        if rules.forbidden {
            found.push(self.mismatch("unknown-field", "no value is allowed here".to_owned()));
            return;
        }
        // With the wrong type, further mismatches would only repeat that.
        if !self.type_fits(&rules, value, found) || !self.word_fits(&rules, value, found) {
            return;
        }
        match value {
            Value::Object(fields) => self.object(&rules, fields, found),
            Value::Array(items) => self.array(&rules, items, found),
            Value::String(text) => self.length(&rules, text, found),
            Value::Number(_) => self.bounds(&rules, value, found),
            Value::Null | Value::Bool(_) => {}
        }
        for part in rules.all_of {
            self.value(part, value, found);
        }
        self.any_of(&rules, value, found);
    }

    fn type_fits(&self, rules: &Rules<'_>, value: &Value, found: &mut Vec<Mismatch>) -> bool {
        if rules.admit(value) {
            return true;
        }
        let mut wrong = self.wrong_type(&rules.types, value);
        if let Some(example) = rules.example {
            wrong.help = Some(format!("write it like `{}`", plain(example)));
        }
        found.push(wrong);
        false
    }

    fn wrong_type(&self, expected: &[&str], value: &Value) -> Mismatch {
        let mut wanted: Vec<_> = expected
            .iter()
            .filter(|name| **name != "null")
            .map(|name| described(name))
            .collect();
        wanted.dedup();
        let wanted = match wanted.as_slice() {
            [] => "nothing".to_owned(),
            wanted => wanted.join(" or "),
        };
        let message = format!(
            "{}expected {wanted}, found {}",
            self.subject(),
            shown(value)
        );
        let mut mismatch = self.mismatch("wrong-type", message);
        // For example, a version such as `1.10` is a number in YAML unless it's quoted.
        let scalar = value.is_number() || value.is_boolean();
        if scalar
            && expected
                .iter()
                .all(|name| matches!(*name, "string" | "null"))
        {
            mismatch.help = Some("put the value in quotes".to_owned());
        } else if let Some(meant) = value.as_str().and_then(near_boolean)
            && expected.contains(&"boolean")
        {
            mismatch.help = Some(format!("did you mean `{meant}`?"));
        } else if expected.contains(&"array") && value.is_string() {
            mismatch.help = Some(format!("write a list: `[{}]`", plain(value)));
        }
        mismatch
    }

    fn word_fits(&mut self, rules: &Rules<'_>, value: &Value, found: &mut Vec<Mismatch>) -> bool {
        if rules.words.is_empty() || rules.words.contains(&value) {
            return true;
        }
        found.push(self.wrong_word(&rules.words, value));
        false
    }

    fn may_suggest(&mut self) -> bool {
        let may = self.suggestions > 0;
        self.suggestions = self.suggestions.saturating_sub(1);
        may
    }

    fn wrong_word(&mut self, words: &[&Value], value: &Value) -> Mismatch {
        if !self.may_suggest() {
            return self.mismatch("not-allowed", format!("found {}", shown(value)));
        }
        let listed: Vec<_> = words
            .iter()
            .take(MAX_LISTED)
            .map(|word| format!("`{}`", plain(word)))
            .collect();
        let one_of = if listed.len() == 1 { "" } else { "one of " };
        let message = format!(
            "{}expected {one_of}{}, found {}",
            self.subject(),
            listed.join(", "),
            shown(value)
        );
        let mut mismatch = self.mismatch("not-allowed", message);
        mismatch.help = value
            .as_str()
            .and_then(|given| near_hint(given, words.iter().filter_map(|word| word.as_str())));
        mismatch
    }

    fn object(
        &mut self,
        rules: &Rules<'a>,
        fields: &'v Map<String, Value>,
        found: &mut Vec<Mismatch>,
    ) {
        let (known, others) = (rules.fields, rules.other_fields);
        for (name, value) in fields {
            if found.len() >= MAX_MISMATCHES {
                return;
            }
            let field = known.and_then(|known| known.get(name));
            if field.is_none() && others == Some(&Value::Bool(false)) {
                self.path.push(Part::Field(name));
                found.push(self.unknown_field(name, known, fields));
                self.path.pop();
            } else if let Some(field) = field.or(others) {
                self.path.push(Part::Field(name));
                self.value(field, value, found);
                self.path.pop();
            }
        }
        for name in &rules.required {
            if !fields.contains_key(*name) {
                found.push(self.missing_field(name, known));
            }
        }
    }

    fn unknown_field(
        &mut self,
        name: &str,
        known: Option<&Map<String, Value>>,
        given: &Map<String, Value>,
    ) -> Mismatch {
        let names = || {
            known
                .into_iter()
                .flat_map(|known| known.keys())
                .map(String::as_str)
        };
        let mut mismatch = self.mismatch(
            "unknown-field",
            format!("there is no field `{}`", cut(name)),
        );
        mismatch.at_key = true;
        if !self.may_suggest() {
            return mismatch;
        }
        // Only suggest fields that aren't there yet. `near` would otherwise find a field beside the
        // misspelled one.
        let missing = names().filter(|name| !given.contains_key(*name));
        let all: Vec<_> = names().map(|name| format!("`{name}`")).collect();
        mismatch.help = Some(match near(name, missing) {
            Some(near) => format!("did you mean `{near}`?"),
            None if all.is_empty() => "no fields are allowed: remove it".to_owned(),
            None => format!("the fields are {}", all.join(", ")),
        });
        mismatch
    }

    fn missing_field(&self, name: &str, known: Option<&Map<String, Value>>) -> Mismatch {
        let mut mismatch = self.mismatch(
            "missing-field",
            format!("{}the field `{name}` is missing", self.subject()),
        );
        mismatch.at_key = true;
        let about = known
            .and_then(|known| known.get(name)?.get("description")?.as_str())
            .map(|text| {
                text.split('\n')
                    .next()
                    .unwrap_or(text)
                    .trim_end_matches('.')
            });
        mismatch.help = Some(match about {
            Some(about) => format!("add `{name}: …` ({about})"),
            None => format!("add `{name}: …`"),
        });
        mismatch
    }

    fn array(&mut self, rules: &Rules<'a>, items: &'v [Value], found: &mut Vec<Mismatch>) {
        self.size(rules.item_count, items.len(), "items", found);
        // A list of scalars is the most frequent kind of long list, and usually has no mismatch. We
        // don't need a path for each of its items then.
        if rules.first_items.is_empty()
            && let Some(of_items) = rules.items.and_then(|schema| self.schema.rules(schema))
            && of_items.asks_for_scalars()
            && items.iter().all(|item| of_items.admit(item))
        {
            return;
        }
        for (at, item) in items.iter().enumerate() {
            if let Some(schema) = rules.first_items.get(at).or(rules.items) {
                self.path.push(Part::Item(at));
                self.value(schema, item, found);
                self.path.pop();
            }
        }
    }

    fn length(&self, rules: &Rules<'_>, text: &str, found: &mut Vec<Mismatch>) {
        if rules.length != [None, None] {
            self.size(rules.length, text.chars().count(), "characters", found);
        }
    }

    fn size(
        &self,
        [min, max]: [Option<u64>; 2],
        size: usize,
        unit: &str,
        found: &mut Vec<Mismatch>,
    ) {
        let size = size as u64;
        let message = match (min, max) {
            (Some(1), _) if size == 0 => "must not be empty".to_owned(),
            (Some(min), _) if size < min => format!("needs at least {min} {unit}, has {size}"),
            (_, Some(max)) if size > max => format!("may have at most {max} {unit}, has {size}"),
            _ => return,
        };
        found.push(self.mismatch("out-of-range", format!("{}{message}", self.subject())));
    }

    fn bounds(&self, rules: &Rules<'_>, value: &Value, found: &mut Vec<Mismatch>) {
        let less = |a: &Value, b: &Value| match (a, b) {
            (Value::Number(a), Value::Number(b)) => compare_numbers(a, b) == Ordering::Less,
            _ => false,
        };
        let message = match rules.bounds {
            [Some(min), Some(max)] if less(value, min) || less(max, value) => {
                format!("expected a number from {min} to {max}, found {value}")
            }
            [Some(min), _] if less(value, min) => {
                format!("expected a number of at least {min}, found {value}")
            }
            [_, Some(max)] if less(max, value) => {
                format!("expected a number of at most {max}, found {value}")
            }
            _ => match rules.open_bounds {
                [Some(min), _] if !less(min, value) => {
                    format!("expected a number greater than {min}, found {value}")
                }
                [_, Some(max)] if !less(value, max) => {
                    format!("expected a number less than {max}, found {value}")
                }
                _ => return,
            },
        };
        found.push(self.mismatch("out-of-range", format!("{}{message}", self.subject())));
    }

    /// Checks `anyOf`. If no branch fits, we report the mismatches of the branch with the fewest.
    fn any_of(&mut self, rules: &Rules<'a>, value: &'v Value, found: &mut Vec<Mismatch>) {
        let branches = rules.branches.iter();
        let all: Vec<(&'a Value, Rc<Rules<'a>>)> = branches
            .filter_map(|branch| Some((*branch, self.schema.rules(branch)?)))
            .collect();
        if all.is_empty() {
            return;
        }
        let admitted: Vec<_> = all.iter().filter(|(_, rules)| rules.admit(value)).collect();
        if admitted.is_empty() {
            let mut expected: Vec<_> = all
                .iter()
                .flat_map(|(_, rules)| rules.types.clone())
                .collect();
            expected.dedup();
            found.push(self.wrong_type(&expected, value));
            return;
        }
        // If all branches that are left only list values, treat them like a single `enum`.
        if admitted.iter().all(|(_, rules)| !rules.words.is_empty()) {
            let words = admitted.iter().flat_map(|(_, rules)| rules.words.clone());
            let words: Vec<_> = words.collect();
            if !words.contains(&value) {
                found.push(self.wrong_word(&words, value));
            }
            return;
        }
        let mut nearest: Option<Vec<Mismatch>> = None;
        for (branch, _) in admitted {
            let mut tried = Vec::new();
            self.trials += 1;
            self.value(branch, value, &mut tried);
            self.trials -= 1;
            if tried.is_empty() {
                return;
            }
            if nearest
                .as_ref()
                .is_none_or(|nearest| tried.len() < nearest.len())
            {
                nearest = Some(tried);
            }
        }
        found.extend(nearest.into_iter().flatten());
    }

    /// The beginning of a message, e.g. `` `timeout`:  ``.
    fn subject(&self) -> String {
        match self.path.as_slice() {
            [] => String::new(),
            [.., list, Part::Item(at)] => {
                format!("item {} of `{}`: ", at + 1, cut(&list.to_string()))
            }
            [.., name] => format!("`{}`: ", cut(&name.to_string())),
        }
    }

    fn mismatch(&self, rule: &'static str, message: String) -> Mismatch {
        Mismatch {
            path: self.path.iter().map(ToString::to_string).collect(),
            at_key: false,
            rule,
            message,
            help: None,
        }
    }
}

/// The name of a JSON type with its article, for messages.
pub(crate) fn described(name: &str) -> &'static str {
    match name {
        "string" => "a string",
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => "`true` or `false`",
        "array" => "a list",
        "object" => "a mapping",
        _ => "nothing",
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
        Value::String(_) => format!("the string `{}`", plain(value)),
        Value::Bool(_) => format!("`{value}`"),
        Value::Number(_) => format!("the number {value}"),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text),
        other => cut(&other.to_string()),
    }
}
