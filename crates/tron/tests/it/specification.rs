use std::fs;

use windlass_tron::Value;

const EQUAL: [&str; 4] = [
    "snippet",
    "todo-minimal",
    "plan-minimal",
    "playbook-minimal",
];
const EQUAL_BUT_FOR_NULLS: [&str; 2] = ["todo-incident", "plan-webhooks"];

fn pair(name: &str) -> (Value<'static>, Value<'static>) {
    let of = |extension: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/spec");
        let text = fs::read_to_string(format!("{folder}/{name}.{extension}")).unwrap();
        Value::parse(&text).unwrap().into_owned()
    };
    (of("tron"), of("json"))
}

fn without_nulls(value: &mut Value<'_>) {
    match value {
        Value::Object(object) => {
            object.retain(|_, value| !value.is_null());
            object
                .iter_mut()
                .for_each(|(_, value)| without_nulls(value));
        }
        Value::Array(array) => array.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

#[test]
fn short_examples_equal_their_json() {
    for name in EQUAL {
        let (tron, json) = pair(name);
        assert_eq!(tron, json, "{name}");
    }
}

#[test]
fn long_examples_equal_without_nulls() {
    for name in EQUAL_BUT_FOR_NULLS {
        let (mut tron, json) = pair(name);
        assert_ne!(tron, json, "{name}");
        without_nulls(&mut tron);
        assert_eq!(tron, json, "{name}");
    }
}

#[test]
fn last_example_differs_in_entries() {
    let (mut tron, mut json) = pair("playbook-reliability");
    without_nulls(&mut tron);
    assert_ne!(tron, json);
    for document in [&mut tron, &mut json] {
        let playbook = document.as_object_mut().unwrap().get_mut("playbook");
        let items = playbook.unwrap().as_object_mut().unwrap().get_mut("items");
        for item in items.unwrap().as_array_mut().unwrap().iter_mut() {
            let item = item.as_object_mut().unwrap();
            item.remove("text");
            item.remove("narrative");
        }
    }
    assert_eq!(tron, json);
}
