//! Resolves files, folders and globs of the command line.
//!
//! They are relative to the current folder, or to the root if `--root` names one. For example, in
//! `src/` we take `*.rs` for the glob `src/*.rs`.

use std::path::{Path, PathBuf};

use windlass::Workspace;
use windlass::base::{Caller, RepoPath};

use super::Failure;
use crate::outside::here;

/// The folder that typed names are relative to: the root if `--root` names it, and otherwise the
/// current folder.
fn start(workspace: &Workspace) -> PathBuf {
    let is_named = workspace.site().caller().and_then(Caller::root).is_some();
    match is_named {
        true => workspace.site().repo().root().to_owned(),
        false => here(),
    }
}

fn folder_path(workspace: &Workspace, folder: &Path) -> Option<RepoPath> {
    // Resolve a child and take its parent, since `folder` may be `.` or `..`.
    workspace
        .site()
        .repo()
        .path_of(&folder.join("it"))?
        .parent()
}

/// Resolves files and folders. If one of them is the root, returns an empty list, which stands for
/// everything.
///
/// # Errors
/// Returns an error if a name is not a path of the repository.
pub(super) fn places(workspace: &Workspace, names: &[String]) -> Result<Vec<RepoPath>, Failure> {
    let (site, here) = (workspace.site(), here());
    let is_root = |name: &String| {
        let folder = folder_path(workspace, &start(workspace).join(name));
        folder.is_some_and(|folder| folder.is_root())
    };
    if names.iter().any(is_root) {
        return Ok(Vec::new());
    }
    let paths = names.iter().map(|name| site.files().path_from(name, &here));
    Ok(paths.collect::<Result<_, _>>()?)
}

/// Makes folders and globs relative to the root. As in ignore files, a leading `/` stands for the
/// root.
///
/// # Errors
/// Returns an error if one of them leads out of the repository.
pub(super) fn zones(workspace: &Workspace, zones: &[String]) -> Result<Vec<String>, Failure> {
    let start = start(workspace);
    let zones = zones.iter().map(|zone| {
        let out = || Failure::Data(format!("`{zone}` leads out of the repository"));
        zone_from_root(workspace, &start, zone).ok_or_else(out)
    });
    zones.collect()
}

/// Makes `zone`, which is relative to `start`, relative to the root. Returns `None` if it leads out
/// of the repository.
fn zone_from_root(workspace: &Workspace, start: &Path, zone: &str) -> Option<String> {
    let (not, glob) = match zone.strip_prefix('!') {
        Some(glob) => ("!", glob),
        None => ("", zone),
    };
    // We can only resolve the folders before the first wildcard, e.g. `../lib/` of `../lib/*.rs`.
    let (folder, rest) = match glob.find(['*', '?', '[', '{', '\\']) {
        Some(at) => glob.split_at(glob[..at].rfind('/').map_or(0, |slash| slash + 1)),
        None => (glob, ""),
    };
    let goes_up = |text: &str| text.split('/').any(|part| part == "..");
    // After a wildcard, as in `*/../x`, there's no particular folder to go up from.
    if goes_up(rest) {
        return None;
    }
    let Some(folder) = nearest_path(workspace, &start.join(folder)) else {
        // The folder is outside of the repository. That's fine if the name begins with a slash,
        // which means our root, like in an ignore file.
        let is_of_root = folder.starts_with('/') && !goes_up(folder);
        return is_of_root.then(|| zone.to_owned());
    };
    Some(match rest {
        "" => format!("{not}{folder}"),
        rest if folder.is_root() => format!("{not}{rest}"),
        rest => format!("{not}{folder}/{rest}"),
    })
}

/// Like [`folder_path`], but the folder, or some of those above, need not exist yet.
fn nearest_path(workspace: &Workspace, folder: &Path) -> Option<RepoPath> {
    let there = folder.ancestors().find(|part| part.exists())?;
    let missing = folder.strip_prefix(there).ok()?.to_str()?;
    let there = folder_path(workspace, there)?;
    match missing {
        "" => Some(there),
        missing => there.join(missing).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_resolved_before_the_wildcard() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for made in ["a/b/tests", "lib"] {
            std::fs::create_dir_all(root.join(made)).unwrap();
        }
        let workspace = Workspace::open(&root, crate::outside::environment()).unwrap();
        let absolute = format!("{}/lib/*.rs", root.display());
        for (start, zone, wanted) in [
            ("a/b", "../../lib/*.rs", Some("lib/*.rs")),
            ("a/b", "!tests/**", Some("!a/b/tests/**")),
            ("a/b", "./*.rs", Some("a/b/*.rs")),
            ("a/b", "new/{x,y}/*", Some("a/b/new/{x,y}/*")),
            ("a/b", "..", Some("a")),
            ("a/b", "../..", Some(".")),
            ("a/b", "!../../**", Some("!**")),
            ("a/b", "/lib/*.rs", Some("/lib/*.rs")),
            ("a/b", &absolute, Some("lib/*.rs")),
            ("a/b", "../../../*.rs", None),
            ("a/b", "*/../../../../x", None),
            ("", "src/**/*.rs", Some("src/**/*.rs")),
            ("", "*.rs", Some("*.rs")),
            ("", "[", Some("[")),
            ("", "!../x", None),
        ] {
            let found = zone_from_root(&workspace, &root.join(start), zone);
            assert_eq!(found.as_deref(), wanted, "{zone} in {start}");
        }
    }
}
