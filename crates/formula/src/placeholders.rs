//! Values in place of names: `{{name}}` of variables, `{name}` of what a template, a loop or advice stands for.
//!
//! A text is gone through once, so that a value is never looked at again. A name that nobody declared stays as it is:
//! formulas are full of prose, shell and other templates.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::text_room::Room;

/// The values of variables; a variable without a value is there with none.
pub(crate) type Values = BTreeMap<String, Option<String>>;

/// What names stand for, innermost first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names<'a> {
    /// Variables.
    pub(crate) vars: &'a Values,
    /// Whether `{name}` stands for variables as well, as in templates.
    pub(crate) in_braces: bool,
    /// What else `{name}` stands for.
    pub(crate) local: &'a [Local],
    /// What names stand for where these do not know them.
    pub(crate) outer: Option<&'a Names<'a>>,
    /// The bytes that texts may still become.
    pub(crate) room: &'a Room,
}

/// A name that stands for something at one place only: `target`, the variable of a loop.
#[derive(Debug, Clone)]
pub(crate) struct Local {
    pub(crate) name: Cow<'static, str>,
    /// In texts.
    pub(crate) value: String,
    /// In names of steps, which the place adds its own name to later.
    pub(crate) in_ids: Option<String>,
}

impl Local {
    pub(crate) fn new(name: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
            in_ids: None,
        }
    }
}

impl Names<'_> {
    /// A text with values in place of names.
    pub(crate) fn fill(&self, text: &str) -> String {
        self.replace(text, false)
    }

    /// A mapping with values in place of names in all its texts.
    pub(crate) fn fill_map(&self, map: Option<&Map<String, Value>>) -> Map<String, Value> {
        let fields = map.into_iter().flatten();
        fields
            .map(|(name, value)| (name.clone(), self.fill_value(value)))
            .collect()
    }

    fn fill_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_value(item)).collect(),
            Value::Object(fields) => Value::Object(self.fill_map(Some(fields))),
            other => other.clone(),
        }
    }

    /// The name of a step with values in place of names.
    pub(crate) fn fill_id(&self, text: &str) -> String {
        self.replace(text, true)
    }

    /// True if `bytes` more may be written.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.room.take(bytes)
    }

    fn replace(&self, text: &str, in_id: bool) -> String {
        if !self.has_room(text.len()) {
            return String::new();
        }
        let Some(first) = text.find('{') else {
            return text.to_owned();
        };
        let mut filled = String::with_capacity(text.len());
        filled.push_str(&text[..first]);
        let mut rest = &text[first..];
        let mut after_dollar = text[..first].ends_with('$');
        while !rest.is_empty() {
            let taken = match placeholder(rest) {
                Some(found) => {
                    let value = match found.double {
                        // `${name}` is shell.
                        false if after_dollar => None,
                        double => self.find(found.name, in_id, !double).flatten(),
                    };
                    let value = value.unwrap_or(&rest[..found.length]);
                    if !self.has_room(value.len()) {
                        return filled;
                    }
                    filled.push_str(value);
                    found.length
                }
                None => {
                    let braces = rest.len() - rest.trim_start_matches('{').len();
                    filled.push_str(&rest[..braces]);
                    braces
                }
            };
            rest = &rest[taken..];
            let next = rest.find('{').unwrap_or(rest.len());
            filled.push_str(&rest[..next]);
            after_dollar = rest[..next].ends_with('$');
            rest = &rest[next..];
        }
        filled
    }

    /// These names and those around them, innermost first.
    pub(crate) fn scopes<'s>(&'s self) -> impl Iterator<Item = &'s Names<'s>> {
        std::iter::successors(Some(self), |names| names.outer)
    }

    /// The value of `name` where it is known, which may have none; of a variable in single braces only where it may stand
    /// so.
    fn find(&self, name: &str, in_id: bool, single: bool) -> Option<Option<&str>> {
        self.scopes().find_map(|here| {
            let variable = || here.vars.get(name).filter(|_| !single || here.in_braces);
            let local = here.local(name, in_id).map(Some);
            local.or_else(|| variable().map(Option::as_deref))
        })
    }

    fn local(&self, name: &str, in_id: bool) -> Option<&str> {
        let local = self.local.iter().find(|local| local.name == name)?;
        let in_ids = local.in_ids.as_deref().filter(|_| in_id);
        Some(in_ids.unwrap_or(&local.value))
    }

    /// What is known of the variable `name`: nothing where nobody declared it.
    pub(crate) fn variable(&self, name: &str) -> Option<Option<&str>> {
        self.find(name, false, false)
    }

    /// The names of all variables, to say which one was probably meant.
    pub(crate) fn known(&self) -> Vec<&str> {
        let names = self.scopes().flat_map(|here| {
            let local = here.local.iter().map(|local| local.name.as_ref());
            local.chain(here.vars.keys().map(String::as_str))
        });
        names.collect()
    }
}

