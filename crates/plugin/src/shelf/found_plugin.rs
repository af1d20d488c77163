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
    /// File in the repository.
    Repository(RepoPath),
    /// File in the user's folder, by name.
    User(String),
    /// File given by path.
    File(PathBuf),
    /// Artifact in an OCI image layout, by reference.
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
    /// Returns the absolute name; the path of a given file is relative to the folder `start`.
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

/// Description of a plugin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PluginReport {
    /// Location of the plugin's file.
    pub file: PluginPlace,
    /// Digest of its file.
    pub digest: PluginDigest,
    /// Size of its file, in bytes.
    pub bytes: usize,
    /// Interfaces that the component imports.
    pub imports: Vec<Import>,
    /// Text of `uses` in a step; `None` if no step can use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses: Option<String>,
    /// Description that the plugin gives of itself.
    #[serde(flatten)]
    pub card: Card,
}

/// Plugin that was found.
#[derive(Debug, Clone)]
pub(super) struct FoundPlugin {
    pub(super) place: PluginPlace,
    pub(super) plugin: Plugin,
}

impl FoundPlugin {
    /// Returns its description; steps refer to it by `uses`.
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

/// Returns the contents of a file of the repository, shared with the snapshot.
pub(super) fn shared(source: Arc<SourceFile>) -> Bytes {
    struct Whole(Arc<SourceFile>);
    impl AsRef<[u8]> for Whole {
        fn as_ref(&self) -> &[u8] {
            self.0.bytes()
        }
    }
    Bytes::from_owner(Whole(source))
}
