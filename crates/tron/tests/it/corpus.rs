//! Unusual values in every position. If the text is JSON, serde_json must agree on the result.

use windlass_tron::{Value, from_str};

/// Values as written, along with the same value in JSON. For invalid ones, that's `None`.
const VALUES: &[(&str, Option<&str>)] = &[
    // Literals.
    ("null", Some("null")),
    ("true", Some("true")),
    ("false", Some("false")),
    ("True", None),
    ("NULL", None),
    ("nul", None),
    ("nulll", None),
    ("NaN", None),
    ("Infinity", None),
    ("-Infinity", None),
    ("undefined", None),
    ("class", None),
    ("word", None),
    ("ü", None),
    ("'a'", None),
    ("`a`", None),
    ("$", None),
    ("@", None),
    ("\\", None),
    // Numbers.
    ("0", Some("0")),
    ("-0", Some("-0")),
    ("-0.0", Some("-0.0")),
    ("0e0", Some("0e0")),
    ("10", Some("10")),
    ("1.0", Some("1.0")),
    ("1e5", Some("1e5")),
    ("1E-5", Some("1E-5")),
    ("1e+5", Some("1e+5")),
    ("-12.50e007", Some("-12.50e007")),
    ("9223372036854775808", Some("9223372036854775808")),
    (
        "0.1000000000000000055511151231257827",
        Some("0.1000000000000000055511151231257827"),
    ),
    ("1e400", Some("1e400")),
    ("01", None),
    ("-01", None),
    ("00", None),
    ("+1", None),
    (".5", None),
    ("1.", None),
    ("1.e1", None),
    ("1e", None),
    ("1e+", None),
    ("1e1.5", None),
    ("-", None),
    ("--1", None),
    ("- 1", None),
    ("1-2", None),
    ("1.2.3", None),
    ("0x1", None),
    ("1_000", None),
    ("1a", None),
    ("１", None),
    // Strings.
    (r#""""#, Some(r#""""#)),
    (r#""a""#, Some(r#""a""#)),
    (r#""\"\\\/\b\f\n\r\t""#, Some(r#""\"\\/\b\f\n\r\t""#)),
    (r#""\u0041\u00e9\u20ac""#, Some(r#""Aé€""#)),
    (r#""\ud83d\ude00""#, Some(r#""😀""#)),
    (r#""\uD83D\uDE00""#, Some(r#""😀""#)),
    (r#""\u0000""#, Some(r#""\u0000""#)),
    ("\"\u{7f}\u{2028}\"", Some("\"\u{7f}\u{2028}\"")),
    (
        r##""# // /* */ , : ; ( ) [ ] { } = class A: x""##,
        Some(r##""# // /* */ , : ; ( ) [ ] { } = class A: x""##),
    ),
    ("\"a", None),
    ("\"", None),
    ("\"\\\"", None),
    (r#""\q""#, None),
    (r#""\x41""#, None),
    (r#""\'""#, None),
    (r#""\u""#, None),
    (r#""\u12""#, None),
    (r#""\u12G4""#, None),
    (r#""\U00000041""#, None),
    (r#""\ud800""#, None),
    (r#""\udc00""#, None),
    (r#""\ud800\ud800""#, None),
    (r#""\ud800a""#, None),
    (r#""\ude00\ud83d""#, None),
    ("\"a\nb\"", None),
    ("\"a\tb\"", None),
    ("\"\u{0}\"", None),
    ("\"\u{1f}\"", None),
    // Arrays.
    ("[]", Some("[]")),
    ("[ ]", Some("[]")),
    ("[\n]", Some("[]")),
    ("[1,2]", Some("[1,2]")),
    ("[1,2,]", Some("[1,2]")),
    ("[[],[[]]]", Some("[[],[[]]]")),
    ("[1\n,\n2]", Some("[1,2]")),
    ("[1 # one\n]", Some("[1]")),
    ("[,]", None),
    ("[,1]", None),
    ("[1,,2]", None),
    ("[1,,]", None),
    ("[1 2]", None),
    ("[1;2]", None),
    ("[1\n2]", None),
    ("[1", None),
    ("[1,", None),
    ("[1}", None),
    ("[1)", None),
    ("1]", None),
    ("[a: 1]", None),
    ("[1 /* one */]", None),
    ("[1 // one\n]", None),
    // Objects.
    ("{}", Some("{}")),
    ("{ }", Some("{}")),
    (r#"{"a":1}"#, Some(r#"{"a":1}"#)),
    (r#"{"a":1,}"#, Some(r#"{"a":1}"#)),
    (r#"{a:1}"#, Some(r#"{"a":1}"#)),
    (r#"{_a1:1,"b-c":2}"#, Some(r#"{"_a1":1,"b-c":2}"#)),
    (r#"{"":1," ":2,"\n":3}"#, Some(r#"{"":1," ":2,"\n":3}"#)),
    (
        r#"{"class":1,"true":2,"null":3,"__proto__":4,"a,b":5}"#,
        Some(r#"{"class":1,"true":2,"null":3,"__proto__":4,"a,b":5}"#),
    ),
    ("{\"a\"\n:\n1}", Some(r#"{"a":1}"#)),
    ("{\"a\":1 # one\n,\"b\":2}", Some(r#"{"a":1,"b":2}"#)),
    ("{,}", None),
    (r#"{"a"}"#, None),
    (r#"{"a":}"#, None),
    (r#"{"a" 1}"#, None),
    (r#"{"a"=1}"#, None),
    (r#"{"a":1 "b":2}"#, None),
    (r#"{"a":1;"b":2}"#, None),
    (r#"{"a":1,,"b":2}"#, None),
    (r#"{"a":1"#, None),
    (r#"{"a":1]"#, None),
    ("{1:2}", None),
    ("{1a:2}", None),
    ("{a-b:2}", None),
    ("{class:1}", None),
    ("{true:1}", None),
    ("{null:1}", None),
    ("{ü:1}", None),
    ("{'a':1}", None),
    ("{[]:1}", None),
    // The class `T` has the properties `x` and `y`, and `E` has none.
    ("T(1,2)", Some(r#"{"x":1,"y":2}"#)),
    ("T(1,2,)", Some(r#"{"x":1,"y":2}"#)),
    ("T( 1\n,\n2 )", Some(r#"{"x":1,"y":2}"#)),
    ("T (1,2)", Some(r#"{"x":1,"y":2}"#)),
    ("T(y=1,x=2)", Some(r#"{"y":1,"x":2}"#)),
    ("T(1,y=2)", Some(r#"{"x":1,"y":2}"#)),
    (r#"T("x"=1,"y"=2)"#, Some(r#"{"x":1,"y":2}"#)),
    ("T(T(1,2),[E()])", Some(r#"{"x":{"x":1,"y":2},"y":[{}]}"#)),
    ("E()", Some("{}")),
    ("E( )", Some("{}")),
    ("T", None),
    ("T()", None),
    ("T(1)", None),
    ("T(1,2,3)", None),
    ("T(,1)", None),
    ("T(1,,2)", None),
    ("T(1 2)", None),
    ("T(x=1)", None),
    ("T(x=1,x=2)", None),
    ("T(1,x=2)", None),
    ("T(x=1,2)", None),
    ("T(z=1,y=2)", None),
    ("T(x:1,y:2)", None),
    ("T[1,2]", None),
    ("T{1,2}", None),
    ("T(1,2", None),
    ("T(1,2]", None),
    ("E(1)", None),
    ("t(1,2)", None),
    ("U(1,2)", None),
    ("class(1,2)", None),
    ("null(1,2)", None),
    ("class V: z", None),
];

const CLASSES: &str = "class T: x,y\nclass E:\n\n";

/// Positions of a value: the text before and after it, first in TRON and then in JSON.
const PLACES: &[(&str, &str, &str, &str)] = &[
    ("", "", "", ""),
    (" \t\r\n", "\n# end", "", ""),
    ("[", "]", "[", "]"),
    ("[0, ", " , 0]", "[0,", ",0]"),
    ("{\"k\": ", "}", "{\"k\":", "}"),
    ("{k: ", ", \"l\": []}", "{\"k\":", ",\"l\":[]}"),
    ("T(", ", null)", "{\"x\":", ",\"y\":null}"),
    ("T(null, ", ")", "{\"x\":null,\"y\":", "}"),
    ("T(y=0, x=", ")", "{\"y\":0,\"x\":", "}"),
    ("k: ", "\n", "{\"k\":", "}"),
    ("k: ", "; l: 1", "{\"k\":", ",\"l\":1}"),
    ("j: 0\nk: ", ",\nl: 1\n", "{\"j\":0,\"k\":", ",\"l\":1}"),
];

#[test]
fn corpus_every_value_in_every_position() {
    let mut wrong = Vec::new();
    for (value, becomes) in VALUES {
        for (before, behind, json_before, json_behind) in PLACES {
            let text = format!("{CLASSES}{before}{value}{behind}");
            let want = becomes.map(|json| format!("{json_before}{json}{json_behind}"));
            let got = Value::parse(&text);
            let is_right = match (&want, &got) {
                (Some(want), Ok(got)) => got.to_string() == *want,
                (None, Err(error)) => !error.message().is_empty() && error.place().is_some(),
                _ => false,
            };
            if !is_right {
                wrong.push(format!("{text:?}: {got:?} instead of {want:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn corpus_json_equals_serde_json() {
    let (mut accepted, mut refused) = (0, 0);
    for (value, becomes) in VALUES {
        for (before, behind, ..) in PLACES {
            let text = format!("{before}{value}{behind}");
            match serde_json::from_str::<serde_json::Value>(&text) {
                // Neither reader supports numbers beyond the range of doubles here.
                Ok(json) => {
                    accepted += 1;
                    let ours: serde_json::Value = from_str(&text).unwrap();
                    assert_eq!(ours, json, "{text:?}");
                    assert!(becomes.is_some(), "{text:?}");
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(accepted > 100 && refused > 1_000, "{accepted} {refused}");
}
