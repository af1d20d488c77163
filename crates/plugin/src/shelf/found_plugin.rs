use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use serde::{Serialize, Serializer};
use windlass_base::{PluginDigest, RepoPath};
use windlass_repo::SourceFile;

use super::oci_layout::SCHEME;
use crate::{Card, Import, Plugin};

/// Where a plugin was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PluginPlace {
    /// In the repository.
    Repository(RepoPath),
    /// In the user's own folder, by the name of its file.
    User(String),
    /// In a file that was named.
    File(PathBuf),
    /// In an OCI image layout, by its reference.
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
    /// What it goes by wherever one stands; a file that was named is meant from the folder `start`.
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

/// What there is to know of a plugin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PluginReport {
    /// Where it is.
    pub file: PluginPlace,
    /// The digest of its file.
    pub digest: PluginDigest,
    /// The size of its file in bytes.
    pub bytes: usize,
    /// What it imports.
    pub imports: Vec<Import>,
    /// What a step writes to use it; nothing where no step can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses: Option<String>,
    /// What it says of itself.
    #[serde(flatten)]
    pub card: Card,
}

/// A plugin that was found.
#[derive(Debug, Clone)]
pub(super) struct FoundPlugin {
    pub(super) place: PluginPlace,
    pub(super) plugin: Plugin,
}

impl FoundPlugin {
    /// What there is to know of it, where a step writes `uses` for it.
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

/// The bytes of a file of the repository, as the snapshot holds them.
pub(super) fn shared(source: Arc<SourceFile>) -> Bytes {
    struct Whole(Arc<SourceFile>);
    impl AsRef<[u8]> for Whole {
        fn as_ref(&self) -> &[u8] {
            self.0.bytes()
        }
    }
    Bytes::from_owner(Whole(source))
}
