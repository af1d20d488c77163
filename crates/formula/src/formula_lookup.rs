/// A source of formulas. If the same name exists in several folders, the implementation returns the
/// first match.
pub trait FormulaLookup {
    /// Finds a formula by name.
    ///
    /// # Errors
    /// Returns a short reason if the formula exists but can't be read.
    fn formula(&self, name: &str) -> Result<Option<FormulaText>, String>;

    /// Reads another file that's mentioned in `file`, such as the description of a step.
    ///
    /// `path` is relative to the folder of `file`.
    ///
    /// # Errors
    /// Returns a short reason if the file exists but can't be read.
    fn beside(&self, _file: &str, _path: &str) -> Result<Option<FormulaText>, String> {
        Ok(None)
    }

    /// Lists the names of all formulas. We only use them to suggest a similar name, so an
    /// implementation may leave this empty.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A lookup without any formulas, for a formula that stands alone.
#[derive(Debug, Clone, Copy)]
pub struct NoFormulas;

impl FormulaLookup for NoFormulas {
    fn formula(&self, _: &str) -> Result<Option<FormulaText>, String> {
        Ok(None)
    }
}

/// An unparsed formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaText {
    /// The file name, as shown to the user. Names ending in `.json` mark JSON, all others TOML.
    pub file: String,
    /// The content as it was read. If it isn't valid UTF-8, parsing reports that.
    pub bytes: Vec<u8>,
}
