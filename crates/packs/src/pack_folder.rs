//! The folder that holds a repository's packs. Each pack is named by its contents, so storing the
//! same pack again needs no new file.

use serde::de::DeserializeOwned;
use windlass_repo::Owner;
use windlass_site::{Error, Site};
use windlass_store::{BlobLimits, Blobs, RootedPath};

/// A folder of stored packs that belongs to a repository.
#[derive(Debug, Clone)]
pub(crate) struct PackFolder {
    pub(crate) site: Site,
    /// The folder's name within the repository's state.
    pub(crate) name: &'static str,
    pub(crate) limits: BlobLimits,
    /// Maximum size of a pack we're willing to read, in bytes.
    pub(crate) max_bytes: u64,
}

impl PackFolder {
    /// Returns the folder's path.
    pub(crate) fn place(&self) -> Result<RootedPath, Error> {
        let own = self.site.dirs()?.state.join("repos");
        Ok(own
            .join(&self.site.repo().identity().repo_id)
            .join(self.name))
    }

    /// Opens the stored packs.
    pub(crate) fn blobs(&self) -> Result<Blobs, Error> {
        Ok(Blobs::new(self.place()?, self.limits))
    }

    /// Reads the pack `key`, or returns `None` if it can't be read or belongs to another repository
    /// according to `owner`. A pack without an owner belongs to any repository.
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
