use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use serde::{Serialize, Serializer};
use windlass_base::{PluginDigest, RepoPath};
use windlass_repo::SourceFile;

use super::oci_layout::SCHEME;
use crate::{Card, Import, Plugin};

/// Locations of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PluginPlace {
    /// A file in the repository.
    Repository(RepoPath),
    /// A file in the user's folder, by name.
    User(String),
    /// Any other file, by path.
    File(PathBuf),
    /// An artifact in an OCI image layout, by reference.
    Oci(String),
}

impl fmt::Display for PluginPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repository(file) => file.fmt(f),
            Self::User(name) => write!(f, "the user's `{name}`"),
            Self::File(path) => path.display().fmt(f),
            Self::Oci(reference) => write!(f, "{SCHEME}{reference}"),
        }
    }
}

impl PluginPlace {
    /// Returns the absolute name. A file given by path is relative to the folder `start`.
    pub(super) fn known_by(&self, start: &Path) -> String {
        match self {
            Self::File(path) => start.join(path).display().to_string(),
            other => other.to_string(),
        }
    }
}

impl Serialize for PluginPlace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Report about a plugin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PluginReport {
    /// The location of the plugin's file.
    pub file: PluginPlace,
    /// The file's digest.
    pub digest: PluginDigest,
    /// The file's size in bytes.
    pub bytes: usize,
    /// Interfaces imported by the component.
    pub imports: Vec<Import>,
    /// The text for `uses` in a step, or `None` if no step can use the plugin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses: Option<String>,
    /// The plugin's self-description.
    #[serde(flatten)]
    pub card: Card,
}

/// A loaded plugin and its location.
#[derive(Debug, Clone)]
pub(super) struct FoundPlugin {
    pub(super) place: PluginPlace,
    pub(super) plugin: Plugin,
}

impl FoundPlugin {
    /// Returns the report. `uses` is the text that names the plugin in a step.
    pub(super) fn report(&self, uses: Option<String>) -> PluginReport {
        let component = self.plugin.component();
        PluginReport {
            file: self.place.clone(),
            digest: component.digest(),
            bytes: component.bytes().len(),
            imports: component.asks().imports().to_vec(),
            uses,
            card: self.plugin.card().clone(),
        }
    }
}

/// Returns the contents of a file in the repository. We share them with the snapshot instead of
/// copying them.
pub(super) fn shared(source: Arc<SourceFile>) -> Bytes {
    struct Whole(Arc<SourceFile>);
    impl AsRef<[u8]> for Whole {
        fn as_ref(&self) -> &[u8] {
            self.0.bytes()
        }
    }
    Bytes::from_owner(Whole(source))
}
