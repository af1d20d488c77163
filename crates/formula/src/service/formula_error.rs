use windlass_site::{ErrorKind, Explain};

/// Why a formula could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormulaError {
    /// There is no such formula.
    #[error("there is no formula `{name}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchFormula {
        /// What was asked for.
        name: String,
        /// The nearest there is.
        similar: Option<String>,
        /// The folders it was looked for in.
        searched: Vec<String>,
    },
}

impl Explain for FormulaError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::NotFound
    }

    fn help(&self) -> Option<String> {
        let Self::NoSuchFormula { searched, .. } = self;
        Some(format!(
            "it was looked for as `NAME.formula.toml`, `NAME.formula.json` and `NAME.toml` in {}",
            searched.join(", ")
        ))
    }
}
