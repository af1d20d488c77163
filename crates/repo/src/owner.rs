use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::platform::Birth;
use crate::{Repo, RepoKind};

/// How long git may look for the first commits; a history that takes longer has no lineage.
const LINEAGE_TIMEOUT: Duration = Duration::from_secs(5);

/// Whose something is that is kept outside of the repository. It is stored beside what is kept, and
/// compared before that is used: another repository may lie in the same place by then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// See [`crate::Identity::repo_id`].
    pub repo_id: String,
    /// The working tree it was last written from; see [`crate::Identity::root_fingerprint`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_fingerprint: Option<String>,
    /// Where the repository lay: git's common folder, or the root where there is no git. Absolute, so for
    /// private files only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PathBuf>,
    /// The commits without parents, sorted. Clones and forks share them; empty where they are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Vec<String>,
    /// What the file system says of git's common folder: cheaper to look at than the lineage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub birth: Option<Birth>,
}

/// Why something that is kept must not be used for a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// It belongs to a repository in another place.
    Elsewhere,
    /// It belongs to a repository that was in this place before.
    Replaced,
    /// A repository was in this place before, and nothing proves that it is this one: it had no commits
    /// then, or git cannot be asked.
    Unproven,
}

impl Repo {
    /// This repository as the owner of something. `before` is what was written last time, if anything:
    /// git is asked for the lineage only where that is not known.
    #[must_use]
    pub fn owner(&self, before: Option<&Owner>) -> Owner {
        let owner = self.owner_without_lineage();
        let is_known = |old: &&Owner| !old.lineage.is_empty() && is_same(old.birth, owner.birth);
        let lineage = match before.filter(is_known) {
            Some(before) => before.lineage.clone(),
            None => self.first_commits(),
        };
        Owner { lineage, ..owner }
    }

    /// As [`Repo::owner`], for what may be lost when git's folder is another one: git is never asked.
    #[must_use]
    pub fn owner_without_lineage(&self) -> Owner {
        Owner {
            repo_id: self.identity().repo_id.clone(),
            root_fingerprint: Some(self.identity().root_fingerprint.clone()),
            place: Some(self.place().to_owned()).filter(|place| place.to_str().is_some()),
            lineage: Vec::new(),
            birth: self.birth(),
        }
    }

    /// Whether what `owner` owns belongs to this repository. Git is asked only where the file system
    /// leaves it open.
    ///
    /// # Errors
    /// With the reason why it does not, or cannot be said to.
    pub fn check_owner(&self, owner: &Owner) -> Result<(), Foreign> {
        if owner.repo_id != self.identity().repo_id {
            return Err(Foreign::Elsewhere);
        }
        let says_nothing = owner.lineage.is_empty() && owner.birth.is_none();
        // A folder is the same one as long as it lies in the same place.
        if self.identity().kind == RepoKind::Folder || says_nothing {
            return Ok(());
        }
        if is_same(owner.birth, self.birth()) {
            return Ok(());
        }
        let own = self.first_commits();
        if owner.lineage.is_empty() || own.is_empty() {
            Err(Foreign::Unproven)
        } else if shares_one(&own, &owner.lineage) {
            Ok(())
        } else {
            Err(Foreign::Replaced)
        }
    }

    /// Whether `owner` was this repository or one it was cloned or forked from, or the other way round.
    #[must_use]
    pub fn shares_lineage(&self, owner: &Owner) -> bool {
        !owner.lineage.is_empty() && shares_one(&self.first_commits(), &owner.lineage)
    }

    /// Git's common folder, or the root where there is no git.
    #[must_use]
    pub fn place(&self) -> &Path {
        self.git_common_dir().unwrap_or_else(|| self.root())
    }

    fn birth(&self) -> Option<Birth> {
        Birth::of(self.git_common_dir()?)
    }

    /// The lineage, as far as it can be had in time.
    fn first_commits(&self) -> Vec<String> {
        let git = self.git().map(|git| git.with_timeout(LINEAGE_TIMEOUT));
        git.and_then(|git| git.root_commits()).unwrap_or_default()
    }
}

fn is_same(then: Option<Birth>, now: Option<Birth>) -> bool {
    then.is_some() && then == now
}

fn shares_one(own: &[String], other: &[String]) -> bool {
    own.iter().any(|commit| other.contains(commit))
}
