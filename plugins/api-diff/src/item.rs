use schemars::JsonSchema;
use serde::Deserialize;

use crate::{go, python, rust, script};

/// Something public: its name, how it is declared, and the lines of its declaration, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// A language whose public items are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Language {
    /// What is `pub`, and what traits have.
    #[default]
    Rust,
    /// JavaScript and TypeScript: what is exported.
    Script,
    /// What does not begin with `_`.
    Python,
    /// What begins with a capital letter.
    Go,
}

impl Language {
    /// The language of a file, by the ending of its name.
    pub(crate) fn of_file(file: Option<&str>) -> Option<Self> {
        match file?.rsplit_once('.')?.1 {
            "rs" => Some(Self::Rust),
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Some(Self::Script),
            "py" | "pyi" => Some(Self::Python),
            "go" => Some(Self::Go),
            _ => None,
        }
    }

    /// The public items of `text`.
    pub(crate) fn items(self, text: &str) -> Vec<Item> {
        match self {
            Self::Rust => rust::items(text),
            Self::Script => script::items(text),
            Self::Python => python::items(text),
            Self::Go => go::items(text),
        }
    }
}

/// The first word of `text`, as names are made of.
pub(crate) fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
pub(crate) fn told(items: &[Item]) -> Vec<String> {
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
