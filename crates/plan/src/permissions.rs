use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that foreign code may be allowed beyond working on its input.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Lines of the repository's files, secrets replaced.
    Read,
    /// Looking for lines that match a pattern.
    Search,
    /// The names of the repository's files.
    List,
    /// The anchors of the notebook.
    Anchors,
    /// The time at which the run began.
    Time,
    /// Random numbers, made from a seed of the run.
    Random,
}

impl Capability {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Read,
        Self::Search,
        Self::List,
        Self::Anchors,
        Self::Time,
        Self::Random,
    ];

    /// The word as it stands in documents.
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

    /// What it allows, as a phrase.
    #[must_use]
    pub fn allows(self) -> &'static str {
        match self {
            Self::Read => "read lines of files",
            Self::Search => "search files for patterns",
            Self::List => "list files",
            Self::Anchors => "take anchors of the notebook",
            Self::Time => "learn when the run began",
            Self::Random => "draw random numbers",
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a runbook allows the foreign code that its steps run. The user has to allow it as well.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Permissions {
    /// What each plugin may do beyond working on its input, by what stands between `plugin:` and `@`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub plugins: BTreeMap<String, BTreeSet<Capability>>,
}

impl Permissions {
    /// What the kind called `uses` may do.
    #[must_use]
    pub fn of_kind(&self, uses: &str) -> BTreeSet<Capability> {
        let named = plugin_of(uses).and_then(|name| self.plugins.get(name));
        named.cloned().unwrap_or_default()
    }
}

/// The plugin that a kind of step is of: what stands between `plugin:` and the last `@`.
pub(crate) fn plugin_of(uses: &str) -> Option<&str> {
    let named = uses.strip_prefix("plugin:")?;
    Some(named.rsplit_once('@').map_or(named, |(name, _)| name))
}
