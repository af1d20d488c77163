//! Tells if stored data belongs to a repository.
//!
//! We store data about a repository outside of it, in a folder that is named after the repository's
//! path. If the user deletes the repository and clones another one to the same path, that data must
//! not be taken for the new repository's.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Repo, RepoKind};
use crate::platform::Birth;

/// Time limit for finding the root commits, which requires a walk through the whole history. If it
/// is not enough, [`Owner::lineage`] stays empty and we have to rely on the other properties.
const LINEAGE_TIMEOUT: Duration = Duration::from_secs(5);

/// Identifies the repository that stored data belongs to.
///
/// This record is stored with the data, and compared before each use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// See [`crate::Identity::repo_id`].
    pub repo_id: String,
    /// Fingerprint of the working tree that wrote the data last, see
    /// [`crate::Identity::root_fingerprint`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_fingerprint: Option<String>,
    /// Git's common folder, or the root of a plain folder. This is an absolute path, so it must
    /// only be stored in private files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PathBuf>,
    /// The root commits, sorted, or empty if we do not know them. Clones and forks have the same
    /// ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Vec<String>,
    /// Identity of git's common folder, which is cheaper to check than the lineage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub birth: Option<Birth>,
}

/// Reason why stored data must not be used for a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// The data belongs to a repository at another path.
    Elsewhere,
    /// The data belongs to an earlier repository at this path.
    Replaced,
    /// The data belongs to a repository at this path, but maybe to an earlier one. There may have
    /// been no commits at the time, or git does not answer now.
    Unproven,
}

impl Owner {
    /// Creates the owner record for `repo`. If git's folder is still the same as in `before`, the
    /// previous record, we copy the lineage from there, and only ask git otherwise.
    #[must_use]
    pub fn of(repo: &Repo, before: Option<&Self>) -> Self {
        let owner = Self::without_lineage(repo);
        let is_known = |old: &&Self| !old.lineage.is_empty() && is_same(old.birth, owner.birth);
        let lineage = match before.filter(is_known) {
            Some(before) => before.lineage.clone(),
            None => first_commits(repo),
        };
        Self { lineage, ..owner }
    }

    /// Creates an owner record without a lineage, which does not require git. That is enough for
    /// data that may be lost when git's folder is replaced.
    #[must_use]
    pub fn without_lineage(repo: &Repo) -> Self {
        let place = repo.git_common_dir().unwrap_or_else(|| repo.root());
        Self {
            repo_id: repo.identity().repo_id.clone(),
            root_fingerprint: Some(repo.identity().root_fingerprint.clone()),
            place: Some(place.to_owned()).filter(|place| place.to_str().is_some()),
            lineage: Vec::new(),
            birth: birth(repo),
        }
    }

    /// Checks if data of this owner belongs to `repo`. We only run git if the file system cannot
    /// tell.
    ///
    /// # Errors
    /// Returns the reason if the data does not belong to `repo`, or if that cannot be proved.
    pub fn check(&self, repo: &Repo) -> Result<(), Foreign> {
        if self.repo_id != repo.identity().repo_id {
            return Err(Foreign::Elsewhere);
        }
        let says_nothing = self.lineage.is_empty() && self.birth.is_none();
        // A plain folder has no identity other than its path, which we've just compared.
        if repo.identity().kind == RepoKind::Folder || says_nothing {
            return Ok(());
        }
        if is_same(self.birth, birth(repo)) {
            return Ok(());
        }
        // Git's folder is another one. It may be a fresh clone of the same repository, so compare
        // the histories.
        let own = first_commits(repo);
        if self.lineage.is_empty() || own.is_empty() {
            Err(Foreign::Unproven)
        } else if own.iter().any(|commit| self.lineage.contains(commit)) {
            Ok(())
        } else {
            Err(Foreign::Replaced)
        }
    }
}

fn birth(repo: &Repo) -> Option<Birth> {
    Birth::of(repo.git_common_dir()?)
}

fn first_commits(repo: &Repo) -> Vec<String> {
    let git = repo.git().map(|git| git.with_timeout(LINEAGE_TIMEOUT));
    git.and_then(|git| git.commits().root_commits())
        .unwrap_or_default()
}

fn is_same(then: Option<Birth>, now: Option<Birth>) -> bool {
    then.is_some() && then == now
}
