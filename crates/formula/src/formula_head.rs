use serde::Serialize;
use windlass_base::Diagnostics;
use windlass_plan::{Document, Findings};

use super::FormulaKind;
use super::dialect::kind_of;
use super::document::read_formula;
use super::formula_lookup::FormulaText;

/// What a formula says of itself, without what it is composed of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FormulaHead {
    /// Its name.
    pub name: String,
    /// What sort of formula it is.
    pub kind: FormulaKind,
    /// The version its author gave it.
    pub version: i64,
    /// The first line of what it is for.
    pub summary: String,
    /// The formulas it inherits from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extends: Vec<String>,
}

impl FormulaHead {
    /// Reads no more than the document itself.
    ///
    /// # Errors
    /// When the document is no formula.
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
            name: doc.formula.value,
        })
    }
}

impl FormulaText {
    /// Reads the text as what its name says that it is: JSON, else TOML.
    pub(crate) fn parse(&self) -> Result<Document, Diagnostics> {
        match self.file.ends_with(".json") {
            true => Document::parse(&self.file, &self.bytes),
            false => Document::parse_toml(&self.file, &self.bytes),
        }
    }
}
