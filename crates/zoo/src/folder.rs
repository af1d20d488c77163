//! Writes samples to folders in which nothing depends on the user's environment.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use windlass::{Environment, Seeds};

use crate::ZooError;
use crate::edits::{commit_first, git};
use crate::recipe::Sample;
use crate::refresh;
use crate::run_plan::Doing;

/// Creates a temporary folder.
///
/// # Errors
///
/// Returns an error if the folder cannot be created.
pub(crate) fn own_folder() -> Result<tempfile::TempDir, ZooError> {
    let folder = tempfile::Builder::new().prefix("windlass-zoo-").tempdir();
    folder.map_err(ZooError::Folder)
}

/// Writes a sample and its runbook to `root`. If there are worktrees, `root` becomes a git
/// repository.
///
/// # Errors
///
/// Returns an error if git or the file system fails, or if the run is stopped.
pub(crate) fn lay_out(sample: &Sample, root: &Path, doing: &Doing<'_>) -> Result<(), ZooError> {
    for (path, lines) in &sample.files {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        put(&root.join(path), &text)?;
        doing.go_on()?;
    }
    let failed = |error: Box<dyn std::error::Error>| ZooError::Edits(error.to_string());
    if sample.recipe.worktrees > 0 {
        git(root, &["init", "-q"]).map_err(failed)?;
        commit_first(root).map_err(failed)?;
    }
    for at in 0..sample.recipe.worktrees {
        doing.go_on()?;
        let (branch, place) = (format!("branch-{at}"), format!(".worktrees/branch-{at}"));
        git(root, &["worktree", "add", "-q", "-b", &branch, &place]).map_err(failed)?;
    }
    if !sample.planted.is_empty() {
        let runbook = refresh::runbook(sample).map_err(|error| failed(error.into()))?;
        put(&root.join(refresh::PLACE), &runbook)?;
    }
    Ok(())
}

/// Writes a text file of a sample. We do not sync it to disk, because that'd take too long for
/// thousands of files.
///
/// # Errors
///
/// Returns an error if the file system fails.
pub(crate) fn put(path: &Path, text: &str) -> Result<(), ZooError> {
    put_bytes(path, text.as_bytes())
}

/// Like [`put`], but takes bytes.
///
/// # Errors
///
/// Returns an error if the file system fails.
#[expect(clippy::disallowed_methods, reason = "a folder of the zoo's own")]
pub(crate) fn put_bytes(path: &Path, bytes: &[u8]) -> Result<(), ZooError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(ZooError::Folder)?;
    }
    std::fs::write(path, bytes).map_err(ZooError::Folder)
}

/// Returns an environment in which Windlass uses the folder `home` instead of the user's.
pub(crate) fn environment(home: &Path, clock: fn() -> Duration, threads: usize) -> Environment {
    Environment {
        variables: Arc::new(BTreeMap::from([(
            "HOME".to_owned(),
            home.as_os_str().to_owned(),
        )])),
        clock: || SystemTime::UNIX_EPOCH,
        elapsed: clock,
        seeds: Seeds::new(|| 8),
        threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN),
        holder: "windlass zoo".to_owned(),
        on_long_wait: |_| {},
        user_id: None,
    }
}

#[cfg(test)]
mod tests {
    use windlass_base::Cancel;
    use windlass_repo::Repo;

    use super::*;
    use crate::recipe::{Recipe, SHIPPED};

    #[test]
    fn sample_worktrees_share_one_repo() {
        let (name, text) = SHIPPED
            .iter()
            .find(|(name, _)| *name == "worktrees")
            .unwrap();
        let sample = Recipe::read(name, text).and_then(Recipe::make).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repo");
        let doing = Doing {
            cancel: &Cancel::default(),
            progress: &|_, _| {},
        };
        lay_out(&sample, &root, &doing).unwrap();
        let main = Repo::open(&root).unwrap();
        let worktrees = main.git().unwrap().worktrees().unwrap();
        assert_eq!(worktrees.len(), sample.recipe.worktrees as usize + 1);
        let linked = Repo::open(&root.join(".worktrees/branch-0")).unwrap();
        assert_eq!(linked.identity().repo_id, main.identity().repo_id);
    }
}
