//! Writes sorted rows as parts of a run.

use windlass_base::Digest;

use super::part::{Built, ENTRY, Part, PartInfo, REMOVED};

/// Size at which a block ends, in bytes.
///
/// Its last row may exceed this. To read a single row, we have to load its whole block, so larger
/// blocks would be slower; smaller ones would make the directory larger.
const BLOCK: usize = 8 << 10;
/// Size at which a part ends, in bytes. We build parts in memory, so this limits how much we need.
const PART: usize = 16 << 20;

/// Builds the parts of a run from rows, which must be added in key order.
pub(crate) struct PartBuilder<'a, E> {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    block: usize,
    offsets: Vec<u32>,
    first: Vec<u8>,
    last: Vec<u8>,
    parts: Vec<Part>,
    store: &'a mut dyn FnMut(Built) -> Result<Part, E>,
}

impl<'a, E> PartBuilder<'a, E> {
    /// Creates a builder that passes each finished part to `store`, and collects what that returns.
    pub(crate) fn new(store: &'a mut dyn FnMut(Built) -> Result<Part, E>) -> Self {
        Self {
            bytes: Vec::new(),
            directory: Vec::new(),
            block: 0,
            offsets: Vec::new(),
            first: Vec::new(),
            last: Vec::new(),
            parts: Vec::new(),
            store,
        }
    }

    pub(crate) fn push(&mut self, key: &[u8], value: Option<&[u8]>) -> Result<(), E> {
        if self.offsets.is_empty() {
            self.first = key.to_vec();
        }
        self.offsets.push((self.bytes.len() - self.block) as u32);
        let length = value.map_or(REMOVED, |value| value.len() as u32);
        self.bytes.extend((key.len() as u32).to_le_bytes());
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend(key);
        self.bytes.extend(value.unwrap_or_default());
        self.last.clear();
        self.last.extend(key);
        if self.bytes.len() - self.block >= BLOCK {
            self.end_block();
            if self.bytes.len() >= PART {
                self.end_part()?;
            }
        }
        Ok(())
    }

    fn end_block(&mut self) {
        if self.offsets.is_empty() {
            return;
        }
        for offset in &self.offsets {
            self.bytes.extend(offset.to_le_bytes());
        }
        self.bytes.extend((self.offsets.len() as u32).to_le_bytes());
        let block = &self.bytes[self.block..];
        let entry: [&[u8]; 5] = [
            &(self.first.len() as u32).to_le_bytes(),
            &(self.block as u64).to_le_bytes(),
            &(block.len() as u32).to_le_bytes(),
            &crc32fast::hash(block).to_le_bytes(),
            &self.first,
        ];
        debug_assert_eq!(entry.concat().len(), ENTRY + self.first.len());
        self.directory.extend(entry.concat());
        self.block = self.bytes.len();
        self.offsets.clear();
    }

    fn end_part(&mut self) -> Result<(), E> {
        self.end_block();
        if self.bytes.is_empty() {
            return Ok(());
        }
        let mut bytes = std::mem::take(&mut self.bytes);
        let directory = std::mem::take(&mut self.directory);
        let info = PartInfo {
            // The directory has the checksums of all blocks, so its digest identifies the whole
            // part.
            name: Digest::of_bytes(&directory).hex()[..24].to_owned(),
            bytes: (bytes.len() + directory.len()) as u64,
            directory: bytes.len() as u64,
            check: crc32fast::hash(&directory),
            last: std::mem::take(&mut self.last),
        };
        bytes.extend(directory);
        bytes.shrink_to_fit();
        self.block = 0;
        self.parts.push((self.store)(Built { info, bytes })?);
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<Vec<Part>, E> {
        self.end_part()?;
        Ok(self.parts)
    }
}
