//! Options for cooking a formula.

use std::collections::BTreeMap;

use windlass_plan::Catalog;

/// Limits that stop a small formula from expanding into a huge one.
///
/// A few nested loops are enough to ask for billions of steps. Cooking fails as soon as one of the
/// limits is exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormulaLimits {
    /// The maximum number of steps, 100,000 by default. A step counts even if its condition removes
    /// it again, because we have had to build it by then.
    pub max_steps: usize,
    /// The maximum number of needs, summed over all steps. 2,000,000 by default, since two large
    /// groups of steps can need each other pairwise.
    pub max_needs: usize,
    /// The maximum total size of all texts in bytes, 128 MiB by default.
    ///
    /// Each intermediate copy with filled-in values counts again, so this also limits the work of
    /// nested templates.
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

/// The values and the strictness of cooking.
#[derive(Debug, Clone, Default)]
pub struct CookOptions<'a> {
    /// Values by name. A name does not have to be declared if a text uses it.
    pub vars: BTreeMap<String, String>,
    /// If true, the caller may still supply more values later. We then accept missing values, and
    /// leave conditions on unset variables undecided.
    pub open: bool,
    /// If true, unknown fields are errors. Otherwise, they are warnings.
    pub strict: bool,
    /// The preset that selects the legs of a convoy. If `None`, all legs run.
    pub preset: Option<String>,
    /// The subject to match hooks against.
    ///
    /// If there is none yet, the hooks stay open in the cooked formula.
    pub subject: Option<Subject>,
    /// Cooking fails if one of these limits is exceeded.
    pub limits: FormulaLimits,
    /// The catalog to check `uses` and `with` against. If `None`, neither is checked.
    pub catalog: Option<&'a Catalog>,
}

/// The bead of the future molecule, reduced to the properties that matter for cooking.
///
/// The hooks of a formula test these properties, and each hook that matches attaches another
/// formula.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// Labels of the bead, matched by `label:NAME` hooks.
    pub labels: Vec<String>,
    /// The type of work, e.g. `bug`.
    pub kind: Option<String>,
    /// From 0 (critical) to 4.
    pub priority: Option<u8>,
    /// The bead's ID, the value of `{{bead_id}}` and similar names.
    pub bead: Option<String>,
}
