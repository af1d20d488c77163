use insta::assert_snapshot;
use proptest::prelude::*;

use crate::Document;
use crate::testing::shown;

/// The value a text reads as, or what is wrong with it.
fn read(text: impl AsRef<[u8]>) -> String {
    match Document::parse("x.yaml", text.as_ref()) {
        Ok(document) => document.value().to_string(),
        Err(found) => shown(&found),
    }
}

/// The text at a pointer: of the key, and of the value.
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
fn keys_keep_their_order() {
    assert_snapshot!(read("b: 1\na: [x, 'y', null]\nc: {d: 1.5, e: true}\n"), @r#"{"b":1,"a":["x","y",null],"c":{"d":1.5,"e":true}}"#);
    assert_eq!(
        read(r#"{"b": 1, "a": "\u2028"}"#),
        "{\"b\":1,\"a\":\"\u{2028}\"}"
    );
}

#[test]
fn aliases_repeat_what_they_name() {
    assert_snapshot!(read("a: &x [1, 2]\nb: *x\nc: {d: *x}\n"), @r#"{"a":[1,2],"b":[1,2],"c":{"d":[1,2]}}"#);
}

#[test]
fn byte_order_marks_and_line_ends_of_windows_are_accepted() {
    assert_snapshot!(read("\u{feff}a: 1\r\nb: ü\r\n"), @r#"{"a":1,"b":"ü"}"#);
    assert_snapshot!(at("\u{feff}a: 1\r\nb: ü\r\nc: x\r\n", "/c"), @r#"x.yaml:3:1 "c" | x.yaml:3:4 "x""#);
}

#[test]
fn places_are_bytes_of_the_text() {
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
fn a_place_inside_an_alias_is_where_its_value_stands() {
    assert_snapshot!(at("a: &x {y: 1}\nb: *x\n", "/b"), @r#"x.yaml:2:1 "b" | x.yaml:2:4 "*x""#);
    assert_snapshot!(at("a: &x {y: 1}\nb: *x\n", "/b/y"), @r#"x.yaml:1:8 "y" | x.yaml:1:11 "1""#);
}

#[test]
fn what_could_mean_two_things_is_refused() {
    assert_snapshot!(read("a: 1\nb: 2\na: 3\n'a': 4\n"), @"
    x.yaml:3:1: error[yaml-duplicate-key]: the key `a` stands here a second time
      see x.yaml:1:1: the first one
      help: remove one of the two, or rename it
    x.yaml:4:1: error[yaml-duplicate-key]: the key `a` stands here a second time
      see x.yaml:1:1: the first one
      help: remove one of the two, or rename it
    ");
    assert_snapshot!(read("a: &x {b: 1}\nc:\n  <<: *x\n"), @"
    x.yaml:3:3: error[yaml-merge]: merge keys (`<<`) are not supported
      help: write the keys out
    ");
    assert_snapshot!(read("a: !!python/object:os.system x\nb: !x [1]\nc: !!str 1\n"), @"
    x.yaml:1:4: error[yaml-tag]: tags (`!…`) are not supported
      help: remove the tag; to keep a value a text, put it in quotes
    x.yaml:2:4: error[yaml-tag]: tags (`!…`) are not supported
      help: remove the tag; to keep a value a text, put it in quotes
    x.yaml:3:4: error[yaml-tag]: tags (`!…`) are not supported
      help: remove the tag; to keep a value a text, put it in quotes
    ");
    assert_snapshot!(read("1: a\ntrue: b\n~: c\n: d\n"), @"
    x.yaml:1:1: error[yaml-key]: a key must be a text, and `1` is none
      help: put the key in quotes
    x.yaml:2:1: error[yaml-key]: a key must be a text, and `true` is none
      help: put the key in quotes
    x.yaml:3:1: error[yaml-key]: a key must be a text, and `~` is none
      help: put the key in quotes
    x.yaml:4:1: error[yaml-key]: a key must be a text, and nothing is none
      help: put the key in quotes
    ");
    assert_snapshot!(read("? [a]\n: b\n"), @"
    x.yaml:1:3: error[yaml-key]: a key must be a plain text
      help: write the key as a word or in quotes
    ");
    assert_snapshot!(read("&k a: 1\n*k : 2\n"), @"
    x.yaml:2:1: error[yaml-key]: a key must be a plain text
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
    x.yaml:1:5: error[yaml-character]: the character U+2028 may not stand in YAML
      help: remove it, or write `\u2028` in a text in double quotes
    ");
}

#[test]
fn what_is_no_text_is_refused() {
    assert_snapshot!(read(b"a: 1\nb: \xff\n"), @"
    x.yaml:2:4: error[document-encoding]: byte 8 is not UTF-8
      help: convert the file from its encoding to UTF-8
    ");
    assert_snapshot!(read(b"\xff\xfea\0"), @"
    x.yaml:1:1: error[document-encoding]: byte 0 is not UTF-8
      help: convert the file from UTF-16 to UTF-8
    ");
    assert_snapshot!(read("a: 1\0b\n"), @r"
    x.yaml:1:5: error[yaml-character]: the character U+0000 may not stand in YAML
      help: remove it, or write `\u0000` in a text in double quotes
    ");
    assert_snapshot!(read("a: \x1b[31m\n"), @r"
    x.yaml:1:4: error[yaml-character]: the character U+001B may not stand in YAML
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
fn syntax_errors_say_where() {
    assert_snapshot!(read("a: 'b\n"), @"
    x.yaml:1:4: error[yaml-syntax]: this is not YAML: while scanning a quoted scalar, found unexpected end of stream
      help: look at this line and the one before: indentation, quotes, brackets and colons
    ");
    assert_snapshot!(read("a: \"b\n"), @"
    x.yaml:1:4: error[yaml-syntax]: this is not YAML: while scanning a quoted scalar, found unexpected end of stream
      help: look at this line and the one before: indentation, quotes, brackets and colons
    ");
    assert_snapshot!(read("a:\n\t- b\n"), @"
    x.yaml:2:2: error[yaml-syntax]: this is not YAML: tabs disallowed within this context (block indentation)
      help: indent with spaces: YAML does not allow tabs there
    ");
    assert_snapshot!(read("a: [b\n"), @"
    x.yaml:2:1: error[yaml-syntax]: this is not YAML: while parsing a flow sequence, expected ',' or ']'
      help: look at this line and the one before: indentation, quotes, brackets and colons
    ");
    assert_snapshot!(read("a: b: c\n"), @"
    x.yaml:1:5: error[yaml-syntax]: this is not YAML: mapping values are not allowed in this context
      help: look at this line and the one before: indentation, quotes, brackets and colons
    ");
    assert_snapshot!(read("a: *b\n"), @"
    x.yaml:1:4: error[yaml-syntax]: this is not YAML: while parsing node, found unknown anchor
      help: look at this line and the one before: indentation, quotes, brackets and colons
    ");
    assert_snapshot!(read("a: &x [*x]\n"), @"
    x.yaml:1:8: error[yaml-alias]: this alias stands inside what it repeats
      help: write the value out
    ");
    assert_snapshot!(read("a: b\n c: d\n"), @"
    x.yaml:2:3: error[yaml-syntax]: this is not YAML: mapping values are not allowed in this context
      help: look at this line and the one before: indentation, quotes, brackets and colons
    ");
    assert_snapshot!(read("- a\nb: c\n"), @"
    x.yaml:2:1: error[yaml-syntax]: this is not YAML: while parsing a block collection, did not find expected '-' indicator
      help: look at this line and the one before: indentation, quotes, brackets and colons
    ");
}

#[test]
fn nesting_is_bounded() {
    assert!(read("[".repeat(64) + &"]".repeat(64)).starts_with("[["));
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
fn size_is_bounded() {
    assert_snapshot!(read(vec![b'a'; 5 * 1024 * 1024]), @"
    x.yaml:1:1: error[document-size]: the document has 5242880 bytes, more than 4 MiB
      help: split it, or keep data in files that steps read
    ");
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
fn findings_are_bounded() {
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
    fn any_bytes_are_answered(bytes: Vec<u8>) {
        read(bytes);
    }

    /// Whatever is read: every part has a place, and strings without escapes stand there.
    #[test]
    fn every_part_has_its_place(text in yaml_like()) {
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

    /// JSON is YAML.
    #[test]
    fn json_reads_as_itself(keys in prop::collection::btree_map("[a-z\"\\\\ü/]{0,5}", "[ -~äß€😀]{0,12}", 0..6)) {
        let text = serde_json::to_string(&keys).unwrap();
        prop_assert_eq!(read(&text), text);
    }
}
