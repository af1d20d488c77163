use windlass_tron::Value;

/// Converts `text` to compact JSON, or returns the error message.
pub(crate) fn read(text: &str) -> Result<String, String> {
    match Value::parse(text) {
        Ok(value) => Ok(value.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// Parses compact JSON with serde_json.
pub(crate) fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}
