//! Unusual documents, each with the value as JSON or a part of the error message.

use crate::support::{json, read};

/// Documents that some other readers refuse or misread.
const READ: &[(&str, &str)] = &[
    // JSON with whitespace in any position.
    ("{\"a\":\n1}", r#"{"a":1}"#),
    ("{\"a\"\n:1}", r#"{"a":1}"#),
    ("\r\n [ 1 ,\t2 ] \r\n", "[1,2]"),
    ("\u{feff}{}", "{}"),
    ("null", "null"),
    ("true", "true"),
    ("\"a\"", r#""a""#),
    ("-0", "-0"),
    ("1E+2", "1E+2"),
    ("1.50", "1.50"),
    ("12345678901234567890", "12345678901234567890"),
    ("1e999", "1e999"),
    (r#""\u00e9\ud83d\ude00\/\b\f\n\r\t""#, r#""é😀/\b\f\n\r\t""#),
    (r#"{"":{"":[]}}"#, r#"{"":{"":[]}}"#),
    (
        r#"{"__proto__":1,"class":2,"true":3}"#,
        r#"{"__proto__":1,"class":2,"true":3}"#,
    ),
    (r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#),
    // Trailing commas and comments.
    ("[1,2,]", "[1,2]"),
    ("{\"a\":1,}", r#"{"a":1}"#),
    ("class A: x\nA(1,)", r#"{"x":1}"#),
    ("# one\n[ # two\n1 # three\n] # four", "[1]"),
    ("\"# no comment\"", r##""# no comment""##),
    // Keys without quotes.
    ("{a:1,_b2:{c:[]}}", r#"{"a":1,"_b2":{"c":[]}}"#),
    // Classes.
    ("class A: x,y\n\nA(1,2)", r#"{"x":1,"y":2}"#),
    ("class A:x,y\nA(1,2)", r#"{"x":1,"y":2}"#),
    ("class\tA :x\nA (1)", r#"{"x":1}"#),
    ("class A: x,y,\nA(1,2)", r#"{"x":1,"y":2}"#),
    ("class A: x\r\n\r\nA(1)\r\n", r#"{"x":1}"#),
    ("class A: x;A(1)", r#"{"x":1}"#),
    (
        "class A: x; class B: y; [A(1),B(2)]",
        r#"[{"x":1},{"y":2}]"#,
    ),
    ("class A:\n  x\n  y\nA(1,2)", r#"{"x":1,"y":2}"#),
    (
        "class A: # of\n  x, # one\n  # and\n  y\n\nA(1,2)",
        r#"{"x":1,"y":2}"#,
    ),
    (
        "class A: x\n  y\nclass B(A): z\nB(1,2,3)",
        r#"{"x":1,"y":2,"z":3}"#,
    ),
    ("class A: x\nclass B(A):\n\nB(1)", r#"{"x":1}"#),
    (
        "class A: \"x y\",\"\",\"class\"\nA(1,2,3)",
        r#"{"x y":1,"":2,"class":3}"#,
    ),
    (
        "class A: \"a\\u0062\"\n[A(1),A(2)]",
        r#"[{"ab":1},{"ab":2}]"#,
    ),
    ("class A:\n\nA()", "{}"),
    (
        "class A: x\n[A([A({\"y\":A(1)})])]",
        r#"[{"x":[{"x":{"y":{"x":1}}}]}]"#,
    ),
    // Named arguments.
    ("class A: x,y,z\nA(1,z=2,y=3)", r#"{"x":1,"z":2,"y":3}"#),
    (
        "class A: x,\"y z\"\nA(x=1,\"y z\" = \"=\")",
        r#"{"x":1,"y z":"="}"#,
    ),
    ("class A: x\nA(x=null)", r#"{"x":null}"#),
    // End of the classes.
    ("class A: x\n\"hello\"", r#""hello""#),
    ("class A: x\n\"y\"\n\nA(1,2)", r#"{"x":1,"y":2}"#),
    ("class A: x\nb: 1", r#"{"b":1}"#),
    ("class A: x\n\nb: A(1)", r#"{"b":{"x":1}}"#),
    ("class A: x\n\"b\": 1", r#"{"b":1}"#),
    ("class A: x\ntrue", "true"),
    ("class A: x\n-1", "-1"),
    ("class A: x\n{}", "{}"),
    ("class A: x,\n[]", "[]"),
    // Roots without braces.
    ("a: 1", r#"{"a":1}"#),
    ("a: 1\nb: 2\n", r#"{"a":1,"b":2}"#),
    ("a: 1, b: 2", r#"{"a":1,"b":2}"#),
    ("a: 1; \"b c\": 2;", r#"{"a":1,"b c":2}"#),
    ("a: 1,\n\n# and\nb: [\n2\n]\n", r#"{"a":1,"b":[2]}"#),
    ("\"a\": \"x\"", r#"{"a":"x"}"#),
    ("a:\n1", r#"{"a":1}"#),
];

/// Documents that some readers accept although they shouldn't, or whose meaning isn't clear.
const REFUSED: &[(&str, &str)] = &[
    ("", "the text ends, expected data"),
    ("# nothing", "the text ends, expected data"),
    ("class A: x", "the text ends, expected data"),
    ("class A: x\nb", "the text ends, expected data"),
    (
        "\"abc",
        "a string that does not end, expected `\"` at line 1 column 1",
    ),
    ("\"a\nb\"", "a raw control character (U+000A) in a string"),
    ("\"a\tb\"", "U+0009"),
    ("\"a\u{0}b\"", "U+0000"),
    (r#""\q""#, r"`\q` is not an escape"),
    (r#""\u12""#, r"a `\u` without its digits"),
    (r#""\u12"#, r"a `\u` without its digits"),
    (r#""\u+123""#, r"a `\u` without its digits"),
    (r#""\ud800""#, "half of a surrogate pair"),
    (r#""\ud800\u0041""#, "half of a surrogate pair"),
    (r#""\udc00\ud800""#, "half of a surrogate pair"),
    ("'a'", "`\\'`, expected a value"),
    ("01", "`01` is not a number"),
    ("-01", "`-01` is not a number"),
    ("1.", "a digit after the point"),
    (".5", "expected a value"),
    ("+1", "expected a value"),
    ("1-2", "`1-2` is not a number"),
    ("1.2.3", "`1.2.3` is not a number"),
    ("1e", "a digit in the exponent"),
    ("1e+", "a digit in the exponent"),
    ("-", "expected a digit"),
    ("--1", "expected a digit"),
    ("0x10", "`0x10` is not a number"),
    ("1_000", "`1_000` is not a number"),
    ("NaN", "`NaN` is not a value, expected a finite number"),
    ("-Infinity", "`-Infinity` is not a number"),
    ("[Infinity]", "expected a finite number"),
    (
        "hello",
        "`hello` is not a value, expected a value; strings need quotes",
    ),
    ("tru", "`tru` is not a value"),
    ("True", "`True` is not a value"),
    ("// comment\n1", "`/`, expected a value"),
    ("/* comment */ 1", "`/`, expected a value"),
    ("1 2", "a number after the end of the data"),
    ("{} {}", "`{` after the end of the data"),
    ("1,", "`,` after the end of the data"),
    ("{}\nclass A: x", "`class` after the end of the data"),
    ("{}\u{1}", "after the end of the data"),
    ("[1 2]", "expected `,` or `]`"),
    ("[1\n2]", "expected `,` or `]`"),
    ("[1;2]", "expected `,` or `]`"),
    ("[,]", "`,`, expected a value"),
    ("[1,,2]", "`,`, expected a value"),
    ("[1", "the text ends, expected `,` or `]`"),
    ("]", "`]`, expected a value"),
    ("[1}", "`}`, expected `,` or `]`"),
    ("{", "the text ends, expected a key"),
    ("{\"a\"}", "`}`, expected `:` after the key"),
    ("{\"a\" 1}", "a number, expected `:` after the key"),
    ("{\"a\":}", "`}`, expected a value"),
    ("{,}", "`,`, expected a key"),
    ("{\"a\":1\n\"b\":2}", "a string, expected `,` or `}`"),
    ("{1:2}", "a number, expected a key"),
    ("{true:1}", "`true` is reserved, expected quotes around it"),
    ("{class:1}", "`class` is reserved"),
    ("{ü:1}", "`ü`, expected a key"),
    ("{a-b:1}", "`-`, expected `:`"),
    ("class: 1", "`class` is reserved"),
    ("null: 1", "`null` is reserved"),
    ("a: 1 b: 2", "`b`, expected a line end, `,` or `;`"),
    ("a: 1,, b: 2", "a `,` with nothing before it"),
    ("a: 1\nb", "the text ends, expected `:`"),
    ("a: 1\n2", "a number, expected a key"),
    ("a: 1\nclass A: x", "`class` is reserved"),
    ("A()", "class `A` is not defined; no class is defined"),
    (
        "class A: x\nB(1)",
        "class `B` is not defined; known classes: `A`",
    ),
    (
        "class A: x\n[A]",
        "`A` is not a value, expected `(` after the name of the class",
    ),
    ("class A: x,y\nA(1)", "`y` of class `A` is missing"),
    ("class A: x,y\nA()", "`x` of class `A` is missing"),
    ("class A: x,y\nA(y=1)", "`x` of class `A` is missing"),
    (
        "class A: x\nA(1,2)",
        "too many arguments: class `A` has 1 properties",
    ),
    ("class A: x,y\nA(,1)", "`,`, expected a value"),
    ("class A: x,y\nA(1 2)", "expected `,` or `)`"),
    (
        "class A: x,y\nA(x=1,2)",
        "an argument without a name after one with a name",
    ),
    ("class A: x,y\nA(1,x=2)", "property `x` is given twice"),
    ("class A: x,y\nA(y=1,y=2)", "property `y` is given twice"),
    ("class A: x\nA(z=1)", "class `A` has no property `z`"),
    ("class A: x\nA(x:1)", "`x` is not a value"),
    ("class A: x\nA(1", "the text ends, expected `,` or `)`"),
    ("class A: x\nA(1]", "`]`, expected `,` or `)`"),
    (
        "class A: x,x\nA(1,2)",
        "property `x` is there twice at line 1 column 12",
    ),
    ("class A: x,\"x\"\nA(1,2)", "property `x` is there twice"),
    (
        "class A: x\nclass A: y\nA(1)",
        "class `A` is defined twice at line 2 column 7",
    ),
    (
        "class A: x\nclass B(A): x\nB(1,2)",
        "property `x` is there twice",
    ),
    ("class A: x y\nA(1,2)", "`y`, expected `,` or a line end"),
    (
        "class A: x class B: y\nA(1)",
        "`class`, expected `,` or a line end",
    ),
    ("class A: x,,y\nA(1,2)", "expected a property"),
    ("class A: x-y\nA(1)", "`-`, expected `,` or a line end"),
    ("class A: 1\nA(1)", "a number, expected a property"),
    ("class A x\nA(1)", "`x`, expected `:`"),
    ("class 1: x\n{}", "a number, expected the name of a class"),
    ("class true: x\n{}", "`true` is reserved"),
    ("class class: x\n{}", "`class` is reserved"),
    (
        "class B(A): x\nclass A: y\n{}",
        "class `A` is not defined before its use",
    ),
    (
        "class A(A): x\n{}",
        "class `A` is not defined before its use",
    ),
    (
        "class B(A: x\n{}",
        "class `A` is not defined before its use",
    ),
    ("classA: x", "`x` is not a value"),
    ("class A: x\n\nb\n\nA(1)", "`b` is not a value"),
    ("class A:\n\n  x\n\nA(1)", "`x` is not a value"),
];

#[test]
fn odd_documents_are_read() {
    for (text, expected) in READ {
        assert_eq!(read(text).as_deref(), Ok(*expected), "{text:?}");
        let typed: serde_json::Value = match windlass_tron::from_str(text) {
            Ok(value) => value,
            // This number is beyond the range of doubles, so only a value with its text can
            // represent it.
            Err(error) if *text == "1e999" => {
                assert!(error.to_string().contains("exceeds every number type"));
                continue;
            }
            Err(error) => panic!("{text:?}: {error}"),
        };
        assert_eq!(typed, json(expected), "{text:?}");
    }
}

#[test]
fn odd_documents_are_refused() {
    for (text, expected) in REFUSED {
        let error = read(text).expect_err(text);
        assert!(error.contains(expected), "{text:?}\n{error}\n{expected}");
        let typed = windlass_tron::from_str::<serde_json::Value>(text);
        assert_eq!(typed.expect_err(text).to_string(), error, "{text:?}");
        let skipped = windlass_tron::from_str::<serde::de::IgnoredAny>(text);
        assert_eq!(skipped.expect_err(text).to_string(), error, "{text:?}");
    }
}
