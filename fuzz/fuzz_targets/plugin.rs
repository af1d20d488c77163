//! Plugins: a component of acceptable weight is valid WebAssembly, a check can be stopped, and a
//! card survives writing.

use windlass_plugin::{Card, Component};

/// Reads the input as a component in binary form, as one in text form, and as a card.
pub(crate) fn check(bytes: &[u8]) {
    if let Ok(card) = serde_json::from_slice::<Card>(bytes) {
        let text = serde_json::to_string(&card).expect("a card is JSON");
        let again: Card = serde_json::from_str(&text).expect("a written card is readable");
        assert_eq!(again, card);
        let _ = card.major();
    }
    let binary = match bytes.starts_with(b"\0asm") {
        true => bytes.to_vec(),
        false => match wat::parse_bytes(bytes) {
            Ok(binary) => binary.into_owned(),
            Err(_) => return,
        },
    };
    let Ok(component) = Component::read(binary.clone()) else {
        return;
    };
    let again = Component::read(binary).expect("it was read before");
    assert_eq!(component.asks(), again.asks());
    assert_eq!(component.digest(), again.digest());
    let weighed = component.check_weight(&|| false);
    if weighed.is_err() {
        // The result doesn't matter here: a stopped check may end before it notices the stop.
        let _ = component.check_weight(&|| true);
        return;
    }
    let mut validator = wasmparser::Validator::new_with_features(wasmparser::WasmFeatures::all());
    let valid = validator.validate_all(component.bytes());
    assert!(valid.is_ok(), "{:?}", valid.err());
}