/// `{{name}}` or `{name}` at the beginning of a text.
struct Placeholder<'t> {
    name: &'t str,
    double: bool,
    length: usize,
}

fn placeholder(text: &str) -> Option<Placeholder<'_>> {
    let double = text.starts_with("{{");
    let (open, close) = if double { ("{{", "}}") } else { ("{", "}") };
    let inside = text.strip_prefix(open)?;
    let end = inside.find('}')?;
    if !inside[end..].starts_with(close) {
        return None;
    }
    let mut name = &inside[..end];
    if double {
        name = name.trim_matches(' ');
    }
    let length = open.len() + end + close.len();
    is_name(name).then_some(Placeholder {
        name,
        double,
        length,
    })
}

/// Letters, digits, `_`, and within it `-` and `.`.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(&str, Option<&str>)]) -> Values {
        let own =
            |(name, value): &(&str, Option<&str>)| ((*name).to_owned(), value.map(str::to_owned));
        pairs.iter().map(own).collect()
    }

    #[test]
    fn declared_names_are_filled_in_and_all_else_stays() {
        let vars = values(&[("v", Some("1")), ("unset", None), ("again", Some("{{v}}"))]);
        let room = Room::new(usize::MAX);
        let names = Names {
            vars: &vars,
            in_braces: false,
            local: &[Local::new("n", "7")],
            outer: None,
            room: &room,
        };
        for (text, want) in [
            ("{{v}}-{{ v }}-{{w}}", "1-1-{{w}}"),
            ("{{unset}} {v} {n} {{n}}", "{{unset}} {v} 7 7"),
            ("{{again}}", "{{v}}"),
            (
                "{{#if v}}x{{/if}} {{.v}} {{v",
                "{{#if v}}x{{/if}} {{.v}} {{v",
            ),
            ("${n} ${{v}} {{{v}}} {}", "${n} $1 {{{v}}} {}"),
            ("ü{n}ü", "ü7ü"),
        ] {
            assert_eq!(names.fill(text), want, "{text}");
        }
    }

    #[test]
    fn inner_names_come_before_outer_ones() {
        let (outer, inner) = (
            values(&[("a", Some("o")), ("b", Some("o"))]),
            values(&[("a", Some("i"))]),
        );
        let room = Room::new(usize::MAX);
        let outer = Names {
            vars: &outer,
            in_braces: false,
            local: &[],
            outer: None,
            room: &room,
        };
        let mut target = Local::new("target", "loop.iter1.x");
        target.in_ids = Some("x".to_owned());
        let names = Names {
            vars: &inner,
            in_braces: true,
            local: &[target],
            outer: Some(&outer),
            room: &room,
        };
        assert_eq!(
            names.fill("{a}{{a}}{{b}}{b} {target}"),
            "iio{b} loop.iter1.x"
        );
        assert_eq!(names.fill_id("{target}.draft"), "x.draft");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_answered(text in "[{}$a.ü -]{0,30}") {
            let vars = values(&[("a", Some("x"))]);
            let room = Room::new(usize::MAX);
            let names = Names { vars: &vars, in_braces: true, local: &[], outer: None, room: &room };
            let filled = names.fill(&text);
            if !text.contains('a') {
                proptest::prop_assert_eq!(filled, text);
            }
        }
    }
}
