//! Where a change is looked at without anybody asking: before a commit, and where changes are proposed.

use windlass_base::RepoPath;
use windlass_repo::GitError;
use windlass_site::{Error, Site, SiteError};
use windlass_store::{RootedPath, StoreError, look_at};

use crate::impact_error::ImpactError;

/// A file that has the impact of changes looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// Git's hook that runs before each commit.
    Hook,
    /// A workflow of GitHub Actions that runs for each proposed change.
    Ci,
}

/// Runs only where the command is there, so that nobody who has not installed it is kept from committing.
const HOOK: &str = include_str!("../scaffolds/pre-commit.sh");

const WORKFLOW: &str = include_str!("../scaffolds/windlass.yml");

/// Where the workflow lies.
const WORKFLOW_FILE: &str = ".github/workflows/windlass.yml";

impl Offer {
    /// What is written.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Hook => HOOK,
            Self::Ci => WORKFLOW,
        }
    }
}

/// Writes what `offer` stands for; see [`crate::ImpactService::write_offer`].
pub(crate) fn write_offer(site: &Site, offer: Offer, force: bool) -> Result<String, Error> {
    let place = match offer {
        Offer::Hook => hook(site)?,
        Offer::Ci => {
            site.repo().git()?;
            site.files().place_of(&RepoPath::parse(WORKFLOW_FILE)?)?
        }
    };
    let root = site.repo().root();
    let shown = place.path().strip_prefix(root).unwrap_or(place.path());
    let shown = shown.display().to_string();
    let there = look_at(&place).map_err(|error| StoreError::of(&place, error))?;
    if !force && there.is_some() {
        return Err(SiteError::Exists(shown).into());
    }
    let text = offer.text().as_bytes();
    match offer {
        Offer::Hook => windlass_store::write_shared_program(&place, text)?,
        Offer::Ci => windlass_store::write_shared(&place, text)?,
    }
    Ok(shown)
}

fn hook(site: &Site) -> Result<RootedPath, Error> {
    let git = site.repo().git()?;
    if let Some(folder) = git.hooks_setting()? {
        return Err(ImpactError::HooksElsewhere(folder).into());
    }
    let common = site.repo().git_common_dir();
    let common = common.ok_or(GitError::NotARepository)?;
    let hooks = RootedPath::new(common).join("hooks");
    // Some keep the hooks with the files, and make a link to them.
    let root = site.repo().root();
    let hooks = match hooks.path().canonicalize() {
        Ok(real) if real.starts_with(root) => RootedPath::new(real),
        _ => hooks,
    };
    Ok(hooks.join("pre-commit"))
}
