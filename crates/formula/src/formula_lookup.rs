/// Looks up formulas by name. An implementation searches several folders in order, and the first
/// match wins.
pub trait FormulaLookup {
    /// Returns the formula `name`, or `None` if it doesn't exist.
    ///
    /// # Errors
    /// Returns a short reason if the formula exists but can't be read.
    fn formula(&self, name: &str) -> Result<Option<FormulaText>, String>;

    /// Returns the file at `path`, relative to the folder of `file`, in which the path was found.
    ///
    /// # Errors
    /// Returns a short reason if the file exists but can't be read.
    fn beside(&self, _file: &str, _path: &str) -> Result<Option<FormulaText>, String> {
        Ok(None)
    }

    /// Returns the names of all formulas. We use them for suggestions.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Text of a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaText {
    /// The file name as shown to the user.
    pub file: String,
    /// The file's contents.
    pub bytes: Vec<u8>,
}
