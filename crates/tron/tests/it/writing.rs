use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::json;
use windlass_tron::{Category, Limits, ReadOptions, Value, WriteOptions, to_string, to_writer};

use crate::strict;

const QUOTED: WriteOptions<'_> = WriteOptions {
    quoted_properties: true,
    pretty: false,
    null_is_absent: false,
    weigh: None,
};

#[test]
fn similar_objects_become_instances() {
    let items: Vec<_> = (0..4)
        .map(|nr| json!({"id": nr, "title": "t", "done": null}))
        .collect();
    let text = to_string(&json!({"items": items, "total": 4})).unwrap();
    let expected = "class A: id,title,done\n\n\
        {\"items\":[A(0,\"t\",null),A(1,\"t\",null),A(2,\"t\",null),A(3,\"t\",null)],\"total\":4}";
    assert_eq!(text, expected);
}

#[test]
fn most_used_class_has_first_name() {
    let rare = json!({"name_of_it": 1, "another_name": 2});
    let often = json!({"key_of_it": 1, "another_key": 2});
    let mut all = vec![rare; 4];
    all.extend(vec![often; 9]);
    let text = to_string(&all).unwrap();
    assert!(
        text.starts_with("class A: key_of_it,another_key\nclass B: name_of_it,another_name\n\n[")
    );
}

#[test]
fn value_without_savings_stays_json() {
    for value in [
        json!({"a": 1}),
        json!([{"a": 1}, {"a": 2}]),
        json!([{"a": 1, "b": 2}, {"a": 1, "b": 2}]),
        json!([{}, {}, {}, {}, {}, {}, {}, {}, {}, {}]),
        json!([{"a": 1, "b": 2}, {"b": 1, "a": 2}, {"a": 1}, {"b": 1}]),
        json!("a"),
        json!(null),
    ] {
        assert_eq!(to_string(&value).unwrap(), value.to_string());
    }
}

#[test]
fn key_order_is_part_of_a_shape() {
    let one = json!({"first": 1, "second": 2});
    let other = json!({"second": 1, "first": 2});
    let all = vec![
        one.clone(),
        other.clone(),
        one.clone(),
        other.clone(),
        one,
        other,
    ];
    let text = to_string(&all).unwrap();
    let read = Value::parse(&text).unwrap();
    assert_eq!(read.to_string(), json!(all).to_string());
}

#[test]
fn similar_shapes_are_distinct() {
    let all = json!([
        {"a,b": 1, "c": 2}, {"a": 3, "b,c": 4}, {"a,b": 1, "c": 2}, {"a": 3, "b,c": 4},
        {"a,b": 1, "c": 2}, {"a": 3, "b,c": 4}, {"a,b": 1, "c": 2}, {"a": 3, "b,c": 4},
        {"a,b": 1, "c": 2}, {"a": 3, "b,c": 4}, {"a,b": 1, "c": 2}, {"a": 3, "b,c": 4},
    ]);
    assert_eq!(to_string(&all).unwrap(), all.to_string());
    let text = QUOTED.to_string(&all).unwrap();
    assert!(text.starts_with("class A: \"a,b\",c\nclass B: a,\"b,c\"\n\n[A(1,2),B(3,4),"));
    assert_eq!(Value::parse(&text).unwrap().to_string(), all.to_string());
}

#[test]
fn reserved_words_stay_quoted() {
    let one =
        json!({"class": 1, "true": 2, "false": 3, "null": 4, "": 5, "__proto__": 6, "due-date": 7});
    let all = vec![one; 5];
    assert_eq!(to_string(&all).unwrap(), json!(all).to_string());
    let text = QUOTED.to_string(&all).unwrap();
    assert!(text.starts_with(
        "class A: \"class\",\"true\",\"false\",\"null\",\"\",__proto__,\"due-date\"\n\n["
    ));
    assert_eq!(
        Value::parse(&text).unwrap().to_string(),
        json!(all).to_string()
    );
}

/// The reference encoder only quotes a property if its name contains characters other than letters,
/// digits and `_`.
#[test]
fn reserved_unquoted_property_is_read() {
    for (text, json) in [
        (
            "class A: id,class\n\n[A(1,\"x\"),A(2,\"y\")]",
            r#"[{"id":1,"class":"x"},{"id":2,"class":"y"}]"#,
        ),
        ("class A: class,id\n\nA(1,2)", r#"{"class":1,"id":2}"#),
        (
            "class A: class\nclass B: x\n\n[A(1),B(2)]",
            r#"[{"class":1},{"x":2}]"#,
        ),
        (
            "class A: x,class\nclass B: class,y;[A(1,2),B(3,4)]",
            r#"[{"x":1,"class":2},{"class":3,"y":4}]"#,
        ),
        (
            "class A: true,false,null,__proto__\n\nA(1,2,3,4)",
            r#"{"true":1,"false":2,"null":3,"__proto__":4}"#,
        ),
        ("class A: x\nclass\n\nA(1,2)", r#"{"x":1,"class":2}"#),
        (
            "class A: x, class B: y\n\n[A(1),B(2)]",
            r#"[{"x":1},{"y":2}]"#,
        ),
        ("class A: x\ntrue", "true"),
    ] {
        assert_eq!(
            Value::parse(text)
                .map(|value| value.to_string())
                .map_err(|error| error.to_string()),
            Ok(json.to_owned()),
            "{text}"
        );
    }
}

#[test]
fn root_has_braces() {
    let mut tree = json!({"name": "leaf", "children": []});
    for _ in 0..9 {
        tree = json!({"name": "node", "children": [tree]});
    }
    let text = to_string(&tree).unwrap();
    assert!(text.starts_with("class A: name,children\n\n{\"name\":\"node\",\"children\":[A("));
    assert_eq!(strict::read(&text), tree);
}

#[test]
fn non_finite_numbers_are_refused() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = to_string(&[number]).unwrap_err();
        assert_eq!(error.category(), Category::Data);
        assert!(error.to_string().contains("only finite numbers"));
    }
    assert!(to_string(&f32::NAN).is_err());
    assert!(to_string(&BTreeMap::from([(Some("x"), 1)])).is_ok());
    assert!(to_string(&BTreeMap::from([((1, 2), 1)])).is_err());
}

