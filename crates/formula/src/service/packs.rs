//! Packs: folders with a `pack.toml` and a folder `formulas/` beside it.

use std::path::{Component, Path, PathBuf};

use windlass_base::Cancel;
use windlass_plan::Document;
use windlass_repo::{ListQuery, Snapshot};
use windlass_store::{RootedPath, folders_in};

use super::search_path::Folder;

/// The file that describes a pack and makes its folder one.
pub(super) const MANIFEST: &str = "pack.toml";
/// The folder with a pack's formulas.
pub(super) const FORMULAS: &str = "formulas";
/// Maximum depth at which we look for packs below a folder of the search path.
const MAX_DEPTH: usize = 3;

/// Returns the formula folders of all packs in a repository, sorted by path.
pub(super) fn packs_in(snapshot: &Snapshot) -> Vec<Folder> {
    let query = ListQuery {
        globs: vec![MANIFEST.to_owned()],
        ..ListQuery::default()
    };
    let root = snapshot.repo().root();
    let listing = snapshot.list(&query, &Cancel::default());
    let listing = listing.inspect_err(|error| tracing::debug!(%error, "packs not listed"));
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

/// Returns the formula folders provided by a folder outside the repository, sorted by path. For a
/// pack, that's its formula folder. Otherwise it's the folder itself or the formula folders of the
/// packs inside it.
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
            let inner = folders_in(&place).unwrap_or_else(|error| {
                tracing::debug!(folder = %place.path().display(), %error, "packs not listed");
                Vec::new()
            });
            work.extend(inner.into_iter().map(|inner| (inner, depth + 1)));
        }
    }
    found.sort_by(|a, b| a.place.cmp(&b.place));
    found
}

/// Returns the folder of user files made accessible by a folder on the search path. That's the pack
/// of a formula folder, and the folder itself in any other case.
pub(super) fn trusted_root(folder: &Path) -> PathBuf {
    match folder.parent() {
        Some(pack) if folder.ends_with(FORMULAS) => pack.to_owned(),
        _ => folder.to_owned(),
    }
}

/// Returns the folders imported by a manifest, as written and in its order.
pub(super) fn imports(manifest: &[u8]) -> Vec<String> {
    let document = match Document::parse_toml(MANIFEST, manifest) {
        Ok(document) => document,
        Err(found) => {
            let first = found.iter().next().map(ToString::to_string);
            tracing::debug!(error = first.as_deref(), "manifest not parsed");
            return Vec::new();
        }
    };
    let Some(imports) = document.root().get("imports") else {
        return Vec::new();
    };
    let sources = imports.fields().filter_map(|(_, import)| {
        let source = import.get("source")?.value().as_str()?.to_owned();
        let is_folder = source.starts_with('.') || Path::new(&source).is_absolute();
        is_folder.then_some(source)
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
        assert_eq!(imports(manifest), ["../base", "./inner/../near"]);
        assert!(imports(b"not toml [").is_empty());
    }
}
