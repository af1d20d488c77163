//! Files, folders and globs named on the command line, relative to the current folder.

use std::path::PathBuf;

use windlass::Workspace;
use windlass::base::{Caller, RepoPath};

use super::Failure;
use crate::outside::here;

/// Returns the folder that names are relative to: the root if `--root` names it, else the current folder.
fn start(workspace: &Workspace) -> PathBuf {
    let is_named = workspace.site().caller().and_then(Caller::root).is_some();
    match is_named {
        true => workspace.site().repo().root().to_owned(),
        false => here(),
    }
}

/// Returns the path of the folder `folder`; `None` if it is outside of the repository.
fn folder_path(workspace: &Workspace, folder: PathBuf) -> Option<RepoPath> {
    // The path of a child leads to the folder, even if that is written `.` or `..`.
    workspace
        .site()
        .repo()
        .path_of(&folder.join("it"))?
        .parent()
}

/// Resolves the named files and folders; returns an empty list, which stands for everything, if one is the root.
///
/// # Errors
/// If a name is not a path of the repository.
pub(super) fn places(workspace: &Workspace, names: &[String]) -> Result<Vec<RepoPath>, Failure> {
    let (site, here) = (workspace.site(), here());
    let is_root = |name: &String| {
        let folder = folder_path(workspace, start(workspace).join(name));
        folder.is_some_and(|folder| folder.is_root())
    };
    if names.iter().any(is_root) {
        return Ok(Vec::new());
    }
    let paths = names.iter().map(|name| site.files().path_from(name, &here));
    Ok(paths.collect::<Result<_, _>>()?)
}

/// Returns folders and globs relative to the root.
pub(super) fn zones(workspace: &Workspace, zones: Vec<String>) -> Vec<String> {
    let below = folder_path(workspace, start(workspace)).filter(|folder| !folder.is_root());
    let Some(below) = below else { return zones };
    let zones = zones.into_iter().map(|zone| {
        let plain = zone.strip_prefix("./").unwrap_or(&zone);
        match folder_path(workspace, start(workspace).join(&zone)) {
            Some(folder) if !plain.contains('*') => folder.to_string(),
            _ => format!("{below}/{plain}"),
        }
    });
    zones.collect()
}
