use schemars::JsonSchema;
use serde::Deserialize;

use crate::{go, python, rust, script};

/// A public item: its name, its declaration, and the declaration's lines, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// Language of source text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Language {
    /// Items that are `pub`, and members of traits.
    #[default]
    Rust,
    /// JavaScript and TypeScript: exported items.
    Script,
    /// Names that do not begin with `_`.
    Python,
    /// Names that begin with a capital letter.
    Go,
}

impl Language {
    /// Returns a file's language by its extension.
    pub(crate) fn of_file(file: Option<&str>) -> Option<Self> {
        match file?.rsplit_once('.')?.1 {
            "rs" => Some(Self::Rust),
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Some(Self::Script),
            "py" | "pyi" => Some(Self::Python),
            "go" => Some(Self::Go),
            _ => None,
        }
    }

    /// Returns the public items of `text`.
    pub(crate) fn items(self, text: &str) -> Vec<Item> {
        match self {
            Self::Rust => rust::items(text),
            Self::Script => script::items(text),
            Self::Python => python::items(text),
            Self::Go => go::items(text),
        }
    }
}

/// Returns the identifier at the start of `text`, or an empty text if there's none.
pub(crate) fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
pub(crate) fn summaries(items: &[Item]) -> Vec<String> {
    items
        .iter()
        .map(|item| {
            format!(
                "{}: {} ({}-{})",
                item.name, item.text, item.first, item.last
            )
        })
        .collect()
}
