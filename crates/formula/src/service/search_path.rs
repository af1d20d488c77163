//! Lists the folders on the search path of formulas, and recognizes the names of their files.

use std::path::{Path, PathBuf};

use windlass_site::Site;

/// The folder with the formulas, relative to each location on the search path.
const FORMULAS_FOLDER: &str = ".beads/formulas";

/// The file name endings of formulas.
///
/// If a folder has several files for the same formula, the earlier ending wins.
pub(super) const ENDINGS: [&str; 3] = [".formula.toml", ".formula.json", ".toml"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    pub(super) shown: String,
    pub(super) place: PathBuf,
}

/// Lists the folders in search order.
///
/// First come the folders from `start` up to the root of the repository. They're followed by the
/// main working tree, the user's home and the town (`GT_ROOT`).
pub(super) fn folders(site: &Site, start: &Path) -> Vec<Folder> {
    let root = site.repo().root();
    let start = start.canonicalize().unwrap_or_else(|_| start.to_owned());
    let mut folders = Vec::new();
    let mut add = |shown: String, place: PathBuf| {
        if !folders.iter().any(|folder: &Folder| folder.place == place) {
            folders.push(Folder { shown, place });
        }
    };
    if let Ok(below) = start.strip_prefix(root) {
        for folder in below.ancestors() {
            let shown = folder
                .join(FORMULAS_FOLDER)
                .to_string_lossy()
                .replace('\\', "/");
            add(shown, root.join(folder).join(FORMULAS_FOLDER));
        }
    } else {
        add(FORMULAS_FOLDER.to_owned(), root.join(FORMULAS_FOLDER));
    }
    // In a linked working tree, the common Git folder is the `.git` of the main one.
    let common = site.repo().git_common_dir();
    let main = common
        .filter(|common| common.ends_with(".git"))
        .and_then(Path::parent);
    if let Some(main) = main {
        let place = main.join(FORMULAS_FOLDER);
        add(format!("{FORMULAS_FOLDER} of the main working tree"), place);
    }
    for (name, shown) in [("HOME", "~"), ("GT_ROOT", "$GT_ROOT")] {
        if let Some(folder) = site.environment().get(name) {
            let place = Path::new(folder).join(FORMULAS_FOLDER);
            add(format!("{shown}/{FORMULAS_FOLDER}"), place);
        }
    }
    folders
}

/// Returns the name of the formula in a file, or `None` if the file name isn't one of a formula.
pub(super) fn stem(file: &str) -> Option<&str> {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = ENDINGS
        .iter()
        .find_map(|ending| name.strip_suffix(ending))?;
    (!stem.is_empty() && !stem.starts_with('.')).then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stem_formula_file_names() {
        for (file, want) in [
            (".beads/formulas/a.formula.toml", Some("a")),
            ("~/.beads/formulas/a.b.formula.json", Some("a.b")),
            ("x.toml", Some("x")),
            ("x.json", None),
            ("README.md", None),
            (".formula.toml", None),
        ] {
            assert_eq!(stem(file), want, "{file}");
        }
    }
}
