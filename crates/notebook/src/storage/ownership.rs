use std::fmt;

use windlass_repo::{Birth, Foreign, Owner, Repo};

/// Repository that a notebook must belong to.
pub trait Ownership: fmt::Debug + Send + Sync {
    /// Returns the repository id; see [`windlass_repo::Identity::repo_id`].
    fn repo_id(&self) -> &str;

    /// Returns the owner to write, given the former one.
    fn owner(&self, before: Option<&Owner>) -> Owner;

    /// Returns the birth of the git folder; see [`Owner::birth`].
    fn birth(&self) -> Option<Birth>;

    /// Checks that the data of `owner` belongs to this repository.
    ///
    /// # Errors
    /// If it does not belong to it, or ownership cannot be proven, with the reason.
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
