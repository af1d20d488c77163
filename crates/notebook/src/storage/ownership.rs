use std::fmt;

use windlass_repo::{Birth, Foreign, Owner, Repo};

/// The repository that a notebook has to belong to.
pub trait Ownership: fmt::Debug + Send + Sync {
    /// See [`windlass_repo::Identity::repo_id`].
    fn repo_id(&self) -> &str;

    /// What is written as the owner, given what was written last time.
    fn owner(&self, before: Option<&Owner>) -> Owner;

    /// What the file system says of git's folder; see [`Owner::birth`].
    fn birth(&self) -> Option<Birth>;

    /// Whether what `owner` owns belongs to it.
    ///
    /// # Errors
    /// With the reason why it does not, or cannot be said to.
    fn check(&self, owner: &Owner) -> Result<(), Foreign>;
}

impl Ownership for Repo {
    fn repo_id(&self) -> &str {
        &self.identity().repo_id
    }

    fn owner(&self, before: Option<&Owner>) -> Owner {
        Owner::of(self, before)
    }

    fn birth(&self) -> Option<Birth> {
        Owner::without_lineage(self).birth
    }

    fn check(&self, owner: &Owner) -> Result<(), Foreign> {
        owner.check(self)
    }
}
