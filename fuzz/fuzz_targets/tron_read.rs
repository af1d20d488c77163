//! TRON: all readers accept and refuse the same texts, and a value survives writing.

use windlass_tron::{Value, WriteOptions, from_slice};

pub(crate) fn check(bytes: &[u8]) {
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
