/// Where formulas are looked up. Whoever implements it walks the search path; the first hit wins.
pub trait FormulaLookup {
    /// The formula called `name`, if there is one.
    ///
    /// # Errors
    /// When there is one that cannot be read: in a few words.
    fn formula(&self, name: &str) -> Result<Option<FormulaText>, String>;

    /// The file `path`, which the formula in `file` names: relative to the folder that `file` lies in.
    ///
    /// # Errors
    /// When there is one that cannot be read: in a few words.
    fn beside(&self, _file: &str, _path: &str) -> Result<Option<FormulaText>, String> {
        Ok(None)
    }

    /// The names of the formulas there are, to say which one was probably meant.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The text of a formula that was looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaText {
    /// Where it was found, as the user knows it.
    pub file: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}
