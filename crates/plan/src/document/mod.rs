//! Reading documents: YAML, JSON and TOML become values of which every part knows its place.

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
    /// Reads the document called `name`: JSON if the name ends with `.json`, otherwise YAML.
    ///
    /// # Errors
    /// When it is not JSON or YAML, or uses what is refused: more than 4 MiB, nesting deeper than 64, tags
    /// beyond the core schema, merge keys, duplicate keys, keys that are no texts, numbers JSON cannot hold, several documents, aliases
    /// that repeat too much.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        match name.ends_with(".json") {
            true => json_document::parse(name, bytes),
            false => yaml::parse(name, bytes),
        }
    }

    /// Reads the TOML document called `name`. Dates and times are kept as texts.
    ///
    /// # Errors
    /// When it is no TOML, has more than 4 MiB or a million values, or numbers JSON cannot hold.
    pub fn parse_toml(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        toml_document::parse(name, bytes)
    }

    /// The text at the top-level field `field` of the document `bytes`, read only as far as that; where it is no text
    /// by itself (an alias, a tag), there is none.
    #[must_use]
    pub fn text_of_field(bytes: &[u8], field: &str) -> Option<String> {
        yaml::text_of_field(bytes, field)
    }
}
