//! TRON: every reader reads or refuses the same, and written text keeps the value of its source.

use windlass_tron::{Value, WriteOptions, from_slice};

/// Checks that a value survives writing, and that both readers agree.
pub(crate) fn check_read(bytes: &[u8]) {
    let typed = from_slice::<Value<'_>>(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        assert!(typed.is_err());
        return;
    };
    match (Value::parse(text), typed) {
        (Ok(value), Ok(typed)) => {
            assert_eq!(value, typed);
            let again = WriteOptions::default().value_to_string(&value);
            assert_eq!(Value::parse(&again).ok(), Some(value));
        }
        (Err(value), Err(typed)) => assert_eq!(value.to_string(), typed.to_string()),
        (value, typed) => panic!("{value:?} {typed:?}"),
    }
}

/// Checks that written text is never longer than compact JSON. Takes the options from the first
/// byte and the value from the rest.
pub(crate) fn check_write(bytes: &[u8]) {
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
