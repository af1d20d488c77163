use serde::Serialize;
use windlass_base::Diagnostics;
use windlass_plan::{Document, Findings};

use super::FormulaKind;
use super::dialect::kind_of;
use super::document::read_formula;
use super::formula_lookup::FormulaText;

/// A formula's own metadata, without the formulas it's composed of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FormulaHead {
    /// The name the formula declares for itself.
    pub name: String,
    /// The kind of formula.
    pub kind: FormulaKind,
    /// The version given by the author.
    pub version: i64,
    /// The first line of the description.
    pub summary: String,
    /// Names of the formulas it inherits from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extends: Vec<String>,
    /// True if only other formulas should use it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub internal: bool,
}

impl FormulaHead {
    /// Reads the head from the document alone, without looking up other formulas.
    ///
    /// # Errors
    /// Returns an error if the document isn't a formula.
    pub fn read(text: &FormulaText) -> Result<Self, Diagnostics> {
        let document = text.parse()?;
        let mut found = Findings::default();
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
    /// Parses the text as JSON if the file name ends with `.json`, and as TOML otherwise.
    pub(crate) fn parse(&self) -> Result<Document, Diagnostics> {
        match self.file.ends_with(".json") {
            true => Document::parse(&self.file, &self.bytes),
            false => Document::parse_toml(&self.file, &self.bytes),
        }
    }
}
