use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_tron::{Number, Value, from_str};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Item<'a> {
    id: &'a str,
    #[serde(borrow)]
    title: Cow<'a, str>,
    done: Option<bool>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(flatten)]
    rest: BTreeMap<String, u32>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    Point,
    Circle(f32),
    Line(i8, i8),
    Rect { width: u16, height: u16 },
}

#[test]
fn instance_is_read_as_struct() {
    let text = "class Item: id, title, done, more\nItem(\"a\", \"b\\n\", null, 7)";
    let item: Item<'_> = from_str(text).unwrap();
    let expected = Item {
        id: "a",
        title: "b\n".into(),
        done: None,
        tags: vec![],
        rest: BTreeMap::from([("more".to_owned(), 7)]),
    };
    assert_eq!(item, expected);
}

#[test]
fn enum_is_read_from_every_form() {
    let text = "class C: Circle\nclass R: width,height\n\
                [\"Point\", {Circle: 1.5}, C(2), {Line: [-1, 2]}, {Rect: R(3, 4)}]";
    let shapes: Vec<Shape> = from_str(text).unwrap();
    let expected = [
        Shape::Point,
        Shape::Circle(1.5),
        Shape::Circle(2.0),
        Shape::Line(-1, 2),
        Shape::Rect {
            width: 3,
            height: 4,
        },
    ];
    assert_eq!(shapes, expected);
    assert!(from_str::<Shape>("{Point: null, Circle: 1}").is_err());
    assert!(from_str::<Shape>("\"Circle\"").is_err());
    assert!(from_str::<Shape>("{}").is_err());
}

#[test]
fn keys_are_read_as_numbers_and_bools() {
    let map: BTreeMap<i32, bool> = from_str(r#"{"1":true,"-2":false}"#).unwrap();
    assert_eq!(map, BTreeMap::from([(1, true), (-2, false)]));
    assert!(from_str::<BTreeMap<u8, bool>>(r#"{"300":true}"#).is_err());
    assert!(from_str::<BTreeMap<u8, bool>>(r#"{"x":true}"#).is_err());
    let map: BTreeMap<bool, u8> = from_str(r#"{"true":1}"#).unwrap();
    assert_eq!(map, BTreeMap::from([(true, 1)]));
}

#[test]
fn numbers_are_read_as_fitting_type() {
    assert_eq!(from_str::<u64>("18446744073709551615").unwrap(), u64::MAX);
    assert_eq!(
        from_str::<i128>("-170141183460469231731687303715884105728").unwrap(),
        i128::MIN
    );
    assert_eq!(
        from_str::<f64>("12345678901234567890123").unwrap(),
        12_345_678_901_234_567_890_123.0
    );
    assert!(from_str::<f64>("-0").unwrap().is_sign_negative());
    assert_eq!(from_str::<f32>("0.1").unwrap(), 0.1_f32);
    assert!(from_str::<u8>("256").is_err());
    assert!(from_str::<u8>("1.0").is_err());
    assert!(from_str::<f64>("1e999").is_err());
    assert!(from_str::<f32>("1e39").is_err());
}

#[test]
fn wrong_type_has_a_place() {
    let error_of = |text| from_str::<Vec<Item<'_>>>(text).unwrap_err().to_string();
    assert_eq!(
        error_of("class I: id,title,done\n[I(\"a\",\"b\",true),\nI(\"a\",\"b\",3)]"),
        "invalid type: integer `3`, expected a boolean at line 3 column 11"
    );
    assert_eq!(
        error_of("class I: id,done\n[I(\"a\",true)]"),
        "missing field `title` at line 2 column 12"
    );
    assert!(from_str::<(u8, u8)>("[1,2,3]").is_err());
    assert!(from_str::<(u8, u8)>("[1]").is_err());
}

#[test]
fn nested_value_retains_number_text() {
    #[derive(Serialize, Deserialize)]
    struct Holder {
        value: Value<'static>,
        number: Number<'static>,
    }
    let text = r#"{"value":{"b":[1.0,1e400,"x"],"a":null},"number":1E2}"#;
    let holder: Holder = from_str(text).unwrap();
    assert_eq!(
        holder.value.to_string(),
        r#"{"b":[1.0,1e400,"x"],"a":null}"#
    );
    assert_eq!(holder.number.as_str(), "1E2");
    let other: Holder = serde_json::from_str(r#"{"value":[1,-2,0.5,true],"number":3}"#).unwrap();
    assert_eq!(other.value.to_string(), "[1,-2,0.5,true]");
    let json = serde_json::to_string(&other).unwrap();
    assert_eq!(json, r#"{"value":[1,-2,0.5,true],"number":3}"#);
}
