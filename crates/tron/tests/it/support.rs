use windlass_tron::Value;

/// `text` as compact JSON, or what is wrong with it.
pub(crate) fn read(text: &str) -> Result<String, String> {
    match Value::parse(text) {
        Ok(value) => Ok(value.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// What serde_json makes of compact JSON.
pub(crate) fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}
