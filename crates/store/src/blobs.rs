use std::ffi::OsStr;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Read as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use crate::beneath::{self, Access, Folder};
use crate::folder::read_folder;
use crate::{Durability, RootedPath, StoreError, write_atomic};

/// Length in bytes of the digest stored before a blob's contents.
const HEAD: usize = 32;
/// Divisor of the limits. We let about one sixteenth of a limit be written before pruning again, so
/// that pruning stays rare.
const SLACK: usize = 16;
/// Maximum number of writes between two prunings, on average. It bounds the excess if limits are
/// large.
const MAX_UNLOOKED: usize = 32;

/// Limits of a blob folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobLimits {
    /// Maximum number of blobs.
    pub max_count: usize,
    /// Maximum total size, in bytes.
    pub max_bytes: u64,
}

/// Folder of derived results, each under a hexadecimal key derived from its inputs.
///
/// An entry may vanish at any time. The oldest blobs are deleted to make room, other processes may
/// use the same folder, and users may delete it. Damaged or truncated blobs count as missing.
#[derive(Debug, Clone)]
pub struct Blobs {
    folder: RootedPath,
    limits: BlobLimits,
    /// Number of writes since the store was created, starting at a random value.
    written: Arc<AtomicUsize>,
}

/// A blob in the folder, with the properties that decide about its deletion.
struct Entry {
    modified: SystemTime,
    name: std::ffi::OsString,
    bytes: u64,
}

impl Blobs {
    /// Creates a store in `folder`, which need not exist yet.
    #[must_use]
    pub fn new(folder: RootedPath, limits: BlobLimits) -> Self {
        // Most processes write a single blob. With a random start, a few of them prune the folder,
        // instead of all or none.
        let [chance, ..] = RandomState::new().hash_one(()).to_le_bytes();
        let written = Arc::new(AtomicUsize::new(chance.into()));
        Self {
            folder,
            limits,
            written,
        }
    }

    /// Stores `bytes` under `key`, and occasionally deletes the oldest blobs to keep within the
    /// limits. The limits may be exceeded by about one sixteenth.
    ///
    /// # Errors
    /// Returns an error if `key` is not hexadecimal, or if the blob cannot be written. Callers may
    /// ignore the error, since the result can be derived again.
    pub fn put(&self, key: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.write(key, &[blake3::hash(bytes).as_bytes(), bytes])
    }

    /// Writes the file for `key`, and occasionally prunes the folder.
    pub(crate) fn write(&self, key: &str, parts: &[&[u8]]) -> Result<(), StoreError> {
        let path = self.path(key).ok_or_else(|| {
            let why = io::Error::new(
                io::ErrorKind::InvalidInput,
                "a key consists of hexadecimal digits",
            );
            StoreError::io("write", self.folder.join("?").path(), why)
        })?;
        let bytes = parts.concat();
        write_atomic(&path, &bytes, Durability::Relaxed)?;
        if self.is_time_to_look(bytes.len()) {
            self.prune();
        }
        Ok(())
    }

    /// Returns true if it's time to prune after a write of `bytes` bytes. We don't prune after
    /// every write, because listing the folder takes longer than writing a small blob.
    fn is_time_to_look(&self, bytes: usize) -> bool {
        let written = self.written.fetch_add(1, Ordering::Relaxed);
        let between = (self.limits.max_count / SLACK).clamp(1, MAX_UNLOOKED);
        let is_large = bytes as u64 > self.limits.max_bytes / (SLACK * between) as u64;
        is_large || written.is_multiple_of(between)
    }

    /// Returns the blob stored under `key`, or `None` if it's missing, damaged, or larger than
    /// `max_bytes`.
    #[must_use]
    pub fn get(&self, key: &str, max_bytes: u64) -> Option<Vec<u8>> {
        let mut file = beneath::open(&self.path(key)?, Access::Read).ok()?;
        let length = file.metadata().ok()?.len().checked_sub(HEAD as u64)?;
        if length > max_bytes {
            return None;
        }
        let mut head = [0; HEAD];
        file.read_exact(&mut head).ok()?;
        // With room for one more byte, the read detects the end without growing the buffer.
        let mut bytes = Vec::with_capacity(usize::try_from(length).ok()?.saturating_add(1));
        file.take(length.saturating_add(1))
            .read_to_end(&mut bytes)
            .ok()?;
        (bytes.len() as u64 == length && blake3::hash(&bytes) == head).then_some(bytes)
    }

    pub(crate) fn path(&self, key: &str) -> Option<RootedPath> {
        let hex = !key.is_empty() && key.len() <= 128 && key.bytes().all(|b| b.is_ascii_hexdigit());
        hex.then(|| self.folder.join(key.to_ascii_lowercase()))
    }

