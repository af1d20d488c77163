//! Folder in which the packs of a repository are stored. The name of each pack is derived from its contents.

use serde::de::DeserializeOwned;
use windlass_repo::Owner;
use windlass_site::{Error, Site};
use windlass_store::{BlobLimits, Blobs, RootedPath};

/// Folder with the stored packs of a repository.
#[derive(Debug, Clone)]
pub(crate) struct PackFolder {
    pub(crate) site: Site,
    /// Name of the folder within the state of the repository.
    pub(crate) name: &'static str,
    pub(crate) limits: BlobLimits,
    /// Maximum size of a pack that is read, in bytes.
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

    /// Returns access to the stored packs.
    pub(crate) fn blobs(&self) -> Result<Blobs, Error> {
        Ok(Blobs::new(self.place()?, self.limits))
    }

    /// Reads the pack `key`. Returns `None` if it cannot be read, or if `owner` returns a different repository. A pack
    /// without an owner belongs to any repository.
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
