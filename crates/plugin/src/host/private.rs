//! Private cache folder for data about plugins: descriptions, compiled code and results.

use std::path::Path;

use windlass_store::{BlobLimits, Blobs, RootedPath, private_folder};

/// A cache folder writable only by the user. Its contents decide which code runs, and what plugins
/// seem to describe and return.
#[derive(Debug)]
pub(crate) struct PrivateCache(RootedPath);

impl PrivateCache {
    /// Opens `folder`. If other users could write to it or replace it, returns `None` and logs a
    /// warning.
    pub(crate) fn open(folder: &RootedPath) -> Option<Self> {
        let is_safe = is_private(folder) && ancestors_are_safe(folder.path());
        is_safe.then(|| Self(folder.clone()))
    }

    /// Returns the subfolder `name`, or `None` if other users could write to it.
    pub(crate) fn blobs(&self, name: &str, limits: BlobLimits) -> Option<Blobs> {
        let folder = self.0.join(name);
        is_private(&folder).then(|| Blobs::new(folder, limits))
    }
}

fn is_private(folder: &RootedPath) -> bool {
    match private_folder(folder) {
        Ok(true) => true,
        Ok(false) => {
            refuse(folder.path());
            false
        }
        Err(error) => {
            tracing::info!(%error, "plugin data is not cached");
            false
        }
    }
}

fn refuse(folder: &Path) {
    tracing::warn!(folder = %folder.display(), "plugin data is not cached: other users can write there");
}

/// True if no other user can replace a folder above `folder`: none of those may be writable by
/// others, unless its sticky bit is set.
#[cfg(unix)]
fn ancestors_are_safe(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    const OTHERS_WRITE: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    let Ok(real) = folder.canonicalize() else {
        return false;
    };
    let open = real.ancestors().skip(1).find(|folder| {
        let mode = folder.metadata().map(|found| found.permissions().mode());
        mode.is_ok_and(|mode| mode & OTHERS_WRITE != 0 && mode & STICKY == 0)
    });
    if let Some(open) = open {
        refuse(open);
    }
    open.is_none()
}

#[cfg(not(unix))]
fn ancestors_are_safe(_: &Path) -> bool {
    true
}

#[cfg(all(test, unix))]
#[expect(clippy::disallowed_methods, reason = "tests open folders to others")]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn cache_writable_by_others_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let cache = RootedPath::new(dir.path()).join("a/plugins");
        let limits = BlobLimits {
            max_count: 1,
            max_bytes: 1,
        };
        let opens = || PrivateCache::open(&cache).and_then(|cache| cache.blobs("cards", limits));
        assert!(opens().is_some());
        for (folder, mode, is_kept) in [
            ("a/plugins/cards", 0o777, false),
            ("a/plugins", 0o770, false),
            ("a", 0o777, false),
            ("a", 0o1777, true),
        ] {
            let set = |mode| {
                let mode = std::fs::Permissions::from_mode(mode);
                std::fs::set_permissions(dir.path().join(folder), mode).unwrap();
            };
            set(mode);
            assert_eq!(opens().is_some(), is_kept, "{folder} {mode:o}");
            set(0o700);
        }
        assert!(opens().is_some());
    }
}
