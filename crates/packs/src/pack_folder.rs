//! Folders of stored packs of a repository, each pack under a name derived from its contents.

use serde::de::DeserializeOwned;
use windlass_repo::Owner;
use windlass_site::{Error, Site};
use windlass_store::{BlobLimits, Blobs, RootedPath};

/// Folder of packs, next to those of other repositories.
#[derive(Debug, Clone)]
pub(crate) struct PackFolder {
    pub(crate) site: Site,
    /// Name of the folder.
    pub(crate) name: &'static str,
    pub(crate) limits: BlobLimits,
    /// Maximum size of a pack to read, in bytes.
    pub(crate) max_bytes: u64,
}

impl PackFolder {
    /// Returns the path of the folder.
    pub(crate) fn place(&self) -> Result<RootedPath, Error> {
        let own = self.site.dirs()?.state.join("repos");
        Ok(own
            .join(&self.site.repo().identity().repo_id)
            .join(self.name))
    }

    /// Returns the contents of the folder.
    pub(crate) fn blobs(&self) -> Result<Blobs, Error> {
        Ok(Blobs::new(self.place()?, self.limits))
    }

    /// Reads the pack `key` if it is readable and belongs to this repository by its `owner`; packs without an owner
    /// belong to any.
    pub(crate) fn read<T: DeserializeOwned>(
        &self,
        key: &str,
        owner: fn(&T) -> Option<&Owner>,
    ) -> Result<Option<T>, Error> {
        let text = self.blobs()?.get(key, self.max_bytes);
        let kept = text.and_then(|text| serde_json::from_slice(&text).ok());
        let is_ours = |owner: &Owner| owner.check(self.site.repo()).is_ok();
        Ok(kept.filter(|kept| owner(kept).is_none_or(is_ours)))
    }
}
