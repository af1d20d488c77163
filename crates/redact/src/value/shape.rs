//! Classifies values with the regular expressions in `data/shapes.toml`.

use std::sync::OnceLock;
use windlass_base::is_on;

use regex::bytes::Regex;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(crate) struct Shapes {
    call: Shape,
    whole_template: Shape,
    part_template: Shape,
    expression: Shape,
    cmdlet: Shape,
    address: Shape,
    pub(crate) identifier_chain: Shape,
    pub(crate) number: Shape,
    pub(crate) pin: Shape,
    pub(crate) introduces: Shape,
    pub(crate) introduces_argument: Shape,
    opens_list: Shape,
    pub(crate) sets_variable: Shape,
    pub(crate) may_set_variable: Shape,
}

pub(crate) fn shapes() -> &'static Shapes {
    static SHAPES: OnceLock<Shapes> = OnceLock::new();
    let read = || serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/shapes.json")));
    SHAPES.get_or_init(|| read().expect("a test reads the data"))
}

/// A pattern, compiled on first use.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(crate) struct Shape {
    pattern: String,
    compiled: OnceLock<Option<Regex>>,
}

impl From<String> for Shape {
    fn from(pattern: String) -> Self {
        Self {
            pattern,
            compiled: OnceLock::new(),
        }
    }
}

impl Shape {
    pub(crate) fn is_of(&self, value: &str) -> bool {
        self.is_in(value.as_bytes())
    }

    pub(crate) fn is_in(&self, bytes: &[u8]) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(bytes))
    }

    /// The compiled pattern, or `None` for an invalid one. A test makes sure that all are valid.
    fn regex(&self) -> Option<&Regex> {
        let compile = || Regex::new(&format!("(?-u){}", self.pattern)).ok();
        self.compiled.get_or_init(compile).as_ref()
    }
}

/// Returns true for a call, an index, or a shell substitution.
pub(crate) fn is_evaluated(value: &str) -> bool {
    let is_shell = || value.starts_with("$(") || value.starts_with("${");
    is_on("redact.evaluated") && (shapes().call.is_of(value) || is_shell())
}

/// Returns true if a value, or part of it, is filled in from elsewhere.
pub(crate) fn is_template(value: &str) -> bool {
    shapes().whole_template.is_of(value)
        || shapes().part_template.is_of(value)
        || is_command_line(value)
}

/// Returns true for commands of plain words joined by a sign, with a variable in at least one of
/// them, such as `read PW && echo $PW`.
fn is_command_line(value: &str) -> bool {
    let is_name = |word: &str| {
        let is_letter = |b: u8| b.is_ascii_alphabetic() || b == b'_' || b == b'-';
        !word.is_empty() && word.bytes().all(is_letter)
    };
    let joins = |word: &str| matches!(word, "&&" | "||" | "|" | ";");
    let is_variable = |word: &str| word.strip_prefix('$').is_some_and(is_name);
    let mut words = value.split(' ');
    words.clone().any(joins)
        && words.clone().any(is_variable)
        && words.all(|word| is_name(word) || joins(word) || is_variable(word))
}

/// Returns true for code that evaluates to the value.
pub(crate) fn is_expression(value: &str) -> bool {
    shapes().call.is_of(value) || shapes().expression.is_of(value)
}

/// Returns true for a URL or a path.
pub(crate) fn is_address(value: &str) -> bool {
    is_on("redact.address") && shapes().address.is_of(value)
}

/// Returns true for a PowerShell command.
pub(crate) fn is_cmdlet(value: &str) -> bool {
    is_on("redact.cmdlet") && shapes().cmdlet.is_of(value)
}

/// Measures the text up to and including the opening bracket of a list.
pub(crate) fn opens_list(text: &[u8]) -> Option<usize> {
    let opening = shapes().opens_list.regex()?.find(text);
    opening.map(|found| found.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_patterns_and_known() {
        for (shape, value) in [
            (is_evaluated as fn(&str) -> bool, "map[x"),
            (is_template, "<the token>"),
            (is_template, "$user:$password"),
            (is_template, "a {{ token }}"),
            (is_template, "read PW && echo $PW"),
            (is_expression, "x?.y"),
            (is_cmdlet, "Read-Host"),
            (is_address, "~/x"),
            (|it| shapes().identifier_chain.is_of(it), "user_password2"),
            (|it| shapes().number.is_of(it), "0x1f_u32"),
            (|it| shapes().pin.is_of(it), "123456"),
        ] {
            assert!(shape(value), "{value}");
            assert!(!shape("x9Kq2Lm7"), "{value}");
        }
    }
}
