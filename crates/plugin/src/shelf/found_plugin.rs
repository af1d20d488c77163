use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use serde::{Serialize, Serializer};
use windlass_base::{PluginDigest, RepoPath};
use windlass_repo::SourceFile;

use super::oci_layout::SCHEME;
use crate::{Card, Import, Plugin};

/// Location of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PluginPlace {
    /// A file in the repository.
    Repository(RepoPath),
    /// A file in the user's folder, by its name there.
    User(String),
    /// Any other file, by its path. No step can use it.
    File(PathBuf),
    /// An artifact in an OCI image layout, by its reference without `oci://`.
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
    /// Returns the name that's recorded with a grant. If the location is a path, it's relative to
    /// the folder `start`.
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

/// Report of `windlass plugin` about a plugin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PluginReport {
    /// The location of the component.
    pub file: PluginPlace,
    /// The digest of the file's content, which is what grants are for.
    pub digest: PluginDigest,
    /// The size of the file, in bytes.
    pub bytes: usize,
    /// The interfaces it imports, whether or not they've been granted.
    pub imports: Vec<Import>,
    /// The text for `uses` in a step. There's none if no step can use the plugin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses: Option<String>,
    /// The plugin's description of itself.
    #[serde(flatten)]
    pub card: Card,
}

#[derive(Debug, Clone)]
pub(super) struct FoundPlugin {
    pub(super) place: PluginPlace,
    pub(super) plugin: Plugin,
}

impl FoundPlugin {
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

/// Provides the contents of a file in the repository without copying them from the snapshot.
///
/// Components may have tens of megabytes.
pub(super) fn shared(source: Arc<SourceFile>) -> Bytes {
    struct Whole(Arc<SourceFile>);
    impl AsRef<[u8]> for Whole {
        fn as_ref(&self) -> &[u8] {
            self.0.bytes()
        }
    }
    Bytes::from_owner(Whole(source))
}
