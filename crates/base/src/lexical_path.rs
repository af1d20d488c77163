use std::path::{Component, Path, PathBuf};

/// Removes `.` and `..` from a path without accessing the file system.
///
/// The result may differ from the real path if a link is involved, so callers still have to check
/// it.
#[must_use]
pub fn lexical(path: &Path) -> PathBuf {
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