    /// Deletes the oldest blobs until the rest is within the limits. If a blob can't be deleted,
    /// the next pruning tries again.
    fn prune(&self) {
        let Ok(folder) = Folder::open(&self.folder) else {
            return;
        };
        let mut entries = entries(&self.folder);
        entries.sort_by(|a, b| (b.modified, &b.name).cmp(&(a.modified, &a.name)));
        let mut total = 0u64;
        for (at, entry) in entries.iter().enumerate() {
            total = total.saturating_add(entry.bytes);
            // Keep the newest blob even if it exceeds the limits. It was just written, and its
            // writer may need it next.
            if at > 0 && (at >= self.limits.max_count || total > self.limits.max_bytes) {
                let _ = folder.remove(&entry.name);
            }
        }
    }
}

/// Lists the blobs in `folder`. Blobs deleted by another process in the meantime are skipped.
fn entries(folder: &RootedPath) -> Vec<Entry> {
    let mut entries = Vec::new();
    // If we can't list the folder, we don't delete anything.
    let _ = read_folder(folder, |entry, kind| {
        let name = entry.file_name();
        // A hidden file is the temporary file of a writer, who may still be alive.
        if !kind.is_file() || is_hidden(&name) {
            return;
        }
        let Ok(metadata) = entry.metadata() else {
            return;
        };
        if let Ok(modified) = metadata.modified() {
            entries.push(Entry {
                modified,
                name,
                bytes: metadata.len().saturating_sub(HEAD as u64),
            });
        }
    });
    entries
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;
    use std::time::Duration;

    use super::*;

    fn blobs(dir: &Path, max_count: usize, max_bytes: u64) -> Blobs {
        let limits = BlobLimits {
            max_count,
            max_bytes,
        };
        Blobs::new(RootedPath::new(dir).join("blobs"), limits)
    }

    /// Makes a blob `age` seconds old, so that the order doesn't depend on the clock.
    fn age(blobs: &Blobs, key: &str, age: u64) {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age);
        File::options()
            .write(true)
            .open(blobs.folder.join(key).path())
            .and_then(|file| file.set_modified(time))
            .unwrap();
    }

    #[test]
    fn blob_round_trips() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = blobs(dir.path(), 10, 1000);
        assert_eq!(blobs.get("ab", 10), None);
        blobs.put("ab", b"hello").unwrap();
        blobs.put("cd", b"").unwrap();
        assert_eq!(blobs.get("AB", 5).as_deref(), Some(&b"hello"[..]));
        assert_eq!(blobs.get("ab", 4), None);
        assert_eq!(blobs.get("cd", 0).as_deref(), Some(&b""[..]));
    }

    #[test]
    fn blob_key_cannot_leave_folder() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = blobs(dir.path(), 10, 1000);
        for key in ["", "..", "../x", "a/b", "x"] {
            assert!(blobs.put(key, b"").is_err(), "{key}");
            assert_eq!(blobs.get(key, 10), None, "{key}");
        }
    }

    #[test]
    fn blob_damaged_is_absent() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = blobs(dir.path(), 10, 1000);
        blobs.put("ab", b"hello").unwrap();
        let path = blobs.folder.path().join("ab");
        let whole = fs::read(&path).unwrap();
        for end in 0..whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            assert_eq!(blobs.get("ab", 1000), None, "{end}");
        }
    }

    #[test]
    fn blob_oldest_is_pruned_first() {
        let dir = tempfile::tempdir().unwrap();
        let by_count = blobs(dir.path(), 2, 1000);
        by_count.put("01", b"x").unwrap();
        age(&by_count, "01", 10);
        by_count.put("02", b"x").unwrap();
        age(&by_count, "02", 20);
        by_count.put("03", b"x").unwrap();
        assert_eq!(by_count.get("02", 9), None);
        assert!(by_count.get("01", 9).is_some() && by_count.get("03", 9).is_some());

        let by_size = blobs(dir.path(), 100, 4);
        age(&by_size, "03", 5);
        by_size.put("04", b"four").unwrap();
        assert_eq!(entries(&by_size.folder).len(), 1);
        assert!(by_size.get("04", 9).is_some());
    }

    #[test]
    fn small_blobs_prune_rarely() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = blobs(dir.path(), 64, 1 << 20);
        let keys: Vec<String> = (0..300).map(|n| format!("{n:04x}")).collect();
        let mut most = 0;
        for key in &keys {
            blobs.put(key, b"").unwrap();
            most = most.max(entries(&blobs.folder).len());
        }
        assert_eq!(most, 67);
        let looks = keys.iter().filter(|_| blobs.is_time_to_look(HEAD));
        assert_eq!(looks.count(), 75);
        // A large blob always triggers pruning.
        assert!(keys.iter().all(|_| blobs.is_time_to_look(1 << 16)));
    }

    #[test]
    fn blob_concurrent_writers_are_safe() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = blobs(dir.path(), 3, 1000);
        std::thread::scope(|scope| {
            for thread in 0..4u8 {
                let blobs = &blobs;
                scope.spawn(move || {
                    for n in 0..20u8 {
                        let key = format!("{thread:02x}{n:02x}");
                        blobs.put(&key, key.as_bytes()).unwrap();
                        if let Some(bytes) = blobs.get(&key, 100) {
                            assert_eq!(bytes, key.as_bytes());
                        }
                    }
                });
            }
        });
    }
}
