//! Tests that changes of a document are minimal edits of its text.

use proptest::prelude::*;
use windlass_vcontext::{Document, Object, Value};

use crate::support::{PAIRS, any_json, document, json_text, named, object};

fn changed(name: &str, text: &str, change: impl FnOnce(&mut Object<'static>)) -> String {
    let read = named(name, text);
    let mut value = read.value().clone();
    change(value.as_object_mut().unwrap());
    let text = read.rewritten(&value);
    assert_eq!(
        json_text(named(name, &text).value()),
        json_text(&value),
        "{text}"
    );
    text
}

fn inner<'v>(value: &'v mut Object<'static>, path: &[&str]) -> &'v mut Object<'static> {
    let mut at = value;
    for key in path {
        at = at.get_mut(key).unwrap().as_object_mut().unwrap();
    }
    at
}

fn item<'v>(value: &'v mut Object<'static>, number: usize) -> &'v mut Object<'static> {
    let items = inner(value, &["todoList"]).get_mut("items").unwrap();
    let items = items.as_array_mut().unwrap();
    items[number].as_object_mut().unwrap()
}

const JSON: &str = r#"{"vContextInfo": {"version": "0.4"},
 "todoList": {
   "title"  :  "by hand",
   "items": [
     {"id": "a",   "title": "one", "status": "pending"},

     {"id": "b", "title": "two", "status": "pending", "n": 1.50}
   ], "x": [ 1,2 ]
 }
}
"#;

#[test]
fn unchanged_parts_keep_their_bytes() {
    let text = changed("d.json", JSON, |value| {
        drop(item(value, 0).insert("status", "completed"));
    });
    assert_eq!(text, JSON.replacen("\"pending\"", "\"completed\"", 1));
    let text = changed("d.json", JSON, |value| {
        drop(item(value, 1).insert("tags", vec![Value::from("x")]));
    });
    assert_eq!(text, JSON.replace("1.50}", "1.50, \"tags\": [\"x\"]}"));
    // An object that loses a member is written again, and everything else stays.
    let text = changed("d.json", JSON, |value| drop(item(value, 0).remove("id")));
    let again = "{\"title\": \"one\", \"status\": \"pending\"}";
    let was = "{\"id\": \"a\",   \"title\": \"one\", \"status\": \"pending\"}";
    assert_eq!(text, JSON.replace(was, again));
    let text = changed("d.json", JSON, |value| {
        let mut new = Object::new();
        new.insert("title", "three");
        let items = inner(value, &["todoList"]).get_mut("items").unwrap();
        items.as_array_mut().unwrap().push(new.into());
    });
    assert_eq!(
        text,
        JSON.replace("1.50}", "1.50},\n\n     {\"title\": \"three\"}")
    );
}

#[test]
fn inserted_part_copies_layout() {
    let json = "{\r\n\t\"todoList\": {\r\n\t\t\"items\": [\r\n\t\t\t{\r\n\t\t\t\t\"title\": \"a\"\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}\r\n";
    let text = changed("d.json", json, |value| {
        let mut new = Object::new();
        new.insert("title", "b");
        let items = inner(value, &["todoList"]).get_mut("items").unwrap();
        items.as_array_mut().unwrap().push(new.into());
    });
    let added = "\t\t\t},\r\n\t\t\t{\r\n\t\t\t\t\"title\": \"b\"\r\n\t\t\t}\r\n\t\t]";
    assert_eq!(text, json.replace("\t\t\t}\r\n\t\t]", added));
}

#[test]
fn first_item_gets_its_own_lines() {
    let json = "{\n  \"todoList\": {\n    \"items\": []\n  }\n}\n";
    let mut text = json.to_owned();
    for title in ["a", "b"] {
        text = changed("d.json", &text, |value| {
            let mut new = Object::new();
            new.insert("title", title);
            let items = inner(value, &["todoList"]).get_mut("items").unwrap();
            items.as_array_mut().unwrap().push(new.into());
        });
    }
    let item = |title: &str| format!("      {{\n        \"title\": \"{title}\"\n      }}");
    let items = format!("[\n{},\n{}\n    ]", item("a"), item("b"));
    assert_eq!(text, json.replace("[]", &items));
}