#[test]
fn every_serde_type_equals_json() {
    #[derive(Serialize)]
    enum Kind {
        Unit,
        New(u8),
        Tuple(u8, i8),
        Struct { a: char },
    }
    #[derive(Serialize)]
    struct Unit;
    #[derive(Serialize)]
    struct New(f32);
    #[derive(Serialize)]
    struct All<'a> {
        kinds: [Kind; 4],
        unit: Unit,
        new: New,
        none: Option<()>,
        wide: (u64, i64, u128, i128),
        floats: (f64, f64, f64, f64),
        bytes: &'a [u8],
        keys: BTreeMap<i8, ()>,
        more: BTreeMap<bool, char>,
        text: &'a str,
    }
    let all = All {
        kinds: [
            Kind::Unit,
            Kind::New(1),
            Kind::Tuple(2, -3),
            Kind::Struct { a: 'ü' },
        ],
        unit: Unit,
        new: New(0.1),
        none: None,
        wide: (u64::MAX, i64::MIN, u128::MAX, i128::MIN),
        floats: (1.0, -0.0, 1e300, 5e-324),
        bytes: b"\x00\xff",
        keys: BTreeMap::from([(-1, ())]),
        more: BTreeMap::from([(true, '"')]),
        text: "\u{0}\u{1f}\u{7f}\n\t\r\u{8}\u{c}\"\\/ü😀\u{2028}",
    };
    assert_eq!(
        to_string(&all).unwrap(),
        serde_json::to_string(&all).unwrap()
    );
}

#[test]
fn null_is_absent_only_if_enabled() {
    let with = json!({"identifier": 1, "description": "x", "assigned_to": "y"});
    let without = json!({"identifier": 2, "assigned_to": "z"});
    let all = vec![with.clone(), without.clone(), with, without];
    let exact = to_string(&all).unwrap();
    assert!(!exact.contains("null"));
    let padding = WriteOptions {
        null_is_absent: true,
        ..WriteOptions::default()
    };
    let padded = padding.to_string(&all).unwrap();
    let expected = "class A: identifier,description,assigned_to\n\n\
        [A(1,\"x\",\"y\"),A(2,null,\"z\"),A(1,\"x\",\"y\"),A(2,null,\"z\")]";
    assert_eq!(padded, expected);
    assert!(padded.len() < exact.len());
}

#[test]
fn pretty_text_is_indented() {
    let items: Vec<_> = (0..3)
        .map(|nr| json!({"id": nr, "title": "a title of some length", "notes": [], "more": {"x": {}}}))
        .collect();
    let value = json!({"items": items, "empty": {}, "list": [1, 2]});
    let pretty = WriteOptions {
        pretty: true,
        ..WriteOptions::default()
    };
    let text = pretty.to_string(&value).unwrap();
    let expected = r#"class A: id, title, notes, more

{
  "items": [
    A(0, "a title of some length", [], {"x": {}}),
    A(1, "a title of some length", [], {"x": {}}),
    A(2, "a title of some length", [], {"x": {}})
  ],
  "empty": {},
  "list": [1, 2]
}"#;
    assert_eq!(text, expected);
    assert_eq!(Value::parse(&text).unwrap().to_string(), value.to_string());
}

#[test]
fn classes_are_chosen_by_weight() {
    let all: Vec<_> = (0..20)
        .map(|nr| json!({"identifier": nr, "title": "x"}))
        .collect();
    let brackets = |text: &str| text.matches('(').count();
    let by_weight = WriteOptions {
        weigh: Some(&brackets),
        ..WriteOptions::default()
    };
    assert_eq!(by_weight.to_string(&all).unwrap(), json!(all).to_string());
    let braces = |text: &str| text.matches('{').count();
    let by_weight = WriteOptions {
        weigh: Some(&braces),
        ..WriteOptions::default()
    };
    let few = [json!({"a": 1}), json!({"a": 2})];
    assert_eq!(
        by_weight.to_string(&few).unwrap(),
        "class A: a\n\n[A(1),A(2)]"
    );
}

#[test]
fn value_of_any_depth_is_written() {
    const DEPTH: usize = 100_000;
    let options = ReadOptions {
        limits: Limits::none(),
        ..ReadOptions::default()
    };
    let json = format!("{}1{}", "{\"key\":".repeat(DEPTH), "}".repeat(DEPTH));
    let value = options.value(&json).unwrap();
    for pretty in [false, true] {
        let write = WriteOptions {
            pretty,
            ..WriteOptions::default()
        };
        let text = write.value_to_string(&value);
        assert!(text.starts_with("class A: key\n\n{"));
        assert_eq!(options.value(&text).unwrap(), value);
    }
    let error = to_string(&value).unwrap_err();
    assert_eq!(error.category(), Category::Data);
}

#[test]
fn failing_writer_is_an_error() {
    let error = to_writer(&mut [0_u8; 2][..], &[1, 2, 3]).unwrap_err();
    assert_eq!(error.category(), Category::Io);
    let mut text = Vec::new();
    to_writer(&mut text, &[1, 2, 3]).unwrap();
    assert_eq!(text, b"[1,2,3]");
}
