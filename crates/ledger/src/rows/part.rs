//! A part is one of the files of a run. It holds sorted rows, which we read one block at a time.
//!
//! The file consists of blocks and a directory. A block has rows, the offset of each row, and their
//! number. The directory has each block's first key, position and checksum, and the checkpoint's
//! manifest has the directory's checksum. So we notice a torn or foreign file as soon as we read
//! any of the affected bytes.
//!
//! Reads don't return errors. They would have to pass through every query over the state, so we
//! note the first problem as [`Damage`] instead and pretend that there are no rows. Callers check
//! for damage before they use a result.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use windlass_store::RangedFile;

/// Value length that marks a removed row.
pub(super) const REMOVED: u32 = u32::MAX;
/// Size of a directory entry's fixed fields: the lengths of key and block, the position and the
/// checksum.
pub(super) const ENTRY: usize = 20;

/// A scan reads the blocks at once that start in the same 64 KiB of a part. One by one, they took a
/// tenth longer (`cargo bench -p windlass-ledger --bench scale`, search, 2026-12-01).
const SPAN: u64 = 64 << 10;

/// The first problem that we found while reading a checkpoint. All of its parts share this. If
/// there's one, nothing that was computed from the checkpoint can be relied on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Damage(Arc<OnceLock<String>>);

impl Damage {
    pub(crate) fn note(&self, why: &str) {
        let _ = self.0.set(why.to_owned());
    }

    pub(crate) fn get(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

/// A part's entry in the checkpoint's manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartInfo {
    /// Name of the file, from the digest of its directory.
    pub(crate) name: String,
    /// Length of the file, in bytes. A file of any other length is damaged.
    pub(crate) bytes: u64,
    pub(crate) directory: u64,
    /// Checksum of the directory, which has those of the blocks.
    pub(crate) check: u32,
    pub(crate) last: Vec<u8>,
}

/// A part that was just built: the bytes to write, and its entry in the manifest.
pub(crate) struct Built {
    pub(crate) info: PartInfo,
    pub(crate) bytes: Vec<u8>,
}

/// Sorted rows, in a file or in memory.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) info: PartInfo,
    bytes: Bytes,
    blocks: OnceLock<Vec<Block>>,
    damage: Damage,
}

#[derive(Debug)]
enum Bytes {
    File(RangedFile),
    Memory(Vec<u8>),
}

#[derive(Debug)]
struct Block {
    first: Vec<u8>,
    range: Range<u64>,
    check: u32,
    bytes: OnceLock<Vec<u8>>,
}

fn are_near(one: &Block, next: &Block) -> bool {
    one.range.start / SPAN == next.range.start / SPAN
}

impl Part {
    /// Returns `None` if the file's length isn't the one in `info`.
    pub(crate) fn in_file(info: PartInfo, file: RangedFile, damage: &Damage) -> Option<Self> {
        let fits = file.bytes() == info.bytes && info.directory <= info.bytes;
        fits.then(|| Self::of(info, Bytes::File(file), damage))
    }

    pub(crate) fn in_memory(built: Built) -> Self {
        Self::of(built.info, Bytes::Memory(built.bytes), &Damage::default())
    }

    fn of(info: PartInfo, bytes: Bytes, damage: &Damage) -> Self {
        Self {
            info,
            bytes,
            blocks: OnceLock::new(),
            damage: damage.clone(),
        }
    }

    pub(crate) fn unsaved(&self) -> Option<&[u8]> {
        match &self.bytes {
            Bytes::File(_) => None,
            Bytes::Memory(bytes) => Some(bytes),
        }
    }

    fn blocks(&self) -> &[Block] {
        self.blocks.get_or_init(|| {
            let range = self.info.directory..self.info.bytes;
            let bytes = self.read(range);
            let bytes = bytes.filter(|bytes| crc32fast::hash(bytes) == self.info.check);
            let blocks = bytes.and_then(|bytes| blocks_of(&bytes));
            if blocks.is_none() {
                self.damage.note("a directory in it has changed on disk");
            }
            blocks.unwrap_or_default()
        })
    }

    /// Reads a range of the part. Returns `None` if that fails.
    fn read(&self, range: Range<u64>) -> Option<Vec<u8>> {
        match &self.bytes {
            Bytes::File(file) => file.read(range).ok(),
            Bytes::Memory(bytes) => bytes.get(within(range)?).map(<[u8]>::to_vec),
        }
    }

    /// Reads neighbouring blocks like [`Self::block`], but doesn't keep them in memory. This is for
    /// merges and scans, which need each block just once.
    fn read_blocks(&self, blocks: &[Block]) -> Vec<u8> {
        let ends = blocks.first().zip(blocks.last());
        let bytes = ends.and_then(|(first, last)| self.read(first.range.start..last.range.end));
        let is_same = |(block, bytes): (&Block, &[u8])| crc32fast::hash(bytes) == block.check;
        let bytes = bytes.filter(|bytes| split(blocks, bytes).all(is_same));
        if bytes.is_none() {
            self.damage.note("a block in it has changed on disk");
        }
        bytes.unwrap_or_default()
    }

