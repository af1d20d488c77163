//! Linters of Python that write as Ruff and flake8 do: `x.py:1:8: F401 …`, and Ruff's fuller form with the place below the message.

use super::Program;
use super::printed_page::Page;
use crate::in_short::{in_short, told};
use crate::places_in::places_in;
use crate::{Failure, FailureKind};

/// What Ruff says in place of a rule where a file is no Python.
const NO_SYNTAX: &str = "invalid-syntax";

pub(super) struct Ruff;

impl Program for Ruff {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line();
        if line == "All checks passed!" {
            page.recognise();
            page.pass();
            return true;
        }
        let place = place_below(page.ahead(1));
        let found = match (placed(line), ruled(line)) {
            (Some(found), _) => found,
            (None, Some((rule, message))) if let Some(place) = place => (place, rule, message),
            _ => return false,
        };
        add(found, page);
        true
    }
}

/// Takes what was found, with the lines below it that show its place and how to mend it.
fn add((place, rule, message): (String, &str, &str), page: &mut Page<'_>) {
    let line = page.line();
    page.pass();
    let below = page.take_until(|line| !is_shown(line));
    let text = [&[line], below].concat().join("\n");
    page.add(Failure {
        id: format!("{place}: {rule}"),
        kind: FailureKind::Error,
        summary: in_short(message),
        detail: told(&text).1,
        places: vec![place],
        ..Failure::default()
    });
}

/// `x.py:1`, the rule and the message of `x.py:1:8: F401 [*] …`.
fn placed(line: &str) -> Option<(String, &str, &str)> {
    let (place, rest) = line.split_once(": ")?;
    let (rule, message) = ruled(rest)?;
    let (file, column) = place.rsplit_once(':')?;
    let is_number = !column.is_empty() && column.bytes().all(|b| b.is_ascii_digit());
    let place = places_in(file).into_iter().next().filter(|_| is_number)?;
    Some((place, rule, message))
}

/// `F401` and `… imported but unused` of `F401 [*] … imported but unused`.
fn ruled(text: &str) -> Option<(&str, &str)> {
    let (rule, message) = text.split_once(' ')?;
    let rule = match rule.strip_suffix(':') {
        Some(NO_SYNTAX) => NO_SYNTAX,
        _ => rule,
    };
    let letters = rule.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_rule = (1..=8).contains(&letters.len())
        && letters.bytes().all(|b| b.is_ascii_uppercase())
        && (1..=5).contains(&(rule.len() - letters.len()));
    let message = ["[*] ", "[-] "]
        .iter()
        .find_map(|mark| message.strip_prefix(mark))
        .unwrap_or(message);
    (is_rule || rule == NO_SYNTAX).then_some((rule, message))
}

/// `x.py:1` of ` --> x.py:1:8`.
fn place_below(line: &str) -> Option<String> {
    let place = line.trim_start().strip_prefix("--> ")?;
    places_in(place).into_iter().next()
}

/// Whether a line shows the place of what was found: `1 | import os`, `  |        ^^`, `help: …`.
fn is_shown(line: &str) -> bool {
    let behind = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = behind.len() < line.len() && behind.starts_with(' ');
    let begins = [" ", "|", "help: ", "note: ", "info: "];
    is_numbered || begins.iter().any(|begin| line.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::super::read;

    const CONCISE: &str = "x.py:1:8: F401 [*] `os` imported but unused\nx.py:6:12: F821 Undefined name `undefined_name`\ny.py:1:7: invalid-syntax: Expected a parameter or the end of the parameter list\nFound 3 errors.\n[*] 1 fixable with the `--fix` option.\n";
    const FULL: &str = "F401 [*] `os` imported but unused\n --> x.py:1:8\n  |\n1 | import os\n  |        ^^\n2 | import sys\n  |\nhelp: Remove unused import: `os`\n  |\n  - import os\n1 | import sys\n  |\n\nF821 Undefined name `undefined_name`\n --> x.py:6:12\n  |\n6 |     return undefined_name\n  |            ^^^^^^^^^^^^^^\n\ninvalid-syntax: Expected a parameter or the end of the parameter list\n --> y.py:1:7\n  |\n1 | def g(:\n  |       ^\n  |\n\nFound 3 errors.\n[*] 1 fixable with the `--fix` option.\n";
    /// As versions before 0.13 print it.
    const BEFORE: &str = "x.py:1:8: F401 [*] `os` imported but unused\n  |\n1 | import os\n  |        ^^ F401\n  |\n  = help: Remove unused import: `os`\n\nx.py:6:12: F821 Undefined name `undefined_name`\n  |\n6 |     return undefined_name\n  |            ^^^^^^^^^^^^^^ F821\n  |\n\ny.py:1:7: invalid-syntax: Expected a parameter or the end of the parameter list\n  |\n1 | def g(:\n  |       ^\n  |\n\nFound 3 errors.\n";

    #[test]
    fn what_ruff_finds_is_told_with_its_place() {
        for text in [CONCISE, FULL, BEFORE] {
            let found = read(text);
            let told = found
                .failures
                .iter()
                .map(|it| (&*it.id, &*it.summary, &*it.places[0]));
            assert_eq!(
                told.collect::<Vec<_>>(),
                [
                    ("x.py:1: F401", "`os` imported but unused", "x.py:1"),
                    ("x.py:6: F821", "Undefined name `undefined_name`", "x.py:6"),
                    (
                        "y.py:1: invalid-syntax",
                        "Expected a parameter or the end of the parameter list",
                        "y.py:1"
                    ),
                ],
                "{text}"
            );
            assert_eq!(found.failures[0].detail.is_some(), text != CONCISE);
            assert!(!found.is_broken_off && found.tests.is_none());
        }
        let well = read("All checks passed!\n");
        assert!(well.is_recognised && well.failures.is_empty());
    }

    #[test]
    fn flake8_is_read_and_what_only_looks_like_it_is_not() {
        let found = read("./a/b.py:3:1: E302 expected 2 blank lines, found 1\n");
        assert_eq!(found.failures[0].id, "a/b.py:3: E302");
        for text in [
            "F401 is a rule\n",
            "F401 a rule\n --> not a place\n",
            "x.py:3: F401 no column\n",
            "x.py:3:1: see F401 of it\n",
            "E2 of 3\n  | table |\n",
        ] {
            assert!(read(text).failures.is_empty(), "{text}");
        }
    }
}
