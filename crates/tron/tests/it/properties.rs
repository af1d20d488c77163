use proptest::prelude::*;
use serde_json::Value as Json;
use windlass_tron::{ReadOptions, Value, WriteOptions, from_str, to_string};

use crate::strict;

fn key() -> impl Strategy<Value = String> {
    let known = [
        "id",
        "title",
        "status",
        "a",
        "b",
        "c",
        "_",
        "A",
        "class",
        "true",
        "false",
        "null",
        "__proto__",
        "",
        "a,b",
        "b,c",
        "due-date",
        "x y",
        "\"",
        "\\",
        "ü",
        "日本",
        "#",
        "A(",
        "a:b",
        "\n",
        "1",
    ];
    prop_oneof![
        6 => prop::sample::select(known[..7].to_vec()).prop_map(str::to_owned),
        3 => prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn scalar() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        // serde_json can read multiples of 1/8 exactly.
        any::<i32>().prop_map(|number| Json::from(f64::from(number) / 8.0)),
        Just(Json::from(1e300)),
        any::<String>().prop_map(Json::from),
        "[a-z]{0,8}".prop_map(Json::from),
    ]
}

/// Generates any kind of value, including similar objects that can share a class.
fn json() -> impl Strategy<Value = Json> {
    scalar().prop_recursive(5, 96, 8, |inner| {
        let object = prop::collection::vec((key(), inner.clone()), 0..6);
        let object = object.prop_map(|members| Json::Object(members.into_iter().collect()));
        let rows = (
            prop::collection::vec(key(), 1..5),
            prop::collection::vec(prop::collection::vec(inner.clone(), 5), 0..7),
        );
        let rows = rows.prop_map(|(keys, rows)| {
            let row = |row: Vec<Json>| Json::Object(keys.iter().cloned().zip(row).collect());
            Json::Array(rows.into_iter().map(row).collect())
        });
        prop_oneof![
            object,
            rows,
            prop::collection::vec(inner, 0..6).prop_map(Json::from)
        ]
    })
}

fn without_nulls(value: &mut Json) {
    match value {
        Json::Object(object) => {
            object.retain(|_, value| !value.is_null());
            object.values_mut().for_each(without_nulls);
        }
        Json::Array(array) => array.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

/// An unusual measure, in which some letters count more than others.
fn odd_weight(text: &str) -> usize {
    text.chars()
        .map(|c| 1 + usize::from("A(:".contains(c)) * 7)
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn written_text_is_read_by_every_reader(json in json()) {
        let text = to_string(&json).unwrap();
        prop_assert_eq!(strict::read(&text), json);
    }

    #[test]
    fn written_text_round_trips(json in json()) {
        let compact = json.to_string();
        let text = to_string(&json).unwrap();
        // This also compares the order of keys and the text of numbers.
        let value = Value::parse(&text).unwrap();
        prop_assert_eq!(value.to_string(), compact.as_str());
        prop_assert_eq!(&from_str::<Json>(&text).unwrap(), &json);
        prop_assert_eq!(&from_str::<Value<'_>>(&text).unwrap(), &value);
        prop_assert_eq!(&from_str::<Json>(&compact).unwrap(), &json);
        prop_assert_eq!(WriteOptions::default().value_to_string(&value), text.as_str());
        prop_assert_eq!(&to_string(&value).unwrap(), &text);
    }

    #[test]
    fn written_text_is_at_most_json_length(json in json()) {
        let (compact, text) = (json.to_string(), to_string(&json).unwrap());
        prop_assert!(text.len() <= compact.len());
        prop_assert!(text.chars().count() <= compact.chars().count());
        let weigh = WriteOptions { weigh: Some(&odd_weight), ..WriteOptions::default() };
        let text = weigh.to_string(&json).unwrap();
        prop_assert!(odd_weight(&text) <= odd_weight(&compact));
        prop_assert_eq!(strict::read(&text), json);
    }

    #[test]
    fn converted_text_is_the_same_value(json in json()) {
        let (compact, options) = (json.to_string(), ReadOptions::default());
        let tron = options.text_to_tron(&compact).unwrap();
        prop_assert_eq!(&strict::read(&tron), &json);
        prop_assert!(tron.len() <= compact.len());
        for text in [&tron, &compact, &to_string(&json).unwrap()] {
            prop_assert_eq!(&options.text_to_json(text).unwrap(), &compact);
            prop_assert_eq!(options.text_to_tron(text).unwrap().len(), tron.len());
        }
    }

    #[test]
    fn every_option_preserves_the_value(json in json(), pretty: bool, quoted_properties: bool, weighed: bool) {
        let weigh: Option<&dyn Fn(&str) -> usize> = if weighed { Some(&odd_weight) } else { None };
        let options = WriteOptions { pretty, quoted_properties, weigh, null_is_absent: false };
        let text = options.to_string(&json).unwrap();
        prop_assert_eq!(Value::parse(&text).unwrap().to_string(), json.to_string());
        let options = WriteOptions { null_is_absent: true, ..options };
        let text = options.to_string(&json).unwrap();
        let (mut read, mut json) = (from_str::<Json>(&text).unwrap(), json);
        if !pretty {
            prop_assert!(text.chars().count() <= json.to_string().chars().count() || weighed);
        }
        without_nulls(&mut read);
        without_nulls(&mut json);
        // This also compares the order of keys.
        prop_assert_eq!(read.to_string(), json.to_string());
    }

    #[test]
    fn readers_agree_on_any_text(text in soup()) {
        let value = Value::parse(&text);
        let typed = from_str::<Value<'_>>(&text);
        match (value, typed) {
            (Ok(value), Ok(typed)) => {
                prop_assert_eq!(&value, &typed);
                let again = WriteOptions::default().value_to_string(&value);
                prop_assert_eq!(&Value::parse(&again).unwrap(), &value);
            }
            (Err(value), Err(typed)) => {
                prop_assert_eq!(value.to_string(), typed.to_string());
                let place = value.place().unwrap();
                prop_assert!(text.get(place.range.clone()).is_some());
            }
            (value, typed) => prop_assert!(false, "{:?} {:?}", value, typed),
        }
        if let Ok(json) = serde_json::from_str::<Json>(&text) {
            prop_assert_eq!(from_str::<Json>(&text).unwrap(), json);
        }
        let _ = ReadOptions::default().from_slice::<serde::de::IgnoredAny>(text.as_bytes());
    }
}

/// Generates pieces of documents in any order. The result needn't be valid.
fn soup() -> impl Strategy<Value = String> {
    let pieces = [
        "class ",
        "A",
        "B",
        ": ",
        ":",
        "x",
        "y",
        ",",
        "\n",
        "\n\n",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "\"x\"",
        "\"",
        "\\u00e9",
        "\\",
        "1",
        "-",
        "0",
        ".5",
        "e3",
        "true",
        "null",
        " ",
        "  ",
        ";",
        "#c\n",
        "=",
        "class A: x,y\n",
        "A(1,2)",
        "a: 1\n",
        "\"k\":",
        "ü",
        "\u{feff}",
        "\r",
    ];
    let piece = prop_oneof![
        20 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}
