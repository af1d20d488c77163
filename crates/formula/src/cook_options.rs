//! Options for cooking a formula.

use std::collections::BTreeMap;

use windlass_plan::Catalog;

/// Limits on the size of a cooked formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormulaLimits {
    /// Maximum number of steps, including the steps that conditions remove.
    pub max_steps: usize,
    /// Maximum total number of needs.
    pub max_needs: usize,
    /// Maximum total size of all texts, in bytes. Intermediate texts with values filled in count too.
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

/// Options that control how a formula is cooked.
#[derive(Debug, Clone, Default)]
pub struct CookOptions<'a> {
    /// Values of variables, and of undeclared names that occur in texts.
    pub vars: BTreeMap<String, String>,
    /// True if values may be supplied later. Missing values are then no error, and conditions on unset variables stay
    /// undecided.
    pub open: bool,
    /// True to report unknown fields as errors.
    pub strict: bool,
    /// Name of the preset that selects the legs of a convoy.
    pub preset: Option<String>,
    /// Subject to match hooks against. Without a subject, hooks stay open.
    pub subject: Option<Subject>,
    /// Limits on the size of the cooked formula.
    pub limits: FormulaLimits,
    /// Catalogue of step kinds, used to check `uses` and `with`. If absent, they are not checked.
    pub catalog: Option<&'a Catalog>,
}

/// Subject of a cooked formula. Hooks attach further formulas depending on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// Labels of the bead that the formula is cooked for.
    pub labels: Vec<String>,
    /// Type of work.
    pub kind: Option<String>,
    /// Priority from 0 to 4.
    pub priority: Option<u8>,
    /// Id of the bead.
    pub bead: Option<String>,
}
