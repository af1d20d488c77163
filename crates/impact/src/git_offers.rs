//! Automatic impact checks, before a commit and for proposed changes.

use windlass_base::RepoPath;
use windlass_repo::GitError;
use windlass_site::{Error, Site, SiteError, is_program};
use windlass_store::{Disk, RootedPath, StoreError, has_bytes, look_at, read_file};

use crate::impact_error::ImpactError;

/// A file that runs impact checks automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// Git hook that runs before each commit.
    Hook,
    /// GitHub Actions workflow that runs for each proposed change.
    Ci,
}

/// Result of installing an [`Offer`], with paths for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Installed {
    /// The file was already there, with the same text.
    Before(String),
    /// The file was written.
    Now {
        /// The file's path.
        file: String,
        /// New path of the replaced hook, if there was one.
        kept: Option<String>,
    },
}

/// The hook's text. It does nothing unless the command is installed, so that others can still
/// commit.
pub(crate) const HOOK: &str = include_str!("../scaffolds/pre-commit.sh");

const WORKFLOW: &str = include_str!("../scaffolds/windlass.yml");

/// Path of the workflow.
const WORKFLOW_FILE: &str = ".github/workflows/windlass.yml";

/// Branch filter in the workflow, for repositories without a known default branch.
const BRANCHES: &str = "branches: [main, master]";

/// Returns the file's text for `offer`. The workflow checks the default branch.
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

/// Returns a filter accepting only `branch`.
fn branch_filter(branch: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    // The filter is a pattern, in which these characters are special. A branch name may contain
    // them.
    let escaped = branch.replace('+', "\\+").replace('!', "\\!");
    match branch.starts_with(|c: char| c.is_ascii_alphabetic()) && branch.chars().all(is_plain) {
        true => format!("branches: [{branch}]"),
        false => format!("branches: [{}]", serde_json::Value::from(escaped)),
    }
}

/// Name for a replaced hook. Nothing else uses it, so we can't overwrite another tool's copy.
const KEPT_HOOK: &str = "pre-commit.before-windlass";

/// Maximum size of a hook, in bytes.
pub(crate) const MAX_HOOK: u64 = 1 << 20;

/// Writes the file of `offer` as described in [`crate::ImpactService::write_offer`].
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

/// Returns the error about the user's own hook at `place`.
fn foreign_hook(place: &RootedPath, file: String) -> Result<ImpactError, StoreError> {
    let text = read_file(place, MAX_HOOK)?.unwrap_or_default();
    Ok(match calls_windlass(&text) {
        true => ImpactError::OtherHook(file),
        false => ImpactError::ForeignHook(file),
    })
}

/// Returns true if the hook `text` calls this program.
pub(crate) fn calls_windlass(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"windlass ").is_some()
}

/// Keeps the hook at `place` under another name, and returns that name.
fn keep_hook(site: &Site, place: &RootedPath) -> Result<String, Error> {
    let kept = place.with_file_name(KEPT_HOOK);
    let name = shown(site, &kept);
    if is_there(&kept)? {
        return Err(ImpactError::KeptBefore(name).into());
    }
    Disk::default().keep(place, &kept)?;
    Ok(name)
}

/// Returns the hook's path.
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
    // Some projects keep their hooks in the repository, with a link to them.
    let root = site.repo().root();
    let hooks = match hooks.path().canonicalize() {
        Ok(real) if real.starts_with(root) => RootedPath::new(real),
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
