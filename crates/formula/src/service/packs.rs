//! Formula packs: folders with a `pack.toml` and a folder `formulas/` beside it.

use std::path::{Path, PathBuf};

use windlass_base::Cancel;
use windlass_plan::Document;
use windlass_repo::{ListQuery, Snapshot};
use windlass_store::{RootedPath, folders_in};

use super::search_path::Folder;

pub(super) const MANIFEST: &str = "pack.toml";
pub(super) const FORMULAS: &str = "formulas";
/// Maximum depth of packs below a folder added by the user.
///
/// We look at all folders up to this depth, so it has to be small in case the user adds a large
/// tree.
const MAX_DEPTH: usize = 3;

/// The formula folders of all packs in a repository, sorted by path.
///
/// If we cannot list the files, it is as if there were none.
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

/// The formula folders inside a folder outside of the repository, sorted by path.
///
/// `folder` may be a formula folder or a pack, or it may contain packs.
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

/// Returns the folder to trust along with `folder`.
///
/// For a pack's formula folder, that is the whole pack, since formulas refer to files beside them,
/// e.g. in `../assets`.
pub(super) fn trusted_root(folder: &Path) -> PathBuf {
    match folder.parent() {
        Some(pack) if folder.ends_with(FORMULAS) => pack.to_owned(),
        _ => folder.to_owned(),
    }
}

/// The folders that a manifest imports, as written and in its order. Packs can also be imported
/// from other sources such as URLs, which we skip.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_folders_only_in_order() {
        let manifest = b"[pack]\nname = 'a'\n[imports.z]\nsource = '../base'\n[imports.b]\nsource = 'github.com/x/y'\n\
            [imports.c]\nsource = './inner/../near'\n";
        assert_eq!(imports(manifest), ["../base", "./inner/../near"]);
        // A manifest that we can't parse imports nothing.
        assert!(imports(b"not toml [").is_empty());
    }
}
