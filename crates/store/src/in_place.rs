//! Small files that are overwritten in place, for notes that every write renews.
//!
//! Replacing a file takes a new inode and a rename, which costs several times as much as writing a
//! few hundred bytes. In return, a crash can leave such a file half written. A checksum tells.

use std::io::{self, Read as _, Write as _};

use crate::beneath::{self, Access};
use crate::{DiskCall, RootedPath, StoreError};

/// Size of the header, in bytes: the length of the contents, and a checksum over both.
const HEADER: usize = 12;

/// Number of attempts to read a file that another process may be writing.
const TRIES: usize = 3;

/// Overwrites the file at `place`.
///
/// After a crash, or if two processes write at once, [`read_in_place`] may find neither the old nor
/// the new contents, so this is only for a file that may be lost.
///
/// # Errors
/// Returns an error if the file can't be created or written.
pub fn write_in_place(place: &RootedPath, bytes: &[u8]) -> Result<(), StoreError> {
    let write = || {
        let length = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let sealed = [&header(length, bytes)[..], bytes].concat();
        let mut file = beneath::open(place, Access::InPlace)?;
        place.call(|path| DiskCall::Overwrite(path, &sealed))?;
        file.write_all(&sealed)
    };
    write().map_err(|e| StoreError::io("write", place.path(), e))
}

/// Reads a file written by [`write_in_place`]. Returns `None` if it is missing, unreadable, half
/// written, or larger than `max_bytes`.
#[must_use]
pub fn read_in_place(place: &RootedPath, max_bytes: u64) -> Option<Vec<u8>> {
    for _ in 0..TRIES {
        let mut sealed = Vec::new();
        let file = beneath::open(place, Access::Read).ok()?;
        file.take(max_bytes).read_to_end(&mut sealed).ok()?;
        if let Some(bytes) = opened(&sealed) {
            return Some(bytes.to_vec());
        }
    }
    None
}

fn opened(sealed: &[u8]) -> Option<&[u8]> {
    let (found, rest) = sealed.split_first_chunk::<HEADER>()?;
    let length = u32::from_le_bytes(*found.first_chunk()?);
    // Longer contents that were there before may have left their end behind.
    let bytes = rest.get(..usize::try_from(length).ok()?)?;
    (header(length, bytes) == *found).then_some(bytes)
}

fn header(length: u32, bytes: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..4].copy_from_slice(&length.to_le_bytes());
    let mut check = blake3::Hasher::new();
    check.update(&header[..4]).update(bytes);
    header[4..].copy_from_slice(&check.finalize().as_bytes()[..HEADER - 4]);
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shorter_contents_replace_longer_ones() {
        let dir = tempfile::tempdir().unwrap();
        let place = RootedPath::new(dir.path()).join("note");
        assert_eq!(read_in_place(&place, 1 << 10), None);
        for text in ["one", "longer than one", "", "two"] {
            write_in_place(&place, text.as_bytes()).unwrap();
            assert_eq!(read_in_place(&place, 1 << 10).unwrap(), text.as_bytes());
        }
        assert_eq!(read_in_place(&place, 14), None);
    }

    #[test]
    fn half_written_file_has_no_contents() {
        let dir = tempfile::tempdir().unwrap();
        let place = RootedPath::new(dir.path()).join("note");
        write_in_place(&place, b"the old contents").unwrap();
        let old = std::fs::read(place.path()).unwrap();
        write_in_place(&place, b"some new contents").unwrap();
        let new = std::fs::read(place.path()).unwrap();
        for end in 1..new.len() {
            let old_end = old.get(end..).unwrap_or_default();
            for torn in [&new[..end], &[&new[..end], old_end].concat()] {
                std::fs::write(place.path(), torn).unwrap();
                let read = read_in_place(&place, 1 << 10);
                assert!(read.is_none() || end + 1 >= new.len(), "{end}");
            }
        }
    }
}
