//! A cache of derived results, one file each.

use std::ffi::OsStr;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Read as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use crate::beneath::{self, Access, Folder};
use crate::folder::read_folder;
use crate::{Durability, RootedPath, StoreError, write_atomic};

/// Size of the digest in front of a blob's contents, in bytes. It shows if a blob is damaged.
const HEAD: usize = 32;
/// Divisor of a limit: the folder is pruned again after about this part of the limit may have been
/// written. With a larger divisor, we would stay closer to the limits, but prune more often.
const SLACK: usize = 16;
/// Maximum number of writes between two prunings, on average. For large limits, `SLACK` alone would
/// allow for too many.
const MAX_UNLOOKED: usize = 32;

/// Limits on a blob folder. Its contents may exceed them for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobLimits {
    /// Maximum number of blobs.
    pub max_count: usize,
    /// Maximum size of all blobs together, in bytes.
    pub max_bytes: u64,
}

/// A folder of derived results. The key of a result is in hex, and derived from its inputs.
///
/// An entry may vanish at any time: we delete the oldest ones to make room, other processes use the
/// same folder, and users may delete it. A damaged or cut blob counts as missing.
#[derive(Debug, Clone)]
pub struct Blobs {
    folder: RootedPath,
    limits: BlobLimits,
    /// Number of writes since the store was created, starting from a random number.
    written: Arc<AtomicUsize>,
}

struct Entry {
    modified: SystemTime,
    name: std::ffi::OsString,
    bytes: u64,
}

impl Blobs {
    /// Creates a store in `folder`. The folder does not have to exist yet.
    #[must_use]
    pub fn new(folder: RootedPath, limits: BlobLimits) -> Self {
        // Most processes only write a single blob. If all of them started at the same number,
        // either none or all of them would prune the folder. Start at a random number, so that some
        // do.
        let [chance, ..] = RandomState::new().hash_one(()).to_le_bytes();
        let written = Arc::new(AtomicUsize::new(chance.into()));
        Self {
            folder,
            limits,
            written,
        }
    }

    /// Stores `bytes` under `key`. Some calls also delete the oldest blobs to stay within the
    /// limits. In between, the folder may exceed the limits by about one sixteenth.
    ///
    /// # Errors
    /// Returns an error if `key` is not hexadecimal, or if writing the blob fails. Callers may
    /// ignore the error, because the result can be derived again.
    pub fn put(&self, key: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.write(key, &[blake3::hash(bytes).as_bytes(), bytes])
    }

    /// Writes the file for `key`, and prunes the folder from time to time.
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

    /// True if the folder should be pruned after writing `bytes` bytes. We do not do this after
    /// every write, because listing the folder takes longer than writing a small blob.
    fn is_time_to_look(&self, bytes: usize) -> bool {
        let written = self.written.fetch_add(1, Ordering::Relaxed);
        let between = (self.limits.max_count / SLACK).clamp(1, MAX_UNLOOKED);
        let is_large = bytes as u64 > self.limits.max_bytes / (SLACK * between) as u64;
        is_large || written.is_multiple_of(between)
    }

    /// Returns the blob stored under `key`, or `None` if it is missing, damaged, or larger than
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
        // Ask for one more byte than we expect. We then notice the end without growing the buffer,
        // and see if the file has grown in the meantime.
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

    /// Deletes the oldest blobs until the others are within the limits. If that fails, the next
    /// pruning tries again.
    fn prune(&self) {
        let Ok(folder) = Folder::open(&self.folder) else {
            return;
        };
        let mut entries = entries(&self.folder);
        entries.sort_by(|a, b| (b.modified, &b.name).cmp(&(a.modified, &a.name)));
        let mut total = 0u64;
        for (at, entry) in entries.iter().enumerate() {
            total = total.saturating_add(entry.bytes);
            // The newest blob was just written, and may be needed next. Keep it, even if it exceeds
            // the limits all by itself.
            if at > 0 && (at >= self.limits.max_count || total > self.limits.max_bytes) {
                let _ = folder.remove(&entry.name);
            }
        }
    }
}

/// Lists the blobs in `folder`. Other processes may be deleting some of them, so we skip those that
/// are gone.
fn entries(folder: &RootedPath) -> Vec<Entry> {
    let mut entries = Vec::new();
    let _ = read_folder(folder, |entry, kind| {
        let name = entry.file_name();
        // A hidden file is the temporary file of a writer that may still be active.
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

    /// Makes a blob `age` seconds old. The order then does not depend on the clock.
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
        // A sixteenth of 64 is 4, so the folder is pruned with every fourth write.
        assert_eq!(most, 67);
        let looks = keys.iter().filter(|_| blobs.is_time_to_look(HEAD));
        assert_eq!(looks.count(), 75);
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
