//! Placeholders in texts. `{{name}}` stands for a variable, and `{name}` for a local name of a
//! template, loop or advice.
//!
//! We scan each text only once, so placeholders inside inserted values aren't expanded: if `a` has
//! the value `{{b}}`, then `{{a}}` becomes `{{b}}`. Undeclared names in single braces stay
//! unchanged, because formulas are full of prose, shell code and other templates. Those in double
//! braces are recorded in [`LateNames`](super::late_names::LateNames).

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::text_room::Room;

/// Values of variables, or `None` for a variable without one.
pub(crate) type Values = BTreeMap<String, Option<String>>;

/// The names available in a text, with their values. Scopes are linked from the innermost outwards.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names<'a> {
    /// Values of the variables, by name.
    pub(crate) vars: &'a Values,
    /// True if `{name}` may also refer to a variable, as in templates.
    pub(crate) in_braces: bool,
    /// Local names that `{name}` may refer to.
    pub(crate) local: &'a [Local],
    /// The enclosing scope, which is searched for names unknown here.
    pub(crate) outer: Option<&'a Names<'a>>,
    /// Remaining room for texts.
    pub(crate) room: &'a Room,
}

/// A name that's only defined locally, such as `target` or the variable of a loop.
#[derive(Debug, Clone)]
pub(crate) struct Local {
    pub(crate) name: Cow<'static, str>,
    /// The value to use in texts.
    pub(crate) value: String,
    /// The value to use in step ids, if it's different. The enclosing unit adds its own prefix to
    /// the id later.
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
    /// Replaces the placeholders in a text with their values.
    pub(crate) fn fill(&self, text: &str) -> String {
        self.replace(text, false)
    }

    /// Replaces the placeholders in all texts of a map with their values.
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

    /// Replaces the placeholders in a step id with their values.
    pub(crate) fn fill_id(&self, text: &str) -> String {
        self.replace(text, true)
    }

    /// Reserves room for `bytes` bytes of text, and returns false if there isn't enough.
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
                    let value = match (found.double, self.find(found.name, in_id, !found.double)) {
                        // `${name}` is a shell variable, so leave it alone.
                        (false, _) if after_dollar => None,
                        // `${{name}}` is an expression in another language, so leave it alone.
                        (true, None) if !after_dollar => self.room.late.value(found.name),
                        (_, known) => known.flatten(),
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

    /// Iterates over this scope and its enclosing scopes, innermost first.
    pub(crate) fn scopes<'s>(&'s self) -> impl Iterator<Item = &'s Names<'s>> {
        std::iter::successors(Some(self), |names| names.outer)
    }

    /// Looks up `name`. The inner option is `None` if the name has no value. In single braces,
    /// variables are only found if `in_braces` is set.
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

    /// Returns the value of the variable `name`. The outer option is `None` if the variable isn't
    /// declared.
    pub(crate) fn variable(&self, name: &str) -> Option<Option<&str>> {
        self.find(name, false, false)
    }

    /// Returns the names of all variables. We use them for suggestions.
    pub(crate) fn known(&self) -> Vec<&str> {
        let names = self.scopes().flat_map(|here| {
            let local = here.local.iter().map(|local| local.name.as_ref());
            local.chain(here.vars.keys().map(String::as_str))
        });
        names.collect()
    }
}

/// A placeholder `{{name}}` or `{name}` at the start of a text.
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

/// True if `text` is a name, which starts with a letter or `_` and continues with letters, digits,
/// `_`, `-` or `.`.
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
    fn fill_declared_names_only() {
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
    fn fill_inner_scope_wins() {
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
        fn fill_any_text_no_panic(text in "[{}$a.ü -]{0,30}") {
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
