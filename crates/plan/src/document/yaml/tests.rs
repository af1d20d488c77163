use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::Value;

use crate::Document;
use crate::tests::shown;

fn read(text: impl AsRef<[u8]>) -> String {
    match Document::parse("x.yaml", text.as_ref()) {
        Ok(document) => document.value().to_string(),
        Err(found) => shown(&found),
    }
}

fn at(text: &str, pointer: &str) -> String {
    let document = Document::parse("x.yaml", text.as_bytes()).unwrap();
    let node = document.at(pointer).unwrap();
    let (key, value) = (node.key_place(), node.place());
    format!(
        "{key} {:?} | {value} {:?}",
        &text[key.range.clone()],
        &text[value.range.clone()]
    )
}

#[test]
fn yaml_keys_keep_order() {
    assert_snapshot!(read("b: 1\na: [x, 'y', null]\nc: {d: 1.5, e: true}\n"), @r#"{"b":1,"a":["x","y",null],"c":{"d":1.5,"e":true}}"#);
    assert_eq!(
        read(r#"{"b": 1, "a": "\u2028"}"#),
        "{\"b\":1,\"a\":\"\u{2028}\"}"
    );
}

#[test]
fn aliases_expanded() {
    assert_snapshot!(read("a: &x [1, 2]\nb: *x\nc: {d: *x}\n"), @r#"{"a":[1,2],"b":[1,2],"c":{"d":[1,2]}}"#);
}

#[test]
fn bom_and_crlf_accepted() {
    assert_snapshot!(read("\u{feff}a: 1\r\nb: ü\r\n"), @r#"{"a":1,"b":"ü"}"#);
    assert_snapshot!(at("\u{feff}a: 1\r\nb: ü\r\nc: x\r\n", "/c"), @r#"x.yaml:3:1 "c" | x.yaml:3:4 "x""#);
}

#[test]
fn positions_in_bytes() {
    let text =
        "ü: ä # ö\n\"k\\u0065y\": 'it''s'\nlist:\n  - one\n  - {two: [3, 4]}\nlast: |\n  a\n  b\n";
    assert_snapshot!(at(text, "/ü"), @r#"x.yaml:1:1 "ü" | x.yaml:1:4 "ä""#);
    assert_snapshot!(at(text, "/key"), @r#"x.yaml:2:1 "\"k\\u0065y\"" | x.yaml:2:13 "'it''s'""#);
    assert_snapshot!(at(text, "/list"), @r#"x.yaml:3:1 "list" | x.yaml:4:3 "- one\n  - {two: [3, 4]}""#);
    assert_snapshot!(at(text, "/list/1/two/1"), @r#"x.yaml:5:15 "4" | x.yaml:5:15 "4""#);
    assert_snapshot!(at(text, "/last"), @r#"x.yaml:6:1 "last" | x.yaml:7:3 "a\n  b""#);
    let long = format!("a: {}\nb: 1\n", "ü".repeat(1000));
    assert_snapshot!(at(&long, "/b"), @r#"x.yaml:2:1 "b" | x.yaml:2:4 "1""#);
}

#[test]
fn alias_position_at_target() {
    assert_snapshot!(at("a: &x {y: 1}\nb: *x\n", "/b"), @r#"x.yaml:2:1 "b" | x.yaml:2:4 "*x""#);
    assert_snapshot!(at("a: &x {y: 1}\nb: *x\n", "/b/y"), @r#"x.yaml:1:8 "y" | x.yaml:1:11 "1""#);
}

#[test]
fn ambiguous_yaml_refused() {
    assert_snapshot!(read("a: 1\nb: 2\na: 3\n'a': 4\n"), @"
    x.yaml:3:1: error[yaml-duplicate-key]: duplicate key `a`
      see x.yaml:1:1: the first one
      help: remove one of the two, or rename it
    x.yaml:4:1: error[yaml-duplicate-key]: duplicate key `a`
      see x.yaml:1:1: the first one
      help: remove one of the two, or rename it
    ");
    assert_snapshot!(read("a: &x {b: 1}\nc:\n  <<: *x\n"), @"
    x.yaml:3:3: error[yaml-merge]: merge keys (`<<`) are not supported
      help: write the keys out
    ");
    assert_snapshot!(read("1: a\ntrue: b\n~: c\n: d\n"), @"
    x.yaml:1:1: error[yaml-key]: a key must be a string, found `1`
      help: put the key in quotes
    x.yaml:2:1: error[yaml-key]: a key must be a string, found `true`
      help: put the key in quotes
    x.yaml:3:1: error[yaml-key]: a key must be a string, found `~`
      help: put the key in quotes
    x.yaml:4:1: error[yaml-key]: a key must be a string, found nothing
      help: put the key in quotes
    ");
    assert_snapshot!(read("? [a]\n: b\n"), @"
    x.yaml:1:3: error[yaml-key]: a key must be a plain string
      help: write the key as a word or in quotes
    ");
    assert_snapshot!(read("&k a: 1\n*k : 2\n"), @"
    x.yaml:2:1: error[yaml-key]: a key must be a plain string
      help: write the key as a word or in quotes
    ");
    assert_snapshot!(read("a: .inf\nb: [-.INF, .nan]\nc: 1e999\nd: 99999999999999999999\n"), @"
    x.yaml:1:4: error[yaml-number]: `.inf` is not a number JSON can hold
      help: write a finite number within 64 bits, or put it in quotes
    x.yaml:2:5: error[yaml-number]: `-.INF` is not a number JSON can hold
      help: write a finite number within 64 bits, or put it in quotes
    x.yaml:2:12: error[yaml-number]: `.nan` is not a number JSON can hold
      help: write a finite number within 64 bits, or put it in quotes
    x.yaml:3:4: error[yaml-number]: `1e999` is not a number JSON can hold
      help: write a finite number within 64 bits, or put it in quotes
    x.yaml:4:4: error[yaml-number]: `99999999999999999999` is not a number JSON can hold
      help: write a finite number within 64 bits, or put it in quotes
    ");
    assert_snapshot!(read("a: 1\n---\nb: 2\n"), @"
    x.yaml:2:1: error[yaml-documents]: a second document starts here
      help: keep one document in a file: remove the `---` between them
    ");
    assert_snapshot!(read("%YAML 1.1\n---\na: 1\n"), @"
    x.yaml:1:1: error[yaml-directive]: directives (`%…`) are not supported
      help: remove the line
    ");
    assert_snapshot!(read("a: b\u{2028}c: d\n"), @r"
    x.yaml:1:5: error[yaml-character]: the character U+2028 is not allowed in YAML
      help: remove it, or write `\u2028` in a text in double quotes
    ");
}

#[test]
fn tags_refused() {
    assert_snapshot!(read("a: !!python/object:os.system x\nb: !x [1]\nc: !!str 1\nd: !<x> 1\ne: ! 2\n"), @"
    x.yaml:1:4: error[yaml-tag]: the tag `!!python/object:os.system` is not supported
      help: remove the tag; to keep a value a string, put it in quotes
    x.yaml:2:4: error[yaml-tag]: the tag `!x` is not supported
      help: remove the tag; to keep a value a string, put it in quotes
    x.yaml:3:4: error[yaml-tag]: the tag `!!str` is not supported
      help: remove the tag; to keep a value a string, put it in quotes
    x.yaml:4:4: error[yaml-tag]: the tag `x` is not supported
      help: remove the tag; to keep a value a string, put it in quotes
    x.yaml:5:4: error[yaml-tag]: the tag `!` is not supported
      help: remove the tag; to keep a value a string, put it in quotes
    ");
    assert_snapshot!(read("a: !e!x 1\n"), @"
    x.yaml:1:4: error[yaml-syntax]: this is not YAML: the handle wasn't declared
      help: check this line and the one before: indentation, quotes, brackets and colons
    ");
}

#[test]
fn yaml_1_1_words_are_strings() {
    assert_snapshot!(read("[no, yes, on, Off, y, 12:30, 2001-12-14, 0b1, 1_000, =]"), @r#"["no","yes","on","Off","y","12:30","2001-12-14","0b1","1_000","="]"#);
}

#[test]
fn invalid_encoding_refused() {
    assert_snapshot!(read(b"a: 1\nb: \xff\n"), @"
    x.yaml:2:4: error[document-encoding]: byte 8 is not UTF-8
      help: convert the file from its encoding to UTF-8
    ");
    assert_snapshot!(read(b"{\"a\": \"b\xe2\x80"), @"
    x.yaml:1:9: error[document-encoding]: the file ends within a character, at byte 8
      help: the file is truncated: write or copy it again
    ");
    assert_snapshot!(read(b"\xff\xfea\0"), @"
    x.yaml:1:1: error[document-encoding]: byte 0 is not UTF-8
      help: convert the file from UTF-16 to UTF-8
    ");
    assert_snapshot!(read("a: 1\0b\n"), @r"
    x.yaml:1:5: error[yaml-character]: the character U+0000 is not allowed in YAML
      help: remove it, or write `\u0000` in a text in double quotes
    ");
    assert_snapshot!(read("a: \x1b[31m\n"), @r"
    x.yaml:1:4: error[yaml-character]: the character U+001B is not allowed in YAML
      help: remove it, or write `\u001B` in a text in double quotes
    ");
    assert_snapshot!(read(""), @"
    x.yaml:1:1: error[yaml-empty]: the document is empty
      help: start it with `schema_version: 1`
    ");
    assert_snapshot!(read("# nothing\n"), @"
    x.yaml:1:1: error[yaml-empty]: the document is empty
      help: start it with `schema_version: 1`
    ");
    assert_snapshot!(read("---\n"), @"null");
}

#[test]
fn syntax_errors_located() {
    assert_snapshot!(read("a: 'b\n"), @"
    x.yaml:1:4: error[yaml-syntax]: this is not YAML: while scanning a quoted scalar, found unexpected end of stream
      help: check this line and the one before: indentation, quotes, brackets and colons
    ");
    assert_snapshot!(read("a: \"b\n"), @"
    x.yaml:1:4: error[yaml-syntax]: this is not YAML: while scanning a quoted scalar, found unexpected end of stream
      help: check this line and the one before: indentation, quotes, brackets and colons
    ");
    assert_snapshot!(read("a:\n\t- b\n"), @"
    x.yaml:2:2: error[yaml-syntax]: this is not YAML: tabs disallowed within this context (block indentation)
      help: indent with spaces: YAML does not allow tabs there
    ");
    assert_snapshot!(read("a: [b\n"), @"
    x.yaml:2:1: error[yaml-syntax]: this is not YAML: while parsing a flow sequence, expected ',' or ']'
      help: check this line and the one before: indentation, quotes, brackets and colons
    ");
    assert_snapshot!(read("a: b: c\n"), @"
    x.yaml:1:5: error[yaml-syntax]: this is not YAML: mapping values are not allowed in this context
      help: check this line and the one before: indentation, quotes, brackets and colons
    ");
    assert_snapshot!(read("a: *b\n"), @"
    x.yaml:1:4: error[yaml-syntax]: this is not YAML: while parsing node, found unknown anchor
      help: check this line and the one before: indentation, quotes, brackets and colons
    ");
    assert_snapshot!(read("a: &x [*x]\n"), @"
    x.yaml:1:8: error[yaml-alias]: this alias is inside the value it repeats
      help: write the value out
    ");
    assert_snapshot!(read("a: b\n c: d\n"), @"
    x.yaml:2:3: error[yaml-syntax]: this is not YAML: mapping values are not allowed in this context
      help: check this line and the one before: indentation, quotes, brackets and colons
    ");
    assert_snapshot!(read("- a\nb: c\n"), @"
    x.yaml:2:1: error[yaml-syntax]: this is not YAML: while parsing a block collection, did not find expected '-' indicator
      help: check this line and the one before: indentation, quotes, brackets and colons
    ");
}

#[test]
fn nesting_over_limit_refused() {
    assert!(read("[".repeat(64) + &"]".repeat(64)).starts_with("[["));
    // The parser reports an unclosed bracket only at the end, so the depth has to be checked first.
    assert_snapshot!(read("[".repeat(65) + &"]".repeat(65)), @"
    x.yaml:1:65: error[yaml-depth]: lists and mappings are nested more than 64 deep
      help: flatten the document
    ");
    assert_snapshot!(read("[".repeat(10_000)), @"
    x.yaml:1:256: error[yaml-depth]: lists and mappings are nested more than 64 deep
      help: flatten the document
    ");
    assert_snapshot!(read("{a: ".repeat(10_000)), @"
    x.yaml:1:1021: error[yaml-depth]: lists and mappings are nested more than 64 deep
      help: flatten the document
    ");
    assert_snapshot!(read("- ".repeat(10_000)), @"
    x.yaml:1:129: error[yaml-depth]: lists and mappings are nested more than 64 deep
      help: flatten the document
    ");
    let mapping: String = (0..2000).map(|at| " ".repeat(at) + "a:\n").collect();
    assert_snapshot!(read(mapping), @"
    x.yaml:65:65: error[yaml-depth]: lists and mappings are nested more than 64 deep
      help: flatten the document
    ");
    let alias = format!(
        "a: &x {}{}\nb: {}*x{}\n",
        "[".repeat(40),
        "]".repeat(40),
        "[".repeat(40),
        "]".repeat(40)
    );
    assert_snapshot!(read(alias), @"
    x.yaml:2:44: error[yaml-depth]: lists and mappings are nested more than 64 deep
      help: flatten the document
    ");
}

#[test]
fn size_over_limit_refused() {
    assert_snapshot!(read(vec![b'a'; 5 * 1024 * 1024]), @"
    x.yaml:1:1: error[document-size]: the document has 5242880 bytes, more than 4 MiB
      help: split it, or keep data in files that steps read
    ");
    // Each level repeats the one before nine times.
    let mut bomb = "a0: &a0 [lol]\n".to_owned();
    for at in 1..40 {
        let aliases = vec![format!("*a{}", at - 1); 9].join(", ");
        bomb += &format!("a{at}: &a{at} [{aliases}]\n");
    }
    assert_snapshot!(read(bomb), @"
    x.yaml:6:25: error[yaml-alias]: the aliases repeat too much
      help: write the values out, or repeat less
    ");
    assert_snapshot!(read(format!("[{}]", "1,".repeat(1_000_001))), @"
    x.yaml:1:2000003: error[document-size]: the document holds more than 1000000 values
      help: split it, or keep data in files that steps read
    ");
}

#[test]
fn yaml_findings_limited() {
    let found = Document::parse("x.yaml", "a: 1\n".repeat(10_000).as_bytes()).unwrap_err();
    assert_eq!(found.iter().count(), 200);
}

fn yaml_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-c]{1,2}: ",
        Just("\n".to_owned()),
        Just("\n  ".to_owned()),
        Just("\r\n- ".to_owned()),
        "[-\\[\\]{},:?&*!|>'\"%@`#~. \t]",
        "[0-9.]{1,3}",
        "&x |\\*x|<<: |\\|\n|>-\n|---\n|\\.\\.\\.\n|ü|\u{feff}",
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_no_panic(bytes: Vec<u8>) {
        read(bytes);
    }

    /// Checks that every part of a parsed document has a position, and that plain strings occur
    /// there.
    #[test]
    fn yaml_parts_located(text in yaml_like()) {
        let Ok(document) = Document::parse("x.yaml", text.as_bytes()) else {
            return Ok(());
        };
        let mut todo = vec![document.root()];
        while let Some(node) = todo.pop() {
            let place = node.place();
            prop_assert!(text.get(place.range.clone()).is_some());
            if let Some(word) = node.value().as_str().filter(|w| w.chars().all(char::is_alphabetic)) {
                prop_assert!(text[place.range].contains(word), "{word:?} in {text:?}");
            }
            todo.extend(node.items());
            let keys = node.value().as_object().into_iter().flat_map(|fields| fields.keys());
            for key in keys {
                todo.extend(node.get(key));
            }
        }
    }

    /// Checks that a value reads back unchanged in any YAML style.
    #[test]
    fn any_style_reads_same_value((value, text) in written()) {
        let document = Document::parse("x.yaml", text.as_bytes());
        let Ok(document) = document else {
            return Err(TestCaseError::fail(format!("{text}\n{}", read(&text))));
        };
        prop_assert_eq!(document.value(), &value, "{}", text);
    }

    /// Checks that we get the same value from JSON if we read it as YAML.
    #[test]
    fn json_as_yaml_same_value(value in json()) {
        let text = serde_json::to_string(&value).unwrap();
        prop_assert_eq!(read(&text), text);
        let text = serde_json::to_string_pretty(&value).unwrap();
        prop_assert_eq!(read(&text), value.to_string());
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,6}",
        "[ -~äß€😀]{0,12}",
        "[a-z \\n]{0,12}",
        "[-+.0-9xeE]{1,4}",
        prop::sample::select(vec![
            "", "null", "~", "yes", "no", "true", ".inf", "<<", "---", "# x", "a: b", "- a", "\t"
        ])
        .prop_map(str::to_owned),
    ]
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        // Floats with a short decimal form can be compared exactly.
        (-1000_i32..1000).prop_map(|number| Value::from(f64::from(number) / 8.0)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A value and a random way to write it.
fn written() -> impl Strategy<Value = (Value, String)> {
    (json(), any::<u64>()).prop_map(|(value, seed)| {
        let text = Writer { state: seed | 1 }.document(&value);
        (value, text)
    })
}

struct Writer {
    state: u64,
}

impl Writer {
    fn choose(&mut self, among: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % among
    }

    fn document(&mut self, value: &Value) -> String {
        let start = ["", "---\n", "# a comment\n"][self.choose(3) as usize];
        format!("{start}{}\n", self.block(value, 0).trim_start_matches('\n'))
    }

    /// Writes the text after `key:` or `-`, which either begins on the same line after a space, or
    /// on a new line.
    fn block(&mut self, value: &Value, indent: usize) -> String {
        let pad = " ".repeat(indent);
        match value {
            Value::Array(items) if !items.is_empty() && self.choose(3) > 0 => {
                let items = items
                    .iter()
                    .map(|item| format!("\n{pad}-{}", self.nested(item, indent + 2)));
                items.collect()
            }
            Value::Object(fields) if !fields.is_empty() && self.choose(3) > 0 => {
                let fields = fields.iter().map(|(key, item)| {
                    format!(
                        "\n{pad}{}:{}",
                        self.quoted(key),
                        self.nested(item, indent + 2)
                    )
                });
                fields.collect()
            }
            other => self.flow(other),
        }
    }

    fn nested(&mut self, value: &Value, indent: usize) -> String {
        let comment = if self.choose(5) == 0 { " # why" } else { "" };
        match value {
            Value::String(text) if is_literal(text) && self.choose(2) == 0 => {
                let pad = " ".repeat(indent);
                let lines: String = text.lines().map(|line| format!("\n{pad}{line}")).collect();
                format!(
                    " |{}{comment}{lines}",
                    if text.ends_with('\n') { "" } else { "-" }
                )
            }
            _ => match self.block(value, indent) {
                lines if lines.starts_with('\n') => format!("{comment}{lines}"),
                word => format!(" {word}{comment}"),
            },
        }
    }

    fn flow(&mut self, value: &Value) -> String {
        match value {
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(|item| self.flow(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(fields) => {
                let fields = fields
                    .iter()
                    .map(|(key, item)| format!("{}: {}", self.quoted(key), self.flow(item)));
                format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
            }
            Value::String(text) => self.quoted(text),
            Value::Null => ["null", "~", "Null"][self.choose(3) as usize].to_owned(),
            Value::Bool(bool) => match self.choose(2) {
                0 => bool.to_string(),
                _ => bool.to_string().to_uppercase(),
            },
            Value::Number(number) => match number.as_u64() {
                Some(number) if self.choose(3) == 0 => format!("0x{number:x}"),
                Some(number) if self.choose(3) == 0 => format!("0o{number:o}"),
                _ => number.to_string(),
            },
        }
    }

    fn quoted(&mut self, text: &str) -> String {
        let word = text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.bytes().all(|b| b.is_ascii_lowercase())
            && !matches!(text, "null" | "true" | "false");
        let lines = text.contains('\n');
        match self.choose(4) {
            0 if word => text.to_owned(),
            1 | 2 if !lines => format!("'{}'", text.replace('\'', "''")),
            _ => serde_json::to_string(text).unwrap(),
        }
    }
}

/// True if a text can follow `|` unchanged.
fn is_literal(text: &str) -> bool {
    let words = |line: &str| !line.is_empty() && !line.starts_with(' ');
    text.lines().next().is_some_and(words)
        && text.lines().all(|line| !line.trim().is_empty())
        && !text.contains(['\t', '\r'])
}

#[test]
fn duplicate_keys_many_one_pass() {
    let keys = |order: &mut dyn Iterator<Item = usize>| -> String {
        order.map(|at| format!("k{at}: 1\n")).collect()
    };
    let text = keys(&mut (0..50_000)) + &keys(&mut (0..50_000).rev());
    let found = Document::parse("x.yaml", text.as_bytes()).unwrap_err();
    let lines = |found: &windlass_base::Diagnostic| {
        let line = |place: &windlass_base::Place| place.position().line;
        (found.place.as_ref().map(line), line(&found.related[0].0))
    };
    let lines: Vec<_> = found.iter().map(lines).collect();
    assert_eq!(lines.len(), super::MAX_FINDINGS);
    assert_eq!(lines[0], (Some(50_001), 50_000));
    assert_eq!(lines[199], (Some(50_200), 49_801));
}
