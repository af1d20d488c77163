//! Options for cooking a formula.

use std::collections::BTreeMap;

use windlass_plan::Catalog;

/// Limits on the size of a cooked formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormulaLimits {
    /// Maximum number of steps, including those removed by conditions.
    pub max_steps: usize,
    /// Maximum total number of needs.
    pub max_needs: usize,
    /// Maximum total size of all texts, in bytes. This includes intermediate texts with values
    /// filled in.
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
    /// Values of variables, and of undeclared names in texts.
    pub vars: BTreeMap<String, String>,
    /// True if values may be supplied later. Missing values are then accepted, and conditions on
    /// unset variables stay undecided.
    pub open: bool,
    /// True to report unknown fields as errors.
    pub strict: bool,
    /// The preset that selects the legs of a convoy.
    pub preset: Option<String>,
    /// The subject to match hooks against. Hooks stay open without one.
    pub subject: Option<Subject>,
    /// Limits on the size of the cooked formula.
    pub limits: FormulaLimits,
    /// The catalogue used to check `uses` and `with`. Without one, they aren't checked.
    pub catalog: Option<&'a Catalog>,
}

/// The subject of a cooked formula, which decides which further formulas hooks attach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// Labels of the bead.
    pub labels: Vec<String>,
    /// The type of work, such as `bug`.
    pub kind: Option<String>,
    /// Priority from 0 to 4.
    pub priority: Option<u8>,
    /// The bead's id.
    pub bead: Option<String>,
}
