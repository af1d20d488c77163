use std::fs::File;
use std::io::{self, Read as _};

use crate::beneath::{self, Access};
use crate::platform::{is_own_file, read_exact_at};
use crate::{Blobs, StoreError};

/// Length in bytes of the seal after the contents. The seal is a digest of key and contents.
const SEAL: usize = 32;
/// Number of bytes to read and check at a time.
const PART: usize = 64 << 10;

/// An open blob, verified to be complete and stored under its own key. It keeps referring to the
/// file originally opened, even if another one replaces it.
#[derive(Debug)]
pub struct SealedBlob {
    file: File,
    bytes: u64,
}

impl Blobs {
    /// Stores `bytes` like [`Blobs::put`], but for [`Blobs::open_sealed`]. The file starts with the
    /// contents, so it can be mapped directly. After them comes a seal that depends on the key.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Blobs::put`].
    pub fn put_sealed(&self, key: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let mut seal = seal(key);
        seal.update(bytes);
        self.write(key, &[bytes, seal.finalize().as_bytes()])
    }

    /// Opens the blob stored under `key` by [`Blobs::put_sealed`]. Returns `None` if it's missing,
    /// damaged, stored under another key, larger than `max_bytes`, or writable by other users.
    #[must_use]
    pub fn open_sealed(&self, key: &str, max_bytes: u64) -> Option<SealedBlob> {
        // Do all checks on the same open file, since its name may refer to another file by now.
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

/// Starts the seal for `key`. The caller adds the contents.
fn seal(key: &str) -> blake3::Hasher {
    let key = key.to_ascii_lowercase();
    let mut seal = blake3::Hasher::new();
    seal.update(&(key.len() as u64).to_le_bytes());
    seal.update(key.as_bytes());
    seal
}

impl SealedBlob {
    /// Returns the open file, consisting of the contents and the seal.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns the contents.
    ///
    /// # Errors
    /// Returns an error if the contents cannot be read, or if the file is shorter.
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
        // Nor do we open a blob that can only be reached through a link.
        let elsewhere = dir.path().join("elsewhere");
        std::fs::rename(&file, &elsewhere).unwrap();
        symlink(&elsewhere, &file).unwrap();
        assert_eq!(read(&blobs, "ab"), None);
    }
}
