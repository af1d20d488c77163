use std::fmt;

use windlass_repo::{Birth, Foreign, Owner, Repo};

/// The repository that a notebook must belong to.
pub trait Ownership: fmt::Debug + Send + Sync {
    /// Returns the repository's id. See [`windlass_repo::Identity::repo_id`].
    fn repo_id(&self) -> &str;

    /// Returns the owner to write into the notebook, given the owner `before` in the file.
    fn owner(&self, before: Option<&Owner>) -> Owner;

    /// Returns the git folder's birth. See [`Owner::birth`].
    fn birth(&self) -> Option<Birth>;

    /// Checks that a notebook of `owner` belongs to this repository.
    ///
    /// # Errors
    /// Returns an error with the reason if it doesn't, or if we can't tell.
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
