//! Tests of excerpts, hashes and search results of files with secrets.

use proptest::prelude::*;
use windlass_base::{Cancel, LineSpan};
use windlass_repo::{ExcerptLimits, SearchQuery, SourceFile};

use crate::made_secrets::{key_block, tokens};
use crate::support::Sandbox;
use crate::syntaxes::{BRACKETED, PHRASES, PLACES, QUOTED, RANDOM, UNQUOTED, assert_none, fill};

#[test]
fn excerpt_redacts_secret_from_above() {
    let text = format!("first\n{}last\n", key_block("\n", ""));
    let file = SourceFile::from_bytes(text.into_bytes());
    let span = LineSpan::new(4, 9).unwrap();
    let excerpt = file.shown().excerpt(span, ExcerptLimits::NONE);
    let mark = "[redacted:private-key]";
    let want = [mark, mark, mark, mark, mark, "last"].join("\n");
    assert_eq!(excerpt.text.as_str(), want);
    assert_eq!(excerpt.redactions, 5);
    assert!(file.shown().has_secret_in(span) && file.shown().is_secret_line(8));
    assert!(
        !file.shown().is_secret_line(1)
            && !file.shown().is_secret_line(9)
            && !file.shown().is_secret_line(99)
    );
    assert!(!file.shown().has_secret_in(LineSpan::new(9, 12).unwrap()));
    assert!(file.shown().has_secret_in(LineSpan::new(8, 12).unwrap()));
    assert_eq!(file.shown().line(5).unwrap().as_str(), mark);
    assert_eq!(file.shown().line(99), None);
}

#[test]
fn shown_bytes_retain_lines() {
    let text = "\u{feff}a\r\npassword = \"hunter2\"\r\nb\n\u{e9}";
    let file = SourceFile::from_bytes(text.as_bytes().to_vec());
    let want = "\u{feff}a\r\npassword = \"[redacted:assigned-secret]\"\r\nb\n\u{e9}";
    // Line endings and the byte order mark stay, so that line numbers and columns outside of the
    // value are the same as in the file.
    assert_eq!(String::from_utf8_lossy(&file.shown().bytes()), want);
    let plain = SourceFile::from_bytes(b"\xEF\xBB\xBFa\xFF\n".to_vec());
    assert_eq!(*plain.shown().bytes(), *plain.bytes());
}

/// Searches for each run of six letters in `value`, and returns those that were found.
fn pieces_found(files: &[(String, String)], value: &str) -> Vec<String> {
    let sandbox = Sandbox::new();
    for (path, text) in files {
        sandbox.write(
            path,
            format!("fn first() {{}}\n\n{text}\n\nfn last() {{}}\n"),
        );
    }
    let letters: Vec<char> = value.chars().collect();
    let mut found = Vec::new();
    for piece in letters.windows(6) {
        let query = SearchQuery {
            pattern: piece.iter().collect(),
            fixed: true,
            ..SearchQuery::default()
        };
        let result = sandbox
            .snapshot()
            .search(&query, &Cancel::default())
            .unwrap();
        let name = |path: &str| {
            files
                .iter()
                .find(|(at, _)| at == path)
                .map(|(_, text)| text)
        };
        let hits = result.files.iter();
        found.extend(hits.filter_map(|hit| {
            let text = name(hit.path.as_str())?;
            Some(format!("`{}` is found in {text:?}", query.pattern))
        }));
    }
    found
}

#[test]
fn search_finds_no_part_of_a_value() {
    let files = |syntaxes: &[&str], value: &str| {
        let texts = syntaxes.iter().map(|syntax| {
            let value = if syntax.contains('\'') {
                value.replace('\'', "")
            } else {
                value.to_owned()
            };
            fill(syntax, "db_password", &value)
        });
        let numbered = texts.enumerate();
        numbered
            .map(|(at, text)| (format!("{at}.txt"), text))
            .collect::<Vec<_>>()
    };
    for value in PHRASES {
        assert_none(&pieces_found(&files(QUOTED, value), value));
    }
    assert_none(&pieces_found(&files(BRACKETED, RANDOM), RANDOM));
    assert_none(&pieces_found(&files(UNQUOTED, RANDOM), RANDOM));
    assert_none(&pieces_found(&files(PLACES, RANDOM), RANDOM));
}

#[test]
fn search_skips_value_of_other_line() {
    let gap = "\n".repeat(50);
    let text = |value: &str| format!("connect(\"db\", \"{value}\")\n{gap}password = \"{value}\"\n");
    for (value, found) in [("Zq81-xk29-Tr0ub4dor", 0), ("plain-words-troubador", 1)] {
        let sandbox = Sandbox::new();
        sandbox.write("a.py", text(value));
        let query = SearchQuery {
            pattern: format!("db\", \"{}", &value[..6]),
            ..SearchQuery::default()
        };
        let result = sandbox.snapshot().search(&query, &Cancel::default());
        assert_eq!(result.unwrap().files.len(), found, "{value}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_shown_or_withheld(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let file = SourceFile::from_bytes(bytes);
        if let Ok(span) = LineSpan::new(1, file.line_count()) {
            let shown = file.shown().excerpt(span, ExcerptLimits::NONE);
            prop_assert!(file.is_binary() || shown.lines_cut == 0);
        }
    }

    #[test]
    fn span_hash_is_unique(
        at in 0..45usize, lines in prop::collection::vec("[a-z ]{0,6}", 1..6), other in "[a-z]{1,4}", held in any::<bool>(),
    ) {
        let (_, token) = tokens(7).swap_remove(at);
        let line = if held { format!("let key = {token};") } else { String::new() };
        let file = |lines: &[String], line: &str| {
            SourceFile::from_bytes(format!("{}\n{line}\n", lines.join("\n")).into_bytes())
        };
        let (then, same) = (file(&lines, &line), file(&lines, &line));
        let span = LineSpan::new(1, then.line_count()).unwrap();
        let hash = then.span_hash(span).unwrap();
        prop_assert!(same.has_span_hash(span, hash));
        let changed = file(&lines, &(line + &other));
        prop_assert!(!changed.has_span_hash(span, hash));
    }

    #[test]
    fn span_hash_ignores_line_ends(
        lines in prop::collection::vec("[a-z ]{0,6}", 1..8), from in 1u32..8, more in 0u32..4, end in any::<bool>(),
    ) {
        let join = |line_end: &str| {
            let text = lines.join(line_end) + if end { line_end } else { "" };
            SourceFile::from_bytes(text.into_bytes())
        };
        let (lf, crlf) = (join("\n"), join("\r\n"));
        let span = LineSpan::new(from, from + more).unwrap();
        prop_assert_eq!(lf.span_hash(span), crlf.span_hash(span));
        prop_assert_eq!(lf.span_hash(span).is_some(), from + more <= lf.line_count());
    }
}
