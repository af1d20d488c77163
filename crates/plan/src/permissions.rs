use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

windlass_base::word_enum! {
    /// Capabilities of foreign code, beyond reading its input.
    Capability, "capability" {
        /// Lines of repository files, with secrets redacted.
        Read = "read",
        /// Search for lines matching a pattern.
        Search = "search",
        /// Names of repository files.
        List = "list",
        /// Anchors of the notebook.
        Anchors = "anchors",
        /// The run's start time.
        Time = "time",
        /// Random numbers, from a seed of the run.
        Random = "random",
    }
}

impl Capability {
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
