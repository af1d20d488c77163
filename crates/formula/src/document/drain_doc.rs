use schemars::JsonSchema;
use serde::Deserialize;

use super::Located;

/// Molecules to make when a step is reached, one for each child of the molecule's bead.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaDrain")]
pub(crate) struct DrainDoc {
    /// The formula to make molecules from. Variables of this formula with the same name are passed
    /// on.
    pub(crate) formula: Located<String>,
    /// The order: `separate` (the default) for all at the same time, or `shared` for one after the
    /// other.
    pub(crate) context: Option<DrainContext>,
    /// Access to the beads: `read` (the default), or `exclusive` if no other open molecule may work
    /// on them.
    pub(crate) member_access: Option<MemberAccess>,
    /// Maximum number of beads, 100 if absent.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) max_units: Option<u32>,
    /// The effect of a failed molecule: `continue` for `separate` molecules, or `skip_remaining`
    /// for `shared` ones, where no later molecule starts.
    pub(crate) on_item_failure: Option<Located<ItemFailure>>,
    /// Settings for the molecules.
    pub(crate) item: Option<DrainItemDoc>,
}

/// Orders in which the molecules of a drain can run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DrainContext {
    /// All at the same time.
    #[default]
    Separate,
    /// One after the other.
    Shared,
}

/// Access of a drain's molecules to their beads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MemberAccess {
    /// Other molecules may work on the same beads.
    Read,
    /// No other open molecule may work on the same beads.
    Exclusive,
}

/// Effects of a failed molecule in a drain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ItemFailure {
    /// The others continue.
    Continue,
    /// No later one starts.
    SkipRemaining,
}

/// Settings for the molecules of a drain.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaDrainItem")]
pub(crate) struct DrainItemDoc {
    /// True if each molecule runs one step at a time.
    pub(crate) single_lane: Option<bool>,
}
