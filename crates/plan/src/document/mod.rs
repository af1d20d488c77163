//! Parsers that turn YAML, JSON and TOML documents into values with positions.

mod document_tree;
mod json_document;
pub(crate) mod json_pointer;
mod offsets;
mod positions;
mod source_text;
mod toml_document;
mod yaml;

use windlass_base::Diagnostics;

pub use self::document_tree::{Document, Node};

impl Document {
    /// Parses the document `name` as JSON if the name ends with `.json`, and otherwise as YAML.
    ///
    /// # Errors
    /// Returns an error if the text is not valid JSON or YAML, or if it uses an unsupported feature. Unsupported are
    /// more than 4 MiB, nesting deeper than 64, tags beyond the core schema, merge keys, duplicate keys, keys that are
    /// not strings, numbers that JSON cannot express, several documents, and too much repetition by aliases.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        match name.ends_with(".json") {
            true => json_document::parse(name, bytes),
            false => yaml::parse(name, bytes),
        }
    }

    /// Parses the TOML document `name`. Dates and times become strings.
    ///
    /// # Errors
    /// Returns an error if the text is not valid TOML, exceeds 4 MiB or a million values, or has numbers that JSON
    /// cannot express.
    pub fn parse_toml(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        toml_document::parse(name, bytes)
    }

    /// Returns the string in the top-level field `field` of the document `bytes`, without parsing the rest. Returns
    /// `None` if the field is not a plain string, for example an alias or a tagged value.
    #[must_use]
    pub fn text_of_field(bytes: &[u8], field: &str) -> Option<String> {
        yaml::text_of_field(bytes, field)
    }
}
