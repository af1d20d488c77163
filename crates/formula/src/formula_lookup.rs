/// Looks up formulas by name. An implementation searches several folders in order, and the first match wins.
pub trait FormulaLookup {
    /// Returns the formula `name`, or `None` if it does not exist.
    ///
    /// # Errors
    /// Returns a short reason if the formula exists but cannot be read.
    fn formula(&self, name: &str) -> Result<Option<FormulaText>, String>;

    /// Returns the file `path` that the formula in `file` refers to. The path is relative to the folder of `file`.
    ///
    /// # Errors
    /// Returns a short reason if the file exists but cannot be read.
    fn beside(&self, _file: &str, _path: &str) -> Result<Option<FormulaText>, String> {
        Ok(None)
    }

    /// Returns the names of all formulas, which are used for suggestions.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Text of a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaText {
    /// File name as shown to the user.
    pub file: String,
    /// Contents of the file.
    pub bytes: Vec<u8>,
}
