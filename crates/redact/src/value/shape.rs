//! Classifies values by their signs, with the shapes in `data/shapes.toml`.

use std::sync::OnceLock;
use windlass_base::is_on;

use regex::bytes::Regex;
use serde::Deserialize;

use crate::value::letters::is_wordy;

/// The patterns of all shapes.
#[derive(Debug, Deserialize)]
struct Patterns<P> {
    call: P,
    whole_template: P,
    part_template: P,
    pattern: P,
    expression: P,
    cmdlet: P,
    address: P,
    identifier_chain: P,
    number: P,
    pin: P,
    constant_name: P,
    verdict: P,
    verdict_of_file: P,
}

fn shapes() -> &'static Patterns<Shape> {
    static SHAPES: OnceLock<Patterns<Shape>> = OnceLock::new();
    let read = || toml::from_str(include_str!("../../data/shapes.toml"));
    SHAPES.get_or_init(|| read().expect("a test reads the data"))
}

/// A pattern, compiled when it's first needed.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
struct Shape {
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
    fn is_of(&self, value: &str) -> bool {
        self.is_in(value.as_bytes())
    }

    /// True if `bytes` have this shape. A test makes sure that all patterns compile.
    fn is_in(&self, bytes: &[u8]) -> bool {
        let compile = || Regex::new(&format!("(?-u){}", self.pattern)).ok();
        let compiled = self.compiled.get_or_init(compile);
        compiled.as_ref().is_some_and(|it| it.is_match(bytes))
    }
}

/// True for a call, an index, or something a shell replaces.
pub(crate) fn is_evaluated(value: &str) -> bool {
    if !is_on("redact.evaluated") {
        return false;
    }
    shapes().call.is_of(value) || value.starts_with("$(") || value.starts_with("${")
}

/// True if all or part of it is filled in elsewhere.
pub(crate) fn is_template(value: &str) -> bool {
    shapes().whole_template.is_of(value)
        || shapes().part_template.is_of(value)
        || is_command_line(value)
}

/// True for commands of plain words with a sign between them, one of which is given a variable, as
/// in `read PW && echo $PW`.
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

/// True if the value is a regular expression for values.
pub(crate) fn is_pattern(value: &str) -> bool {
    if !is_on("redact.pattern") {
        return false;
    }
    shapes().pattern.is_of(value)
}

/// True for code that's evaluated, rather than a literal.
pub(crate) fn is_expression(value: &str) -> bool {
    shapes().call.is_of(value) || shapes().expression.is_of(value)
}

/// True for a PowerShell command.
pub(crate) fn is_cmdlet(value: &str) -> bool {
    if !is_on("redact.cmdlet") {
        return false;
    }
    shapes().cmdlet.is_of(value)
}

/// True for a location on the web or of a file, or a name that's always one.
pub(crate) fn is_address(value: &str) -> bool {
    if !is_on("redact.address") {
        return false;
    }
    let is_path = || value.starts_with('/') && value[1..].contains('/') && is_wordy(value);
    shapes().address.is_of(value) || is_path()
}

/// True for a name, or a path of names.
pub(crate) fn is_identifier_chain(value: &str) -> bool {
    shapes().identifier_chain.is_of(value)
}

/// True for a number as written in programs and standards.
pub(crate) fn is_number(value: &str) -> bool {
    shapes().number.is_of(value)
}

/// True for a number that can only be meant for typing, such as `123456`.
pub(crate) fn is_pin(value: &str) -> bool {
    shapes().pin.is_of(value)
}

/// True for the name of a constant.
pub(crate) fn is_constant_name(value: &str) -> bool {
    if !is_on("redact.constant_name") {
        return false;
    }
    shapes().constant_name.is_of(value)
}

/// True if the line is a test runner's verdict on a test.
pub(crate) fn is_verdict(line: &[u8]) -> bool {
    shapes().verdict.is_in(line)
}

/// True if the line is a test runner's verdict on a test file.
pub(crate) fn is_verdict_of_file(line: &[u8]) -> bool {
    shapes().verdict_of_file.is_in(line)
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
            (is_pattern, "[A-Za-z0-9]{8}"),
            (is_expression, "x?.y"),
            (is_cmdlet, "Read-Host"),
            (is_address, "~/x"),
            (is_address, "/srv/App2.Web"),
            (is_identifier_chain, "user_password2"),
            (is_number, "0x1f_u32"),
            (is_pin, "123456"),
            (is_constant_name, "D3D10_SB"),
        ] {
            assert!(shape(value), "{value}");
            assert!(!shape("x9Kq2Lm7"), "{value}");
        }
        assert!(is_verdict(b"PASS: test-x9y8"));
        assert!(!is_verdict(b"PASS: x9Kq2Lm7Xc4Vb1"));
        assert!(is_verdict_of_file(
            b"PASS: gcc.dg/pr1.c (test for excess errors)"
        ));
        assert!(!is_verdict_of_file(b"PASS: x9Kq/2Lm7Xc4"));
    }
}
