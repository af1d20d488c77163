//! The notebook's view of its repository, as a trait so that tests can stand in for one.

use std::fmt;

use windlass_repo::{Birth, Foreign, Owner, Repo};

/// Identifies the repository that a notebook belongs to.
pub trait Ownership: fmt::Debug + Send + Sync {
    /// The repository's ID. See [`windlass_repo::Identity::repo_id`].
    fn repo_id(&self) -> &str;

    /// The owner to write into the notebook. `before` is the owner in the file, parts of which may
    /// still be needed if we can't find them out now.
    fn owner(&self, before: Option<&Owner>) -> Owner;

    /// Birth of the git folder. See [`Owner::birth`].
    fn birth(&self) -> Option<Birth>;

    /// Checks that a notebook of `owner` belongs to this repository.
    ///
    /// # Errors
    /// Returns the reason if the notebook belongs to another repository, or if we can't tell.
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
