use schemars::JsonSchema;
use serde::Deserialize;

use super::Located;

/// Molecules to make when a step is reached, one for each child of the bead that the molecule works on.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaDrain")]
pub(crate) struct DrainDoc {
    /// Formula of the molecules. Variables of this formula with the same name are passed on.
    pub(crate) formula: Located<String>,
    /// Order: `separate` for all at the same time, which is the default, or `shared` for one after the other.
    pub(crate) context: Option<DrainContext>,
    /// Access to the beads: `exclusive` if no other open molecule may work on them; `read` by default.
    pub(crate) member_access: Option<MemberAccess>,
    /// Maximum number of beads; 100 if absent.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) max_units: Option<u32>,
    /// Effect of the failure of a molecule: `continue` for `separate` molecules, `skip_remaining` for `shared` ones,
    /// where no later molecule starts.
    pub(crate) on_item_failure: Option<Located<ItemFailure>>,
    /// Settings of the molecules.
    pub(crate) item: Option<DrainItemDoc>,
}

/// Order of the molecules of a drain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DrainContext {
    /// All at the same time.
    #[default]
    Separate,
    /// One after the other.
    Shared,
}

/// Access of the molecules of a drain to their beads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MemberAccess {
    /// Other molecules may work on the same beads.
    Read,
    /// No other open molecule may work on the same beads.
    Exclusive,
}

/// Effect of the failure of a molecule of a drain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ItemFailure {
    /// The others go on.
    Continue,
    /// No later one starts.
    SkipRemaining,
}

/// Settings of the molecules of a drain.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaDrainItem")]
pub(crate) struct DrainItemDoc {
    /// True if each molecule does one step at a time.
    pub(crate) single_lane: Option<bool>,
}
