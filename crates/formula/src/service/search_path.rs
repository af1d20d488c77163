//! Where formulas are looked for.

use std::path::{Path, PathBuf};

use windlass_site::Site;

/// Where formulas lie within each place.
const FORMULAS: &str = ".beads/formulas";

/// What the files of a formula are called, after its name: the first of them that is there counts.
pub(super) const ENDINGS: [&str; 3] = [".formula.toml", ".formula.json", ".toml"];

/// A folder on the search path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    /// As the user knows it.
    pub(super) shown: String,
    /// Where it is.
    pub(super) place: PathBuf,
}

/// The folders in their order: from where the user stands up to the root, the main working tree, the user's own, and the
/// town's (`GT_ROOT`).
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
            let shown = folder.join(FORMULAS).to_string_lossy().replace('\\', "/");
            add(shown, root.join(folder).join(FORMULAS));
        }
    } else {
        add(FORMULAS.to_owned(), root.join(FORMULAS));
    }
    let common = site.repo().git_common_dir();
    let main = common
        .filter(|common| common.ends_with(".git"))
        .and_then(Path::parent);
    if let Some(main) = main {
        let place = main.join(FORMULAS);
        add(format!("{FORMULAS} of the main working tree"), place);
    }
    for (name, shown) in [("HOME", "~"), ("GT_ROOT", "$GT_ROOT")] {
        if let Some(folder) = site.environment().get(name) {
            let place = Path::new(folder).join(FORMULAS);
            add(format!("{shown}/{FORMULAS}"), place);
        }
    }
    folders
}

/// The name of the formula that is in a file; nothing for other files.
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
    fn formulas_are_known_by_their_files() {
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
