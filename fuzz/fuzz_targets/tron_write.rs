//! TRON: written text has the same value as its source, and is never longer than compact JSON.

use windlass_tron::{Value, WriteOptions};

/// Takes the options from the first byte, and the value from the rest.
pub(crate) fn check(bytes: &[u8]) {
    let Some((choices, rest)) = bytes.split_first() else {
        return;
    };
    let rest = if bytes[0].is_ascii_digit() {
        rest
    } else {
        bytes
    };
    let Ok(text) = std::str::from_utf8(rest) else {
        return;
    };
    let Ok(value) = Value::parse(text) else {
        return;
    };
    let options = WriteOptions {
        pretty: choices & 1 > 0,
        quoted_properties: choices & 2 > 0,
        ..WriteOptions::default()
    };
    let written = options.value_to_string(&value);
    let json = value.to_string();
    let read = Value::parse(&written).map(|read| read.to_string());
    assert_eq!(read.ok(), Some(json.clone()));
    assert!(options.pretty || written.len() <= json.len());
}
