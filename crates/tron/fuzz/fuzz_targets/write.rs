//! What is written says what it was written from, and is never longer than compact JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use windlass_tron::{Value, WriteOptions};

fuzz_target!(|input: (u8, &str)| {
    let (choices, text) = input;
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
    assert_eq!(Value::parse(&written).map(|read| read.to_string()).ok(), Some(json.clone()));
    assert!(options.pretty || written.len() <= json.len());
});
