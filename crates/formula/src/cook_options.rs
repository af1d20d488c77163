//! Options for cooking a formula.

use std::collections::BTreeMap;

use windlass_plan::Catalog;

/// Limits on the size of a cooked formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormulaLimits {
    /// Maximum number of steps, including those removed by conditions.
    pub max_steps: usize,
    /// Maximum number of needs of all steps together.
    pub max_needs: usize,
    /// Maximum number of bytes of all texts together, including intermediate texts with values filled in.
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

/// Options for cooking a formula.
#[derive(Debug, Clone, Default)]
pub struct CookOptions<'a> {
    /// Values of the variables, and of undeclared names that the texts use.
    pub vars: BTreeMap<String, String>,
    /// True if values may still follow: none is then missing, and conditions on unset variables stay undecided.
    pub open: bool,
    /// True to report unknown fields as errors.
    pub strict: bool,
    /// Name of the preset that selects legs.
    pub preset: Option<String>,
    /// Subject that hooks are matched against; without one, hooks stay open.
    pub subject: Option<Subject>,
    /// Limits for sizes and counts of the formula.
    pub limits: FormulaLimits,
    /// Catalogue of step kinds, for checking `uses` and `with`.
    pub catalog: Option<&'a Catalog>,
}

/// Subject of a cooked formula, which its hooks are matched against.
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
