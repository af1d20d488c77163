//! Placeholders in texts. `{{name}}` stands for a variable, and `{name}` for a [`Local`] name of a
//! template, loop or advice.
//!
//! We scan each text only once, and do not expand placeholders inside inserted values: if `a` has
//! the value `{{b}}`, then `{{a}}` becomes `{{b}}`. This also means that a value from the caller
//! cannot refer to variables the author did not have in mind.
//!
//! Undeclared names in single braces stay as they are, because formulas are full of prose, shell
//! code and other templates. Undeclared names in double braces go to
//! [`LateNames`](super::late_names::LateNames).

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::text_room::Room;

/// Values by variable name. A declared variable without a value has `None`.
pub(crate) type Values = BTreeMap<String, Option<String>>;

/// The names available to a text. Each scope refers to the one around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) vars: &'a Values,
    /// If true, `{name}` may also refer to a variable. That is the case in templates.
    pub(crate) in_braces: bool,
    /// Names in single braces.
    pub(crate) local: &'a [Local],
    /// The surrounding scope, where we look up names that are unknown here.
    pub(crate) outer: Option<&'a Names<'a>>,
    /// The budget for texts filled in from this scope. All scopes of a formula share it.
    pub(crate) room: &'a Room,
}

/// A local name, e.g. `target` in a template, or the variable of a loop.
#[derive(Debug, Clone)]
pub(crate) struct Local {
    pub(crate) name: Cow<'static, str>,
    pub(crate) value: String,
    /// The replacement in step IDs, if it differs from `value`.
    ///
    /// IDs get the prefix of the surrounding loop later, so the replacement must not have that
    /// prefix yet.
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
    /// Fills in a text. If there is not enough room left, the result is cut short. That is fine,
    /// since cooking fails in that case.
    pub(crate) fn fill(&self, text: &str) -> String {
        self.replace(text, false)
    }

    /// Fills in all strings of a map at any depth. Keys stay as they are.
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

    /// Like [`fill`](Self::fill), but this prefers [`Local::in_ids`].
    pub(crate) fn fill_id(&self, text: &str) -> String {
        self.replace(text, true)
    }

    /// Reserves `bytes` bytes of text. Returns false if there is not enough room.
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
                        // `${{name}}` may be an expression of GitHub Actions. We fill in a declared
                        // name, but don't report any other.
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
                    // Skip all braces at once. In `{{{v}}}`, we'd otherwise find a placeholder
                    // after the first brace.
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

    pub(crate) fn scopes<'s>(&'s self) -> impl Iterator<Item = &'s Names<'s>> {
        std::iter::successors(Some(self), |names| names.outer)
    }

    /// Looks up a name in all scopes. The inner option is `None` for a known name without a value.
    ///
    /// With `single`, i.e. for a name in single braces, variables only count in scopes with
    /// `in_braces`.
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

    /// Returns `None` for an unknown name, and `Some(None)` for a variable without a value.
    pub(crate) fn variable(&self, name: &str) -> Option<Option<&str>> {
        self.find(name, false, false)
    }

    /// All names in this and the surrounding scopes, to suggest one of them.
    pub(crate) fn known(&self) -> Vec<&str> {
        let names = self.scopes().flat_map(|here| {
            let local = here.local.iter().map(|local| local.name.as_ref());
            local.chain(here.vars.keys().map(String::as_str))
        });
        names.collect()
    }
}

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
    // `{{name}` is neither of the two forms.
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

/// Names start with a letter or `_`, and continue with letters, digits, `_`, `-` or `.`.
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
