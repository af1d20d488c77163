//! Blobs whose files can be mapped into memory.

use std::fs::File;
use std::io::{self, Read as _};

use crate::beneath::{self, Access};
use crate::platform::{is_own_file, read_exact_at};
use crate::{Blobs, StoreError};

/// Size of the seal in bytes. The seal is a digest of the key and the contents, and comes after the
/// contents.
const SEAL: usize = 32;
const PART: usize = 64 << 10;

/// An open blob. We have verified that it is complete, and stored under its own key. Even if
/// another file takes its place, this is still the verified one.
#[derive(Debug)]
pub struct SealedBlob {
    file: File,
    bytes: u64,
}

impl Blobs {
    /// Stores `bytes` like [`put`](Self::put), but for [`open_sealed`](Self::open_sealed). The file
    /// starts with the contents, so that a caller can map it and use the contents directly.
    ///
    /// The seal depends on the key as well. A blob that was copied or renamed to another key thus
    /// counts as damaged.
    ///
    /// # Errors
    /// Returns an error in the cases of [`Blobs::put`].
    pub fn put_sealed(&self, key: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let mut seal = seal(key);
        seal.update(bytes);
        self.write(key, &[bytes, seal.finalize().as_bytes()])
    }

    /// Opens a blob stored under `key` by [`put_sealed`](Self::put_sealed).
    ///
    /// Returns `None` if the blob is missing or damaged, was stored under another key, or is larger
    /// than `max_bytes`. The same goes for a file that other users can write to, because they could
    /// change it after the check.
    #[must_use]
    pub fn open_sealed(&self, key: &str, max_bytes: u64) -> Option<SealedBlob> {
        // The name may belong to another file by now, so check the one that we've opened.
        let file = beneath::open(&self.path(key)?, Access::Read).ok()?;
        if !is_own_file(&file).ok()? {
            return None;
        }
        let bytes = file.metadata().ok()?.len().checked_sub(SEAL as u64)?;
        if bytes > max_bytes {
            return None;
        }
        let mut seal = seal(key);
        let mut part = vec![0; PART];
        let mut rest = (&file).take(bytes);
        let mut all = 0;
        loop {
            let length = rest.read(&mut part).ok()?;
            if length == 0 {
                break;
            }
            seal.update(&part[..length]);
            all += length as u64;
        }
        let mut found = [0; SEAL];
        (&file).read_exact(&mut found).ok()?;
        (all == bytes && seal.finalize() == found).then_some(SealedBlob { file, bytes })
    }
}

/// Starts to compute the seal for `key`. The caller has to add the contents.
fn seal(key: &str) -> blake3::Hasher {
    let key = key.to_ascii_lowercase();
    let mut seal = blake3::Hasher::new();
    seal.update(&(key.len() as u64).to_le_bytes());
    seal.update(key.as_bytes());
    seal
}

impl SealedBlob {
    /// The open file: the contents, followed by the seal.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns the contents without the seal.
    ///
    /// # Errors
    /// Returns an error if reading fails, or if the file is shorter.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let length = usize::try_from(self.bytes).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let mut bytes = vec![0; length];
        read_exact_at(&self.file, &mut bytes, 0)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::BlobLimits;

    fn blobs(dir: &Path) -> Blobs {
        let limits = BlobLimits {
            max_count: 10,
            max_bytes: 1 << 20,
        };
        Blobs::new(crate::RootedPath::new(dir).join("blobs"), limits)
    }

    fn read(blobs: &Blobs, key: &str) -> Option<Vec<u8>> {
        Some(blobs.open_sealed(key, 1 << 20)?.read().unwrap())
    }

    #[test]
    fn sealed_blob_starts_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = blobs(dir.path());
        assert_eq!(read(&blobs, "ab"), None);
        let long = vec![7; 3 * PART + 5];
        for bytes in [&b"hello"[..], b"", &long] {
            blobs.put_sealed("ab", bytes).unwrap();
            assert_eq!(read(&blobs, "AB").as_deref(), Some(bytes));
            let file = std::fs::read(dir.path().join("blobs/ab")).unwrap();
            assert!(file.starts_with(bytes) && file.len() == bytes.len() + SEAL);
        }
        assert!(blobs.open_sealed("ab", long.len() as u64 - 1).is_none());
        let open = blobs.open_sealed("ab", 1 << 20).unwrap();
        blobs.put_sealed("ab", b"other").unwrap();
        assert_eq!(open.read().unwrap(), long);
    }

    #[test]
    fn sealed_blob_damaged_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = blobs(dir.path());
        blobs.put_sealed("ab", b"hello").unwrap();
        let file = |key: &str| dir.path().join("blobs").join(key);
        let whole = std::fs::read(file("ab")).unwrap();
        blobs.put_sealed("cd", b"x").unwrap();
        std::fs::write(file("cd"), &whole).unwrap();
        assert_eq!(read(&blobs, "cd"), None);
        for at in 0..whole.len() {
            std::fs::write(file("ab"), &whole[..at]).unwrap();
            assert_eq!(read(&blobs, "ab"), None, "{at}");
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(file("ab"), &changed).unwrap();
            assert_eq!(read(&blobs, "ab"), None, "{at}");
        }
        std::fs::write(file("ab"), &whole).unwrap();
        assert!(read(&blobs, "ab").is_some());
    }

    #[cfg(unix)]
    #[test]
    fn sealed_blob_writable_by_others_is_none() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let dir = tempfile::tempdir().unwrap();
        let blobs = blobs(dir.path());
        blobs.put_sealed("ab", b"hello").unwrap();
        let file = dir.path().join("blobs/ab");
        let set = |mode| {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&file, mode).unwrap();
        };
        for mode in [0o620, 0o602] {
            set(mode);
            assert_eq!(read(&blobs, "ab"), None, "{mode:o}");
        }
        set(0o600);
        assert!(read(&blobs, "ab").is_some());
        // A blob behind a link isn't opened either.
        let elsewhere = dir.path().join("elsewhere");
        std::fs::rename(&file, &elsewhere).unwrap();
        symlink(&elsewhere, &file).unwrap();
        assert_eq!(read(&blobs, "ab"), None);
    }
}
