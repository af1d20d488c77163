//! File names in different Unicode forms.
//!
//! `ü` can be one character or two, and macOS may store another form than users type. We keep the
//! form that is stored in paths, and map what a user types to the file that exists.

use std::path::{Component, Path, PathBuf};

use windlass_search::other_form;

/// If a part of `path` only exists in the other Unicode form, returns the path with that form.
/// Returns `None` if there is nothing to replace, as for nearly all paths.
pub(crate) fn in_stored_form(path: &Path) -> Option<PathBuf> {
    if path.as_os_str().is_ascii() || path.symlink_metadata().is_ok() {
        return None;
    }
    let (mut stored, mut is_other) = (PathBuf::new(), false);
    for part in path.components() {
        let as_typed = stored.join(part);
        let other = match part {
            Component::Normal(name) if as_typed.symlink_metadata().is_err() => {
                let form = name.to_str().and_then(other_form);
                form.map(|form| stored.join(form))
            }
            _ => None,
        };
        let other = other.filter(|other| other.symlink_metadata().is_ok());
        is_other |= other.is_some();
        stored = other.unwrap_or(as_typed);
    }
    is_other.then_some(stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_form_of_typed_path_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let (composed, decomposed) = ("Mü", "Mu\u{308}");
        let is_same = {
            std::fs::create_dir(folder.path().join(decomposed)).unwrap();
            folder.path().join(composed).exists()
        };
        let stored = folder.path().join(decomposed);
        std::fs::write(stored.join("Schlüssel.md"), "x").unwrap();
        let typed = folder.path().join(composed).join("Schlu\u{308}ssel.md");
        // Some file systems treat both forms as equal, so nothing needs replacing.
        let wanted = (!is_same).then(|| stored.join("Schlüssel.md"));
        assert_eq!(in_stored_form(&typed), wanted);
        assert_eq!(in_stored_form(&stored.join("Schlüssel.md")), None);
        assert_eq!(in_stored_form(&folder.path().join("änd")), None);
    }
}
