use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// Returns the JSON Schema of a type that we only write. A field that the serializer may omit is
/// optional here, while in a schema for reading, it depends on serde's defaults.
#[must_use]
pub fn printed_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let generator = settings.into_generator();
    generator.into_root_schema_for::<T>().to_value()
}
