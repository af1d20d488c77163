//! Automatic impact checks: before a commit, and for proposed changes.

use windlass_base::RepoPath;
use windlass_repo::GitError;
use windlass_site::{Error, Site, SiteError};
use windlass_store::{RootedPath, StoreError, look_at};

use crate::impact_error::ImpactError;

/// File that runs impact checks automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// Git hook that runs before each commit.
    Hook,
    /// GitHub Actions workflow that runs for each proposed change.
    Ci,
}

/// Runs only if the command is installed, so that others can still commit.
const HOOK: &str = include_str!("../scaffolds/pre-commit.sh");

const WORKFLOW: &str = include_str!("../scaffolds/windlass.yml");

/// Path of the workflow.
const WORKFLOW_FILE: &str = ".github/workflows/windlass.yml";

impl Offer {
    /// Returns the text of the file.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Hook => HOOK,
            Self::Ci => WORKFLOW,
        }
    }
}

/// Writes the file of `offer`; see [`crate::ImpactService::write_offer`].
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

/// Returns the path of the hook.
///
/// # Errors
/// Without git, or if hooks are in a custom folder.
pub(crate) fn hook(site: &Site) -> Result<RootedPath, Error> {
    let git = site.repo().git()?;
    if let Some(folder) = git.hooks_setting()? {
        return Err(ImpactError::HooksElsewhere(folder).into());
    }
    let common = site.repo().git_common_dir();
    let common = common.ok_or(GitError::NotARepository)?;
    let hooks = RootedPath::new(common).join("hooks");
    // Some projects keep their hooks in the repository, behind a link.
    let root = site.repo().root();
    let hooks = match hooks.path().canonicalize() {
        Ok(real) if real.starts_with(root) => RootedPath::new(real),
        _ => hooks,
    };
    Ok(hooks.join("pre-commit"))
}
