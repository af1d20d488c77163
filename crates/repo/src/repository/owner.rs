use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Repo, RepoKind};
use crate::platform::Birth;

/// How long git may look for the first commits; a history that takes longer has no lineage.
const LINEAGE_TIMEOUT: Duration = Duration::from_secs(5);

/// The owner of something that is kept outside of the repository. It is stored beside what is kept, and
/// compared before that is used: another repository may lie in the same place by then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// See [`crate::Identity::repo_id`].
    pub repo_id: String,
    /// The working tree it was last written from; see [`crate::Identity::root_fingerprint`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_fingerprint: Option<String>,
    /// The place where the repository lay: git's common folder, or the root where there is no git. Absolute, so for
    /// private files only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PathBuf>,
    /// The commits without parents, sorted. Clones and forks share them; empty where they are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Vec<String>,
    /// The word of the file system on git's common folder: cheaper to look at than the lineage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub birth: Option<Birth>,
}

/// The reason why something that is kept must not be used for a repository.
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

impl Owner {
    /// Returns `repo` as the owner of something. `before` is what was written last time, if anything:
    /// git is asked for the lineage only where that is not known.
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

    /// Returns the same for what may be lost when git's folder is another one: git is never asked.
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

    /// Says that what this owns belongs to `repo`. Git is asked only where the file system leaves it open.
    ///
    /// # Errors
    /// With the reason why it does not, or cannot be said to.
    pub fn check(&self, repo: &Repo) -> Result<(), Foreign> {
        if self.repo_id != repo.identity().repo_id {
            return Err(Foreign::Elsewhere);
        }
        let says_nothing = self.lineage.is_empty() && self.birth.is_none();
        // A folder is the same one as long as it lies in the same place.
        if repo.identity().kind == RepoKind::Folder || says_nothing {
            return Ok(());
        }
        if is_same(self.birth, birth(repo)) {
            return Ok(());
        }
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

/// The lineage, as far as it can be had in time.
fn first_commits(repo: &Repo) -> Vec<String> {
    let git = repo.git().map(|git| git.with_timeout(LINEAGE_TIMEOUT));
    git.and_then(|git| git.commits().root_commits())
        .unwrap_or_default()
}

fn is_same(then: Option<Birth>, now: Option<Birth>) -> bool {
    then.is_some() && then == now
}
