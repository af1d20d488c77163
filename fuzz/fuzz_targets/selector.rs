//! Selectors: a parsed selector reads back as its own text, and selects only parts of the value.

use std::sync::LazyLock;

use serde_json::{Value, json};
use windlass_plan::Selector;

static VALUE: LazyLock<Value> = LazyLock::new(
    || json!({"a": [1, {"b": "x", "c": [true, null]}, "y"], "b": {"a": {"a": 2.5}}, "\u{e9}": ""}),
);

pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(selector) = Selector::parse(&text) else {
        return;
    };
    let again = Selector::parse(selector.as_str()).expect("a selector reads back");
    let (one, other) = (selector.select(&VALUE), again.select(&VALUE));
    assert_eq!(one, other);
    let whole = VALUE.to_string();
    for part in one {
        assert!(whole.contains(&part.to_string()), "{part}");
    }
}
