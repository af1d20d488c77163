//! Parts of a checkpoint that are read on demand.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use windlass_base::Digest;
use windlass_store::RangedFile;

/// Number of single reads after which the whole part is read at once. In a large ledger, one single read takes about a
/// thousandth of the time that reading the whole part takes.
const MAX_SINGLE_READS: usize = 512;
/// Block size of common file systems, in bytes. A power cut can leave a whole block of zeros.
const BLOCK: usize = 4096;

/// An open checkpoint file, with the first problem found while reading it.
#[derive(Debug)]
pub(crate) struct Source {
    file: RangedFile,
    damage: OnceLock<String>,
}

impl Source {
    pub(crate) fn new(file: RangedFile) -> Self {
        Self {
            file,
            damage: OnceLock::new(),
        }
    }

    /// Returns why a read failed, if one did. Everything computed since then is unreliable.
    pub(crate) fn damage(&self) -> Option<&str> {
        self.damage.get().map(String::as_str)
    }

    fn read(&self, range: Range<u64>) -> Option<Vec<u8>> {
        let read = self.file.read(range);
        read.map_err(|error| self.note_damage(error.to_string()))
            .ok()
    }

    fn note_damage(&self, why: String) {
        let _ = self.damage.set(why);
    }
}

/// One part of a checkpoint, read on demand.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// File from which the part is read, or `None` if the part is in memory.
    source: Option<Arc<Source>>,
    range: Range<u64>,
    /// Digest of the whole part, if it is known.
    check: Option<String>,
    whole: OnceLock<Vec<u8>>,
    asked: AtomicUsize,
}

impl Part {
    /// Creates the part in `range` of the file. `check` is its digest, if it is known.
    pub(crate) fn of(source: &Arc<Source>, range: Range<u64>, check: Option<String>) -> Self {
        Self(Arc::new(Inner {
            source: Some(Arc::clone(source)),
            range,
            check,
            ..Inner::default()
        }))
    }

    /// Creates a part that is in memory.
    #[cfg(test)]
    pub(crate) fn in_memory(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Inner {
            range: 0..bytes.len() as u64,
            whole: bytes.into(),
            ..Inner::default()
        }))
    }

    /// Returns the part's length in bytes.
    pub(crate) fn len(&self) -> usize {
        usize::try_from(self.0.range.end.saturating_sub(self.0.range.start)).unwrap_or(0)
    }

    /// Reads the bytes in `range`. On failure, returns no bytes and records the failure in the source.
    pub(crate) fn read(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        let inner = &self.0;
        let is_loaded = inner.whole.get().is_some();
        if is_loaded || inner.asked.fetch_add(1, Ordering::Relaxed) >= MAX_SINGLE_READS {
            return self.whole().get(range).unwrap_or_default().into();
        }
        let start = inner.range.start.saturating_add(range.start as u64);
        let end = inner.range.start.saturating_add(range.end as u64);
        let source = inner.source.as_ref();
        source
            .filter(|_| end <= inner.range.end)
            .and_then(|source| source.read(start..end))
            .unwrap_or_default()
            .into()
    }

    /// Reads the whole part. If the read fails or the contents are damaged, returns no bytes and records the problem in
    /// the source.
    pub(crate) fn whole(&self) -> &[u8] {
        let inner = &self.0;
        inner.whole.get_or_init(|| {
            let Some(source) = &inner.source else {
                return Vec::new();
            };
            let bytes = source.read(inner.range.clone()).unwrap_or_default();
            let is_sound = match &inner.check {
                Some(check) => *check == Digest::of_bytes(&bytes).hex(),
                None => !has_lost_blocks(&bytes),
            };
            if is_sound {
                return bytes;
            }
            source.note_damage("a part of it has changed on disk".to_owned());
            Vec::new()
        })
    }

    /// Records that the part is damaged, so that nothing derived from it is trusted.
    pub(crate) fn note_damage(&self) {
        if let Some(source) = &self.0.source {
            source.note_damage("a record in it has changed on disk".to_owned());
        }
    }
}

/// True if `bytes` contains a block of zeros. A power cut can leave such blocks, and valid parts have none. This check
/// is much cheaper than a hash over all bytes, which would take as long as reading them.
fn has_lost_blocks(bytes: &[u8]) -> bool {
    let mut blocks = bytes.chunks_exact(BLOCK);
    blocks.any(|block| block.iter().all(|byte| *byte == 0))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make the files they need")]
mod tests {
    use super::*;

    fn source(bytes: &[u8]) -> (tempfile::TempDir, Arc<Source>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, bytes).unwrap();
        let file = RangedFile::open(&windlass_store::RootedPath::typed(&path))
            .unwrap()
            .unwrap();
        (folder, Arc::new(Source::new(file)))
    }

    #[test]
    fn part_reads_equal_whole_read() {
        let bytes: Vec<u8> = (0..=255).cycle().take(5_000).collect();
        let (_folder, source) = source(&bytes);
        let part = Part::of(&source, 1_000..4_000, None);
        assert_eq!(part.len(), 3_000);
        for round in 0..3 * MAX_SINGLE_READS {
            let at = (round * 7) % 2_990;
            assert_eq!(*part.read(at..at + 5), bytes[1_000 + at..1_005 + at]);
        }
        assert_eq!(source.damage(), None);
    }

    #[test]
    fn part_damaged_source_records_it() {
        let (_folder, cut) = source(b"0123456789");
        assert_eq!(*Part::of(&cut, 5..12, None).read(2..6), *b"");
        assert!(cut.damage().is_some());
        let (_folder, wrong) = source(b"0123456789");
        let part = Part::of(&wrong, 0..10, Some(Digest::of_bytes(b"other").hex()));
        assert_eq!(*part.whole(), *b"");
        assert!(wrong.damage().is_some());
        let (_folder, zeros) = source(&[0; 2 * BLOCK]);
        assert_eq!(*Part::of(&zeros, 0..2 * BLOCK as u64, None).whole(), *b"");
        assert!(zeros.damage().is_some());
        let (_folder, short) = source(b"0123456789");
        assert_eq!(*Part::of(&short, 0..4, None).read(3..6), *b"");
    }
}
