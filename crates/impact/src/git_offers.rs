//! Installs automatic impact checks: a git hook for commits, and a workflow for proposed changes.

use windlass_base::RepoPath;
use windlass_repo::GitError;
use windlass_site::{Error, Site, SiteError, is_program};
use windlass_store::{RootedPath, StoreError, has_bytes, keep_file, look_at, read_file};

use crate::impact_error::ImpactError;

/// A file that makes the impact check run automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// A git hook that runs before each commit.
    Hook,
    /// A GitHub Actions workflow that runs for each proposed change.
    Ci,
}

/// The result of installing an [`Offer`]. Paths are meant for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Installed {
    /// The file was already there, with the same text. The field is its path.
    Before(String),
    /// The file was written.
    Now {
        /// Path of the file.
        file: String,
        /// New path of the hook that we have replaced, if there was one.
        kept: Option<String>,
    },
}

/// Text of the hook. If Windlass is not installed, it does nothing, so that other people can still
/// commit.
pub(crate) const HOOK: &str = include_str!("../scaffolds/pre-commit.sh");

const WORKFLOW: &str = include_str!("../scaffolds/windlass.yml");

const WORKFLOW_FILE: &str = ".github/workflows/windlass.yml";

/// This filter in the workflow is replaced by the default branch, if we know it.
const BRANCHES: &str = "branches: [main, master]";

/// Creates the text of the file for `offer`. The workflow checks changes that are proposed for the
/// default branch or, if we do not know that, for `main` and `master`.
///
/// # Errors
/// Returns an error if git cannot be run or refuses.
pub(crate) fn offer_text(site: &Site, offer: Offer) -> Result<String, Error> {
    let branch = match offer {
        Offer::Hook => return Ok(HOOK.to_owned()),
        Offer::Ci => match site.repo().git() {
            Ok(git) => git.revisions().default_branch()?,
            Err(_) => None,
        },
    };
    Ok(match branch {
        Some(branch) => WORKFLOW.replace(BRANCHES, &branch_filter(&branch)),
        None => WORKFLOW.to_owned(),
    })
}

fn branch_filter(branch: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    // The filter is a pattern. A branch name may contain these characters, which are special in a
    // pattern.
    let escaped = branch.replace('+', "\\+").replace('!', "\\!");
    match branch.starts_with(|c: char| c.is_ascii_alphabetic()) && branch.chars().all(is_plain) {
        true => format!("branches: [{branch}]"),
        false => format!("branches: [{}]", serde_json::Value::from(escaped)),
    }
}

/// The name for a hook that we replace. No other tool uses this name, so we will not overwrite
/// somebody else's copy.
const KEPT_HOOK: &str = "pre-commit.before-windlass";

/// Maximum size of a hook that we read, in bytes.
pub(crate) const MAX_HOOK: u64 = 1 << 20;

/// Implements [`crate::ImpactService::write_offer`].
pub(crate) fn write_offer(site: &Site, offer: Offer, force: bool) -> Result<Installed, Error> {
    let place = match offer {
        Offer::Hook => hook(site)?,
        Offer::Ci => {
            site.repo().git()?;
            site.files().place_of(&RepoPath::parse(WORKFLOW_FILE)?)?
        }
    };
    let file = shown(site, &place);
    let text = offer_text(site, offer)?;
    let text = text.as_bytes();
    let is_ours = has_bytes(&place, text);
    // A hook without execute permission is ignored by git, so write it again.
    if is_ours && (offer == Offer::Ci || is_program(place.path())) {
        return Ok(Installed::Before(file));
    }
    let is_foreign = !is_ours && is_there(&place)?;
    let kept = match offer {
        Offer::Ci if is_foreign && !force => return Err(SiteError::Exists(file).into()),
        Offer::Hook if is_foreign && !force => return Err(foreign_hook(&place, file)?.into()),
        Offer::Hook if is_foreign => Some(keep_hook(site, &place)?),
        _ => None,
    };
    match offer {
        Offer::Hook => windlass_store::write_shared_program(&place, text)?,
        Offer::Ci => windlass_store::write_shared(&place, text)?,
    }
    Ok(Installed::Now { file, kept })
}

fn shown(site: &Site, place: &RootedPath) -> String {
    let root = site.repo().root();
    let shown = place.path().strip_prefix(root).unwrap_or(place.path());
    shown.display().to_string()
}

fn is_there(place: &RootedPath) -> Result<bool, StoreError> {
    let there = look_at(place).map_err(|error| StoreError::of(place, error))?;
    Ok(there.is_some())
}

/// Creates the error for a hook at `place` that is not the one we want to install.
fn foreign_hook(place: &RootedPath, file: String) -> Result<ImpactError, StoreError> {
    let text = read_file(place, MAX_HOOK)?.unwrap_or_default();
    Ok(match calls_windlass(&text) {
        true => ImpactError::OtherHook(file),
        false => ImpactError::ForeignHook(file),
    })
}

/// True if a hook with this text calls Windlass, as far as we can tell without running it.
pub(crate) fn calls_windlass(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"windlass ").is_some()
}

/// Renames the hook at `place`, and returns the new name for display.
fn keep_hook(site: &Site, place: &RootedPath) -> Result<String, Error> {
    let kept = place.with_file_name(KEPT_HOOK);
    let name = shown(site, &kept);
    if is_there(&kept)? {
        return Err(ImpactError::KeptBefore(name).into());
    }
    keep_file(place, &kept)?;
    Ok(name)
}

/// Returns the path of the hook, whether or not it exists.
///
/// # Errors
/// Returns an error if there is no git, or if `core.hooksPath` is set to another folder.
pub(crate) fn hook(site: &Site) -> Result<RootedPath, Error> {
    let git = site.repo().git()?;
    if let Some(folder) = git.hooks_setting()? {
        return Err(ImpactError::HooksElsewhere(folder).into());
    }
    let common = site.repo().git_common_dir();
    let common = common.ok_or(GitError::NotARepository)?;
    let hooks = RootedPath::new(common).on(site.disk()).join("hooks");
    // Some projects commit their hooks, and make this folder a link to them.
    let root = site.repo().root();
    let hooks = match hooks.path().canonicalize() {
        Ok(real) if real.starts_with(root) => RootedPath::new(real).on(site.disk()),
        _ => hooks,
    };
    Ok(hooks.join("pre-commit"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branch_filter_quotes_special_names() {
        for (branch, filter) in [
            ("trunk", "branches: [trunk]"),
            ("release/1.x", "branches: [release/1.x]"),
            ("1.0", "branches: [\"1.0\"]"),
            ("c++", "branches: [\"c\\\\+\\\\+\"]"),
            ("a#b,'c'", "branches: [\"a#b,'c'\"]"),
        ] {
            assert_eq!(branch_filter(branch), filter);
        }
        assert!(WORKFLOW.contains(BRANCHES));
    }
}
