//! Files that we read in parts.

use std::fs::File;
use std::io;
use std::ops::Range;

use crate::platform::read_exact_at;
use crate::versioned::open;
use crate::{DiskCall, MAX_LOG_BYTES, RootedPath, StoreError};

/// A file for reading in parts. All reads are from the file that we have opened, even if another
/// one has taken its place since.
#[derive(Debug)]
pub struct RangedFile {
    file: File,
    place: RootedPath,
    bytes: u64,
}

impl RangedFile {
    /// Opens the file at `place`, or returns `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if opening the file fails, if it is not a regular file, or if it is larger
    /// than [`MAX_LOG_BYTES`].
    pub fn open(place: &RootedPath) -> Result<Option<Self>, StoreError> {
        let path = place.path();
        let Some(file) = open(place)? else {
            return Ok(None);
        };
        let metadata = file
            .metadata()
            .map_err(|e| StoreError::io("read", path, e))?;
        match metadata.len() {
            bytes if bytes > MAX_LOG_BYTES => {
                Err(StoreError::too_large(path, bytes, MAX_LOG_BYTES))
            }
            bytes => Ok(Some(Self {
                file,
                place: place.clone(),
                bytes,
            })),
        }
    }

    /// Size of the file at the time of opening, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the bytes in `range`, which must be within the file.
    ///
    /// # Errors
    /// Returns an error if reading fails, or if the file is shorter.
    pub fn read(&self, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let failed = |e| StoreError::io("read", self.place.path(), e);
        if range.start > range.end || range.end > self.bytes {
            return Err(failed(io::ErrorKind::UnexpectedEof.into()));
        }
        let length = usize::try_from(range.end - range.start)
            .map_err(|_| failed(io::ErrorKind::FileTooLarge.into()))?;
        self.place.call(DiskCall::Read).map_err(failed)?;
        let mut bytes = vec![0; length];
        read_exact_at(&self.file, &mut bytes, range.start).map_err(failed)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_uses_the_opened_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let place = RootedPath::typed(&path);
        assert!(RangedFile::open(&place).unwrap().is_none());
        std::fs::write(&path, "0123456789").unwrap();
        let file = RangedFile::open(&place).unwrap().unwrap();
        crate::write_atomic(&place, b"another", crate::Durability::Relaxed).unwrap();
        assert_eq!(file.bytes(), 10);
        assert_eq!(file.read(3..6).unwrap(), b"345");
        assert_eq!(file.read(0..10).unwrap(), b"0123456789");
        assert_eq!(file.read(10..10).unwrap(), b"");
        #[expect(clippy::reversed_empty_ranges, reason = "input is not checked earlier")]
        let wrong = [9..11, 11..12, 6..3, 0..u64::MAX];
        for range in wrong {
            assert!(file.read(range).is_err());
        }
    }

    #[test]
    fn read_truncated_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let place = RootedPath::typed(&path);
        std::fs::write(&path, "0123456789").unwrap();
        let file = RangedFile::open(&place).unwrap().unwrap();
        std::fs::write(&path, "0123").unwrap();
        assert!(file.read(2..8).is_err());
        assert!(RangedFile::open(&RootedPath::typed(folder.path())).is_err());
    }
}
