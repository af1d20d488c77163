use std::fmt;

use windlass_repo::{Birth, Foreign, Owner, Repo};

/// Repository to which a notebook must belong.
pub trait Ownership: fmt::Debug + Send + Sync {
    /// Returns the id of the repository. See [`windlass_repo::Identity::repo_id`].
    fn repo_id(&self) -> &str;

    /// Returns the owner to write into the notebook. `before` is the owner that the file contains.
    fn owner(&self, before: Option<&Owner>) -> Owner;

    /// Returns the birth of the git folder. See [`Owner::birth`].
    fn birth(&self) -> Option<Birth>;

    /// Checks that a notebook of `owner` belongs to this repository.
    ///
    /// # Errors
    /// Returns an error with the reason if it does not belong to this repository, or if that is unknown.
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
