use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// A JSON pointer (RFC 6901) into values of a run.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub(crate) struct JsonPointer(String);

impl TryFrom<String> for JsonPointer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if !(text.is_empty() || text.starts_with('/')) {
            return Err(format!(
                "`{text}` is not a JSON pointer: it starts with `/`, as in `/{text}`"
            ));
        }
        let mut escapes = text.split('~').skip(1);
        if !escapes.all(|rest| rest.starts_with(['0', '1'])) {
            return Err(format!(
                "`{text}` is not a JSON pointer: `~` must be followed by `0` (for `~`) or `1` (for `/`)"
            ));
        }
        Ok(Self(text))
    }
}

impl JsonPointer {
    pub(crate) fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        value.pointer(&self.0)
    }
}
