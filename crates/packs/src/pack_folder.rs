//! Stores the packs of a repository. A pack is named by its contents, so storing the same pack
//! again does not take another file.

use serde::de::DeserializeOwned;
use windlass_repo::Owner;
use windlass_site::{Error, Site};
use windlass_store::{BlobLimits, Blobs, RootedPath};

#[derive(Debug, Clone)]
pub(crate) struct PackFolder {
    pub(crate) site: Site,
    /// Name of the folder within the repository's state folder.
    pub(crate) name: &'static str,
    pub(crate) limits: BlobLimits,
    /// Maximum size of a pack in bytes. Larger ones are never read.
    pub(crate) max_bytes: u64,
}

impl PackFolder {
    pub(crate) fn place(&self) -> Result<RootedPath, Error> {
        let own = self.site.dirs()?.state.join("repos");
        Ok(own
            .join(&self.site.repo().identity().repo_id)
            .join(self.name))
    }

    pub(crate) fn blobs(&self) -> Result<Blobs, Error> {
        Ok(Blobs::new(self.place()?, self.limits))
    }

    /// Reads a pack. Returns `None` if we cannot, or if its `owner` is another repository. A pack
    /// without an owner may be read by any repository.
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
