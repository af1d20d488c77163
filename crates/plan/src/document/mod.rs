//! Document parsers: YAML, JSON and TOML become values with positions.

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
    /// Parses the document `name`: JSON if the name ends with `.json`, otherwise YAML.
    ///
    /// # Errors
    /// If it is not JSON or YAML, or uses an unsupported feature: more than 4 MiB, nesting deeper than 64, tags
    /// beyond the core schema, merge keys, duplicate keys, keys that are not strings, numbers beyond JSON,
    /// several documents, or too much repetition by aliases.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        match name.ends_with(".json") {
            true => json_document::parse(name, bytes),
            false => yaml::parse(name, bytes),
        }
    }

    /// Parses the TOML document `name`. Dates and times become strings.
    ///
    /// # Errors
    /// If it is not TOML, exceeds 4 MiB or a million values, or has numbers beyond JSON.
    pub fn parse_toml(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        toml_document::parse(name, bytes)
    }

    /// Returns the string at the top-level field `field` of the document `bytes`, without parsing the rest;
    /// `None` if it is not a plain string (an alias, a tag).
    #[must_use]
    pub fn text_of_field(bytes: &[u8], field: &str) -> Option<String> {
        yaml::text_of_field(bytes, field)
    }
}