#[test]
fn tron_retains_classes_and_comments() {
    let tron = "# tasks\nclass T: id, title, status\n\nvContextInfo: {version: \"0.4\"} # by hand\ntodoList: {items: [\n  T(\"a\", \"one\", \"pending\"), # first\n  T(\"b\", \"two\", \"pending\"),\n]}\n";
    let text = changed("d.tron", tron, |value| {
        drop(item(value, 0).insert("status", "completed"));
    });
    assert_eq!(text, tron.replacen("\"pending\"", "\"completed\"", 1));
    // An object that fits a class becomes an instance. Otherwise, it stays an object.
    let text = changed("d.tron", tron, |value| {
        drop(item(value, 0).insert("n", 1));
        let mut new = Object::new();
        for (key, value) in [("id", "c"), ("title", "three"), ("status", "pending")] {
            new.insert(key, value);
        }
        let items = inner(value, &["todoList"]).get_mut("items").unwrap();
        items.as_array_mut().unwrap().push(new.into());
    });
    let want = tron
        .replace(
            "T(\"a\", \"one\", \"pending\")",
            "{\"id\": \"a\", \"title\": \"one\", \"status\": \"pending\", \"n\": 1}",
        )
        .replace(
            "T(\"b\", \"two\", \"pending\"),\n",
            "T(\"b\", \"two\", \"pending\"),\n  T(\"c\", \"three\", \"pending\"),\n",
        );
    // The comment is between the first two items.
    let plain = |text: &str| text.replace(char::is_whitespace, "");
    assert_eq!(plain(&text), plain(&want), "{text}");
}

#[test]
fn byte_order_mark_is_retained() {
    let text = format!("\u{feff}{JSON}");
    let new = changed("d.json", &text, |value| {
        drop(item(value, 0).insert("status", "completed"));
    });
    assert_eq!(new, text.replacen("\"pending\"", "\"completed\"", 1));
}

/// Makes the changes that `seeds` choose.
fn mutated(
    value: &mut Value<'static>,
    seeds: &mut impl Iterator<Item = u8>,
    other: &Value<'static>,
) {
    let Some(seed) = seeds.next() else { return };
    match value {
        Value::Object(members) if !members.is_empty() => {
            let at = usize::from(seed >> 2) % members.len();
            let key = members.iter().nth(at).unwrap().0.to_string();
            match seed % 4 {
                0 => drop(members.remove(&key)),
                1 => drop(members.insert(format!("new {seed}"), other.clone())),
                _ => mutated(members.get_mut(&key).unwrap(), seeds, other),
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let at = usize::from(seed >> 2) % items.len();
            match seed % 4 {
                0 => drop(items.remove(at)),
                1 => items.push(other.clone()),
                2 => items.insert(at, other.clone()),
                _ => mutated(&mut items[at], seeds, other),
            }
        }
        value => *value = other.clone(),
    }
}

proptest! {
    #[test]
    fn any_change_has_intended_value(
        before in object(any_json()),
        other in any_json(),
        which in 0..6_usize,
        tron in any::<bool>(),
        seeds in prop::collection::vec(any::<u8>(), 1..24),
        own in any::<bool>(),
    ) {
        let (_, json, as_tron) = PAIRS[which];
        let (name, text) = match (own, tron) {
            (true, _) => ("d.json", before.as_str()),
            (false, true) => ("d.tron", as_tron),
            (false, false) => ("d.json", json),
        };
        let read = Document::parse(name, text.as_bytes()).unwrap();
        let other = document(&other).value().clone();
        let mut value = read.value().clone();
        let mut seeds = seeds.into_iter();
        while seeds.len() > 0 {
            mutated(&mut value, &mut seeds, &other);
        }
        let text = read.rewritten(&value);
        let again = Document::parse(name, text.as_bytes()).unwrap();
        prop_assert_eq!(json_text(again.value()), json_text(&value));
    }
}
