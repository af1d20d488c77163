//! Private cache folder for data about plugins: descriptions, compiled code and results.

use std::path::Path;

use windlass_store::{BlobLimits, Blobs, RootedPath, private_folder};

/// A cache folder that only the user can write to.
///
/// Its contents decide which code runs, and which descriptions and results plugins seem to have. If
/// anyone else could write there, they could run code as the user, so it is better to have no cache
/// at all.
#[derive(Debug)]
pub(crate) struct PrivateCache(RootedPath);

impl PrivateCache {
    /// Opens `folder`.
    ///
    /// If other users could write to it or replace it, this logs a warning and returns `None`.
    pub(crate) fn open(folder: &RootedPath) -> Option<Self> {
        let is_safe = is_private(folder) && ancestors_are_safe(folder.path());
        is_safe.then(|| Self(folder.clone()))
    }

    /// Opens the subfolder `name`. Returns `None` if other users could write to it.
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

/// True if no other user can replace one of the folders above `folder`.
///
/// Neither the group nor others may be able to write there, unless a sticky bit (as in `/tmp`)
/// leaves renaming to root or to this user.
#[cfg(unix)]
fn ancestors_are_safe(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    const OTHERS_WRITE: u32 = 0o022;
    const STICKY: u32 = 0o1000;
    let Ok((real, own)) = folder.canonicalize().and_then(|real| {
        let own = real.metadata()?.uid();
        Ok((real, own))
    }) else {
        return false;
    };
    let is_open = |found: std::fs::Metadata| {
        let is_sticky = found.mode() & STICKY != 0 && [0, own].contains(&found.uid());
        found.mode() & OTHERS_WRITE != 0 && !is_sticky
    };
    let open = (real.ancestors().skip(1)).find(|folder| folder.metadata().is_ok_and(is_open));
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
mod tests;
