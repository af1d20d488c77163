//! Visits the folders of a memory on disk, including private and ignored ones.

use windlass_base::RepoPath;
use windlass_store::{Listed, RootedPath, list_folder};

use crate::texts::layout::FOLDER;

const MAX_DEPTH: usize = 16;

/// Calls `visit` for the memory's folder and for each folder below it, with the path and the
/// contents, or with `None` if the folder cannot be read. Folders for which `enters` returns false
/// are skipped.
pub(crate) fn walk(
    root: &RootedPath,
    enters: &dyn Fn(&str) -> bool,
    visit: &mut dyn FnMut(&str, Option<&Listed>),
) {
    let mut open = vec![(root.join(FOLDER), FOLDER.to_owned(), 0)];
    while let Some((folder, name, depth)) = open.pop() {
        let listed = list_folder(&folder).ok();
        visit(&name, listed.as_ref());
        let inner = listed.filter(|_| depth < MAX_DEPTH).into_iter();
        let inner = inner.flat_map(|listed| listed.folders).map(|inner| {
            let name = path_in(&name, &inner);
            (inner, name, depth + 1)
        });
        open.extend(inner.filter(|(_, name, _)| enters(name)));
    }
}

/// The path of `place` in the repository. `folder` is the path of its parent.
pub(crate) fn path_in(folder: &str, place: &RootedPath) -> String {
    let own = place.file_name().map(|own| own.to_string_lossy());
    format!("{folder}/{}", own.unwrap_or_default())
}

/// The folders that cannot be read, except for private ones.
pub(crate) fn closed_folders(root: &RootedPath) -> Vec<RepoPath> {
    let mut closed = Vec::new();
    let is_shared = |name: &str| !crate::is_private(&format!("{name}/"));
    walk(root, &is_shared, &mut |name, listed| {
        if listed.is_none() {
            closed.extend(RepoPath::parse(name));
        }
    });
    closed.sort();
    closed
}
