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
pub use self::source_text::{SizeLimit, decode, json_place};

impl Document {
    /// Parses the document `name`: as JSON if the name ends with `.json`, and as YAML otherwise.
    ///
    /// JSON is not read as YAML, although it is nearly a subset: YAML refuses surrogate pairs and
    /// accepts trailing commas.
    ///
    /// # Errors
    /// Returns an error if the text is not valid JSON or YAML. Limits are 4 MiB, 64 levels of
    /// nesting, and a bounded size of expanded aliases. Tags beyond the core schema, merge keys and
    /// multiple documents are not supported. Keys must be unique strings, and all numbers must be
    /// expressible in JSON.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        match name.ends_with(".json") {
            true => json_document::parse(name, bytes),
            false => yaml::parse(name, bytes),
        }
    }

    /// Parses a TOML document. Dates and times become strings.
    ///
    /// # Errors
    /// Returns an error if the text is not valid TOML, exceeds 4 MiB or a million values, or
    /// contains numbers that JSON cannot represent.
    pub fn parse_toml(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        toml_document::parse(name, bytes)
    }

    /// Reads the string in the top-level field `field` without parsing the rest of the document.
    ///
    /// This is for listing many documents by name. It returns `None` for anything but a plain
    /// string, e.g. for an alias or a tagged value.
    #[must_use]
    pub fn text_of_field(bytes: &[u8], field: &str) -> Option<String> {
        yaml::text_of_field(bytes, field)
    }
}
