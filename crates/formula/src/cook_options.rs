//! What a formula is cooked with.

use std::collections::BTreeMap;

use windlass_plan::Catalog;

/// How large a cooked formula may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormulaLimits {
    /// The most steps, those that conditions leave out included.
    pub max_steps: usize,
    /// The most needs of all steps together.
    pub max_needs: usize,
    /// The most bytes of all texts together, those that values are filled into on the way included.
    pub max_text: usize,
}

impl Default for FormulaLimits {
    fn default() -> Self {
        Self {
            max_steps: 100_000,
            max_needs: 2_000_000,
            max_text: 128 * 1024 * 1024,
        }
    }
}

/// What a formula is cooked with.
#[derive(Debug, Clone, Default)]
pub struct CookOptions<'a> {
    /// The values of its variables.
    pub vars: BTreeMap<String, String>,
    /// Whether values may still come: then none is missing, and conditions on variables without one stay open.
    pub open: bool,
    /// Whether fields that are not known are errors.
    pub strict: bool,
    /// The choice of legs, by name.
    pub preset: Option<String>,
    /// What the formula is cooked for, as far as hooks ask for it; without, they stay open.
    pub subject: Option<Subject>,
    /// How large it may become.
    pub limits: FormulaLimits,
    /// The kinds of steps, to check `uses` and `with` by.
    pub catalog: Option<&'a Catalog>,
}

/// What a formula is cooked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// Its labels.
    pub labels: Vec<String>,
    /// What sort of work it is.
    pub kind: Option<String>,
    /// From 0 to 4.
    pub priority: Option<u8>,
}
