use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Capabilities of foreign code, beyond reading its input.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Lines of repository files, with secrets redacted.
    Read,
    /// Search for lines matching a pattern.
    Search,
    /// Names of repository files.
    List,
    /// Anchors of the notebook.
    Anchors,
    /// The run's start time.
    Time,
    /// Random numbers, from a seed of the run.
    Random,
}

impl Capability {
    /// All capabilities, in declaration order. Add new ones here as well.
    pub const ALL: [Self; 6] = [
        Self::Read,
        Self::Search,
        Self::List,
        Self::Anchors,
        Self::Time,
        Self::Random,
    ];

    /// The name in documents, e.g. `anchors`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Search => "search",
            Self::List => "list",
            Self::Anchors => "anchors",
            Self::Time => "time",
            Self::Random => "random",
        }
    }

    /// A phrase for users who have to decide whether to grant it, e.g. "search files for patterns".
    #[must_use]
    pub fn allows(self) -> &'static str {
        match self {
            Self::Read => "read lines of files",
            Self::Search => "search files for patterns",
            Self::List => "list files",
            Self::Anchors => "read anchors of the notebook",
            Self::Time => "read the start time of the run",
            Self::Random => "draw random numbers",
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Permissions granted by a runbook to the foreign code of its steps. The user must grant them as
/// well.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Permissions {
    /// Each plugin's capabilities, by the name between `plugin:` and `@`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub plugins: BTreeMap<String, BTreeSet<Capability>>,
}

impl Permissions {
    /// The capabilities granted to a step kind. There are none for kinds other than plugins, which
    /// aren't foreign code.
    #[must_use]
    pub fn of_kind(&self, uses: &str) -> BTreeSet<Capability> {
        let named = plugin_of(uses).and_then(|name| self.plugins.get(name));
        named.cloned().unwrap_or_default()
    }
}

/// The plugin's name, i.e. the part between `plugin:` and the last `@`. It's `None` for any other
/// step kind.
pub(crate) fn plugin_of(uses: &str) -> Option<&str> {
    let named = uses.strip_prefix("plugin:")?;
    Some(named.rsplit_once('@').map_or(named, |(name, _)| name))
}
