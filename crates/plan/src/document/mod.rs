//! Parses YAML, JSON and TOML documents into values with positions.

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
    /// Parses the document `name`: as JSON if the name ends with `.json`, and as YAML otherwise.
    /// JSON has its own parser, since YAML refuses surrogate pairs and accepts trailing commas.
    ///
    /// # Errors
    /// Returns an error if the text isn't valid JSON or YAML, or if it exceeds what we support. It
    /// may have at most 4 MiB and be nested at most 64 deep, and aliases must not repeat too much
    /// of it. Tags beyond the core schema, merge keys and multiple documents aren't supported. Keys
    /// must be unique strings, and JSON must be able to express all numbers.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        match name.ends_with(".json") {
            true => json_document::parse(name, bytes),
            false => yaml::parse(name, bytes),
        }
    }

    /// Parses the TOML document `name`, turning dates and times into strings.
    ///
    /// # Errors
    /// Returns an error if the text is not valid TOML, exceeds 4 MiB or a million values, or has
    /// numbers that JSON cannot express.
    pub fn parse_toml(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        toml_document::parse(name, bytes)
    }

    /// Returns the string in the top-level field `field` of the document `bytes`, without parsing
    /// the rest. Returns `None` if the field isn't a plain string, but an alias or a tagged value,
    /// for example.
    #[must_use]
    pub fn text_of_field(bytes: &[u8], field: &str) -> Option<String> {
        yaml::text_of_field(bytes, field)
    }
}
