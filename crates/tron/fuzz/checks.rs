//! Properties that hold for any bytes: shared by the fuzz targets and by a test that mutates known texts.

use windlass_tron::{Value, WriteOptions, from_slice};

/// Checks that any bytes are read or refused, in the same way by every reader, and that a value survives
/// writing.
pub(crate) fn read(bytes: &[u8]) {
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

/// Checks that written text equals its source value, and is never longer than compact JSON.
pub(crate) fn write(choices: u8, text: &str) {
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
