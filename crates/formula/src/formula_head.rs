use serde::Serialize;
use windlass_base::Diagnostics;
use windlass_plan::{Document, Findings};

use super::FormulaKind;
use super::dialect::kind_of;
use super::document::read_formula;
use super::formula_lookup::FormulaText;

/// The part of a formula that we can read without its parents, e.g. for a list of all formulas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FormulaHead {
    /// The declared name. It may differ from the file name.
    pub name: String,
    /// The declared kind, or a guess based on the fields that are present.
    pub kind: FormulaKind,
    /// The author's version number. Defaults to 1.
    pub version: i64,
    /// The first non-empty line of the description.
    pub summary: String,
    /// The parents, in declaration order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extends: Vec<String>,
    /// If true, the formula is only meant to be used by other formulas.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub internal: bool,
}

impl FormulaHead {
    /// Reads the head without looking up other formulas.
    ///
    /// # Errors
    /// Returns an error if the text can't be parsed, or isn't a formula.
    pub fn read(text: &FormulaText) -> Result<Self, Diagnostics> {
        let document = text.parse()?;
        let mut found = Findings::default();
        // Don't be strict: a formula with an unknown field should still be listed.
        let doc = read_formula(&document, false, &mut found).ok_or_else(|| found.finish(None))?;
        let description = doc.description.as_deref().unwrap_or_default();
        let first = description
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty());
        let extends = doc.extends.iter().flatten();
        Ok(Self {
            kind: kind_of(&doc),
            version: doc.version.unwrap_or(1),
            summary: first.unwrap_or_default().to_owned(),
            extends: extends.map(|name| name.value.clone()).collect(),
            internal: doc.internal == Some(true),
            name: doc.formula.value,
        })
    }
}

impl FormulaText {
    /// JSON if the file name ends with `.json`, TOML otherwise.
    pub(crate) fn parse(&self) -> Result<Document, Diagnostics> {
        match self.file.ends_with(".json") {
            true => Document::parse(&self.file, &self.bytes),
            false => Document::parse_toml(&self.file, &self.bytes),
        }
    }
}