    fn block(&self, at: usize) -> &[u8] {
        let Some(block) = self.blocks().get(at) else {
            return &[];
        };
        // The rows are in memory anyway, so there's no need for a copy.
        if let Bytes::Memory(bytes) = &self.bytes {
            let range = within(block.range.clone());
            return range.and_then(|range| bytes.get(range)).unwrap_or_default();
        }
        let read = || self.read_blocks(std::slice::from_ref(block));
        block.bytes.get_or_init(read)
    }

    /// Finds the first row whose key isn't below `key`.
    pub(super) fn seek(&self, key: &[u8]) -> RowPlace {
        // The last block that begins at or before the key is the only one that may have it.
        let after = self.blocks().partition_point(|block| &*block.first <= key);
        let block = after.saturating_sub(1);
        let bytes = self.block(block);
        let (mut low, mut high) = (0, rows_in(bytes));
        while low < high {
            let middle = low + (high - low) / 2;
            match row_in(bytes, middle).is_some_and(|(found, _)| found < key) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        RowPlace { block, row: low }
    }

    pub(super) fn next(&self, place: &mut RowPlace) -> Option<Stored<'_>> {
        while place.block < self.blocks().len() {
            let bytes = self.block(place.block);
            if let Some(row) = row_in(bytes, place.row) {
                place.row += 1;
                return Some(row);
            }
            *place = RowPlace {
                block: place.block + 1,
                row: 0,
            };
        }
        None
    }

    /// Calls `take` with the rows whose keys begin with `prefix`, without keeping their blocks in
    /// memory.
    pub(super) fn each_row(&self, prefix: &[u8], take: &mut dyn FnMut(Stored<'_>)) {
        let blocks = self.blocks();
        let after = blocks.partition_point(|block| &*block.first <= prefix);
        let end = blocks.partition_point(|block| block.first.get(..prefix.len()) <= Some(prefix));
        let blocks = blocks.get(after.saturating_sub(1)..end).unwrap_or_default();
        for group in blocks.chunk_by(are_near) {
            let bytes = self.read_blocks(group);
            let rows = split(group, &bytes).flat_map(|(_, block)| rows_of(block));
            rows.filter(|(key, _)| key.starts_with(prefix))
                .for_each(&mut *take);
        }
    }

    /// Iterates over all rows in order, without keeping their blocks in memory.
    pub(super) fn copied(&self) -> impl Iterator<Item = (Vec<u8>, Option<Vec<u8>>)> {
        self.blocks().chunk_by(are_near).flat_map(|group| {
            let bytes = self.read_blocks(group);
            let rows = split(group, &bytes).flat_map(|(_, block)| rows_of(block));
            let rows = rows.map(|(key, value)| (key.to_vec(), value.map(<[u8]>::to_vec)));
            rows.collect::<Vec<_>>()
        })
    }
}

/// Splits the bytes of neighbouring blocks.
fn split<'a>(all: &'a [Block], mut bytes: &'a [u8]) -> impl Iterator<Item = (&'a Block, &'a [u8])> {
    all.iter().map(move |block| {
        let length = (block.range.end - block.range.start) as usize;
        (block, bytes.split_off(..length).unwrap_or_default())
    })
}

/// A stored row's key and value. A removed row has no value.
pub(super) type Stored<'a> = (&'a [u8], Option<&'a [u8]>);

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RowPlace {
    block: usize,
    row: usize,
}

fn within(range: Range<u64>) -> Option<Range<usize>> {
    Some(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    four.try_into().ok().map(u32::from_le_bytes)
}

fn rows_in(block: &[u8]) -> usize {
    let count = block.len().checked_sub(4).and_then(|at| number(block, at));
    count.map_or(0, |count| count as usize)
}

fn rows_of(block: &[u8]) -> impl Iterator<Item = Stored<'_>> {
    (0..rows_in(block)).filter_map(|row| row_in(block, row))
}

fn row_in(block: &[u8], row: usize) -> Option<Stored<'_>> {
    let count = rows_in(block);
    if row >= count {
        return None;
    }
    // The offsets are at the end of the block, followed by their number. All of these numbers come
    // from a file, so check each of them.
    let table = block.len().checked_sub(4 + count.checked_mul(4)?)?;
    let start = number(block, table + row * 4)? as usize;
    let key_end = (start + 8).checked_add(number(block, start)? as usize)?;
    let key = block.get(start + 8..key_end)?;
    match number(block, start + 4)? {
        REMOVED => Some((key, None)),
        length => Some((
            key,
            Some(block.get(key_end..key_end.checked_add(length as usize)?)?),
        )),
    }
}

fn blocks_of(mut bytes: &[u8]) -> Option<Vec<Block>> {
    let mut blocks = Vec::new();
    while !bytes.is_empty() {
        let (fixed, rest) = bytes.split_at_checked(ENTRY)?;
        let start = u64::from_le_bytes(fixed.get(4..12)?.try_into().ok()?);
        let (first, rest) = rest.split_at_checked(number(fixed, 0)? as usize)?;
        blocks.push(Block {
            first: first.to_vec(),
            range: start..start.checked_add(number(fixed, 12)?.into())?,
            check: number(fixed, 16)?,
            bytes: OnceLock::new(),
        });
        bytes = rest;
    }
    Some(blocks)
}
