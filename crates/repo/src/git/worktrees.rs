//! The working trees of a repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::git_layout::read_pointer;
use super::{Git, GitError};
use crate::platform::slashed;

/// A working tree, see [`Git::worktrees`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Worktree {
    /// Name in git's list of working trees, or `None` for the main one. The name stays the same if
    /// the folder is moved or renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Path relative to the current root, e.g. `.`, `trees/new` or `../other`. If it's elsewhere,
    /// this is `None`, since the path would tell more about the machine than about the repository.
    pub place: Option<String>,
    /// Full ID of the checked-out commit, or `None` before the first one.
    pub head: Option<String>,
    /// The checked-out branch without `refs/heads/`, if any.
    pub branch: Option<String>,
    /// True for the main working tree, which git can't remove.
    pub main: bool,
    /// True for the working tree of this [`Git`].
    pub current: bool,
    /// True for a bare repository, i.e. one without files.
    pub bare: bool,
    /// True if git could prune the working tree, e.g. because the folder no longer exists.
    pub prunable: bool,
}

impl Git {
    /// Lists the working trees: first the main one, then the others by name.
    ///
    /// # Errors
    /// Returns an error if git can't be run or refuses.
    pub fn worktrees(&self) -> Result<Vec<Worktree>, GitError> {
        let list = |extra: &[&str], accept| {
            self.command("worktree")
                .args(["list", "--porcelain"])
                .args(extra)
                .accept(accept)
                .run()
        };
        let with_nul = list(&["-z"], 129)?;
        // Git before 2.36 doesn't know `-z`. Without it, the output consists of lines, and we
        // misread a path that contains a newline. That should be very rare.
        let (output, end) = if with_nul.code() == 129 {
            (list(&[], 0)?, b'\n')
        } else {
            (with_nul, 0)
        };
        let mut trees = parse(output.bytes(), end, &self.place.root, &self.names());
        if let Some(others) = trees.get_mut(1..) {
            others.sort_by(|a, b| (&a.name, &a.place).cmp(&(&b.name, &b.place)));
        }
        Ok(trees)
    }

    /// Maps the paths of linked working trees to their names. Git doesn't print the names, so we
    /// have to read them from the folder that it keeps for each working tree.
    fn names(&self) -> BTreeMap<PathBuf, String> {
        let entries = std::fs::read_dir(self.place.common_dir.join("worktrees")).ok();
        let named = entries.into_iter().flatten().filter_map(|entry| {
            let entry = entry.ok()?;
            let dot_git = read_pointer(&entry.path().join("gitdir"), "").ok()?;
            let place = entry.path().join(dot_git).parent()?.to_owned();
            Some((settled(place), entry.file_name().into_string().ok()?))
        });
        named.collect()
    }
}

fn settled(path: PathBuf) -> PathBuf {
    path.canonicalize().unwrap_or(path)
}

fn parse(output: &[u8], end: u8, root: &Path, names: &BTreeMap<PathBuf, String>) -> Vec<Worktree> {
    let mut trees: Vec<Worktree> = Vec::new();
    for line in output.split(|b| *b == end) {
        let line = String::from_utf8_lossy(line);
        let (key, value) = line.split_once(' ').unwrap_or((&line, ""));
        if key == "worktree" {
            let first = trees.is_empty();
            trees.push(tree_at(Path::new(value), root, first, names));
            continue;
        }
        let Some(tree) = trees.last_mut() else {
            continue;
        };
        match key {
            "HEAD" if value.bytes().any(|b| b != b'0') => tree.head = Some(value.to_owned()),
            "branch" => {
                tree.branch = Some(
                    value
                        .strip_prefix("refs/heads/")
                        .unwrap_or(value)
                        .to_owned(),
                );
            }
            "bare" => tree.bare = true,
            "prunable" => tree.prunable = true,
            _ => {}
        }
    }
    trees
}

fn tree_at(path: &Path, root: &Path, main: bool, names: &BTreeMap<PathBuf, String>) -> Worktree {
    // The root is canonical, but git may print the same folder in another way, e.g. with a link.
    let path = settled(path.to_owned());
    Worktree {
        place: place(&path, root),
        name: names.get(&path).filter(|_| !main).cloned(),
        main,
        current: path == root,
        ..Worktree::default()
    }
}

fn place(path: &Path, root: &Path) -> Option<String> {
    if path == root {
        return Some(".".to_owned());
    }
    if let Ok(below) = path.strip_prefix(root) {
        return Some(slashed(below));
    }
    // Many users put their working trees next to each other, so a path such as `../other` is fine.
    let above = root.parent()?;
    path.strip_prefix(above)
        .ok()
        .filter(|beside| !beside.as_os_str().is_empty())
        .map(|beside| format!("../{}", slashed(beside)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worktree_elsewhere_has_no_path() {
        let root = Path::new("/srv/main");
        let text = b"worktree /srv/main\nHEAD 12ab\nbranch refs/heads/x/y\n\nworktree /srv/other\nHEAD 0000\nbranch refs/heads/new\n\nworktree /srv/main/wt/in\nHEAD 12\ndetached\nlocked\n\nworktree /home/ann/far\nHEAD 12\nprunable gone\n";
        let names = [("/srv/other", "o"), ("/home/ann/far", "far1")]
            .map(|(place, name)| (PathBuf::from(place), name.to_owned()));
        let trees = parse(text, b'\n', root, &BTreeMap::from(names));
        let places: Vec<_> = trees
            .iter()
            .map(|tree| (tree.name.as_deref(), tree.place.as_deref()))
            .collect();
        assert_eq!(
            places,
            [
                (None, Some(".")),
                (Some("o"), Some("../other")),
                (None, Some("wt/in")),
                (Some("far1"), None)
            ]
        );
        assert!(trees[0].main && trees[0].current && !trees[1].main);
        assert_eq!(trees[0].branch.as_deref(), Some("x/y"));
        assert_eq!(trees[1].head, None);
        assert!(trees[3].prunable);
    }
}
