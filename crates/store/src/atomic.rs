use crate::replacement::{Readers, Replacement};
use crate::{RootedPath, StoreError};

/// Guarantee for written data, once the write has returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The bytes and the name survive a power failure. This takes a sync, so it is slow.
    Fsync,
    /// The bytes survive the end of the process, but maybe not a power failure. That is good enough
    /// for data that we can derive again.
    Relaxed,
}

/// Replaces the whole file at `place` with `bytes`.
///
/// Other processes see either the old file or the new one, but never a mixture, even after a crash.
/// For files in the repository, use [`write_shared`](crate::write_shared).
///
/// Missing parent folders are created with mode 0700, and the file with mode 0600, since these
/// files are of no concern to other users. A symbolic link at `place` is replaced, not followed.
///
/// # Errors
/// Returns an error if creating the folder or writing the file fails. The old file is then
/// unchanged.
pub fn write_atomic(
    place: &RootedPath,
    bytes: &[u8],
    durability: Durability,
) -> Result<(), StoreError> {
    Replacement::for_readers(place, bytes, Readers::Owner, durability)?.finish()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn write_atomic_leaves_no_other_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/er/file.json");
        for (bytes, durability) in [
            (&b"one"[..], Durability::Fsync),
            (b"two, longer", Durability::Relaxed),
            (b"", Durability::Fsync),
        ] {
            write_atomic(&RootedPath::typed(&path), bytes, durability).unwrap();
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
        assert_eq!(names(path.parent().unwrap()), ["file.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn write_atomic_is_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/file");
        write_atomic(&RootedPath::typed(&path), b"x", Durability::Relaxed).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
    }

    #[cfg(unix)]
    #[test]
    fn write_atomic_replaces_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("target");
        fs::write(&target, "old").unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write_atomic(&RootedPath::typed(&link), b"new", Durability::Relaxed).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        assert_eq!(fs::read(&link).unwrap(), b"new");
    }

    #[test]
    fn write_atomic_failure_names_the_path() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("taken");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), "x").unwrap();
        let error = write_atomic(&RootedPath::typed(&path), b"x", Durability::Relaxed).unwrap_err();
        assert!(error.to_string().contains("taken"), "{error}");
        assert_eq!(names(dir.path()), ["taken"]);

        let error = write_atomic(
            &RootedPath::new(dir.path()).join("taken/inside/file"),
            b"x",
            Durability::Relaxed,
        )
        .unwrap_err();
        assert!(error.to_string().contains("is not a folder"), "{error}");
    }
}
