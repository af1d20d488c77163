//! The folders in which packs of a repository are kept for a while, each under a name that its contents give it.

use serde::de::DeserializeOwned;
use windlass_repo::Owner;
use windlass_site::{Error, Site};
use windlass_store::{BlobLimits, Blobs, RootedPath};

/// A folder of packs, beside those of other repositories.
#[derive(Debug, Clone)]
pub(crate) struct PackFolder {
    pub(crate) site: Site,
    /// What it is called.
    pub(crate) name: &'static str,
    /// How much is kept.
    pub(crate) limits: BlobLimits,
    /// The largest pack that is read, in bytes.
    pub(crate) max_bytes: u64,
}

impl PackFolder {
    /// Where it is.
    pub(crate) fn place(&self) -> Result<RootedPath, Error> {
        let own = self.site.dirs()?.state.join("repos");
        Ok(own
            .join(&self.site.repo().identity().repo_id)
            .join(self.name))
    }

    /// What is in it.
    pub(crate) fn blobs(&self) -> Result<Blobs, Error> {
        Ok(Blobs::new(self.place()?, self.limits))
    }

    /// What is kept under `key`, where it can be read, and is of this repository by its `owner`; anybody's has none.
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
