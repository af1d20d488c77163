//! Packs: folders that contain a `pack.toml` and, beside it, a folder `formulas/`.

use std::path::{Component, Path, PathBuf};

use windlass_base::Cancel;
use windlass_plan::Document;
use windlass_repo::{ListQuery, Snapshot};
use windlass_store::{RootedPath, folders_in};

use super::search_path::Folder;

/// File that describes a pack. A folder with this file is a pack.
pub(super) const MANIFEST: &str = "pack.toml";
/// Folder that contains the formulas of a pack.
const FORMULAS: &str = "formulas";
/// Maximum depth at which packs are searched below a folder of the search path.
const MAX_DEPTH: usize = 3;

/// Returns the formula folders of all packs in a repository, sorted by path.
pub(super) fn packs_in(snapshot: &Snapshot) -> Vec<Folder> {
    let query = ListQuery {
        globs: vec![MANIFEST.to_owned()],
        ..ListQuery::default()
    };
    let root = snapshot.repo().root();
    let listing = snapshot.list(&query, &Cancel::default());
    let manifests = listing.map(|listing| listing.files).unwrap_or_default();
    let folders = manifests.iter().map(|manifest| {
        let pack = manifest.as_str().trim_end_matches(MANIFEST);
        let shown = format!("{pack}{FORMULAS}");
        Folder {
            place: root.join(&shown),
            shown,
        }
    });
    folders.collect()
}

/// Returns the formula folders that a folder outside the repository provides, sorted by path. If the folder is a pack,
/// this is the pack's formula folder. Otherwise it is the folder itself or the formula folders of the packs inside it.
pub(super) fn packs_below(folder: &Path) -> Vec<Folder> {
    let shown = |place: &Path| Folder {
        shown: place.to_string_lossy().replace('\\', "/"),
        place: place.to_owned(),
    };
    if folder.ends_with(FORMULAS) {
        return vec![shown(folder)];
    }
    let mut found = Vec::new();
    let mut work = vec![(RootedPath::new(folder), 0)];
    while let Some((place, depth)) = work.pop() {
        let formulas = place.join(FORMULAS);
        if formulas.path().is_dir() {
            found.push(shown(formulas.path()));
        }
        if depth < MAX_DEPTH {
            let inner = folders_in(&place).unwrap_or_default();
            work.extend(inner.into_iter().map(|inner| (inner, depth + 1)));
        }
    }
    found.sort_by(|a, b| a.place.cmp(&b.place));
    found
}

/// Returns the folder of user files that a folder on the search path gives access to. For a formula folder, this is its
/// pack; for any other folder, the folder itself.
pub(super) fn trusted_root(folder: &Path) -> PathBuf {
    match folder.parent() {
        Some(pack) if folder.ends_with(FORMULAS) => pack.to_owned(),
        _ => folder.to_owned(),
    }
}

/// Returns the formula folders of the packs that a manifest imports by path, in the order of the manifest.
pub(super) fn imports(manifest: &[u8], pack: &Path) -> Vec<PathBuf> {
    let Ok(document) = Document::parse_toml(MANIFEST, manifest) else {
        return Vec::new();
    };
    let Some(imports) = document.root().get("imports") else {
        return Vec::new();
    };
    let sources = imports.fields().filter_map(|(_, import)| {
        let source = import.get("source")?.value().as_str()?.to_owned();
        let is_folder = source.starts_with('.') || Path::new(&source).is_absolute();
        is_folder.then(|| lexical(&pack.join(source)).join(FORMULAS))
    });
    sources.collect()
}

/// Removes `.` and `..` from a path without accessing the file system.
pub(super) fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_folders_only_in_order() {
        let manifest = b"[pack]\nname = 'a'\n[imports.z]\nsource = '../base'\n[imports.b]\nsource = 'github.com/x/y'\n\
            [imports.c]\nsource = './inner/../near'\n";
        let found = imports(manifest, Path::new("/packs/a"));
        let want = ["/packs/base/formulas", "/packs/a/near/formulas"];
        assert_eq!(found, want.map(PathBuf::from));
        assert!(imports(b"not toml [", Path::new("/")).is_empty());
    }
}
