//! Changes since an index was built, stored as a layer on top of it.
//!
//! Without this layer, editing one record would rewrite the index of thousands. The index below is
//! called the base. New versions of its entries are in the layer, and the old ones are listed as
//! removed.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Digest, put_leb128};

use super::segment::Segment;
use crate::recall::INDEX_VERSION;
use crate::texts::codec::Reader;

/// Bit set in the version of encoded changes, so that they're never read as an index.
const IS_CHANGES: u32 = 1 << 31;
/// Length of the base's digest in bytes.
const BASE: usize = 32;
/// Byte after the digest if there are no changes.
const UNCHANGED: u8 = 0;
/// Byte after the digest if changes follow.
const CHANGED: u8 = 1;

/// Decoded changes since the base was built.
#[derive(Debug)]
pub(super) struct Changes {
    /// Digest of the base that the changes apply to.
    pub(super) base: Digest,
    /// New and changed entries, numbered on from those of the base.
    pub(super) segment: Segment,
    /// Numbers of the base's entries that were removed or replaced.
    pub(super) removed: BTreeSet<u32>,
    /// Each superseded entry's successor, by number, in either layer.
    pub(super) successors: BTreeMap<u32, u32>,
}

/// Changes yet to be encoded.
pub(super) struct NewChanges {
    pub(super) segment: Vec<u8>,
    pub(super) removed: Vec<u32>,
    pub(super) successors: Vec<(u32, u32)>,
}

impl NewChanges {
    /// Encodes the changes to the base with the digest `base`.
    pub(super) fn encode(&self, base: &Digest) -> Vec<u8> {
        let mut bytes = head(base);
        bytes.push(CHANGED);
        let length = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        put_leb128(&mut bytes, length(self.removed.len()));
        for number in &self.removed {
            put_leb128(&mut bytes, *number);
        }
        put_leb128(&mut bytes, length(self.successors.len()));
        for (old, newer) in &self.successors {
            put_leb128(&mut bytes, *old);
            put_leb128(&mut bytes, *newer);
        }
        bytes.extend_from_slice(&self.segment);
        bytes
    }
}

/// Returns the hexadecimal digest of the base to which the changes in `bytes` apply. Returns `None`
/// if the bytes aren't encoded changes or have another version.
#[must_use]
pub(crate) fn base_of(bytes: &[u8]) -> Option<String> {
    Some(split(bytes)?.0.hex())
}

/// Encodes that nothing has changed since the index with the bytes `base`.
#[must_use]
pub(crate) fn no_changes(base: &[u8]) -> Vec<u8> {
    let mut bytes = head(&Digest::of_bytes(base));
    bytes.push(UNCHANGED);
    bytes
}

fn head(base: &Digest) -> Vec<u8> {
    let mut bytes = (IS_CHANGES | INDEX_VERSION).to_le_bytes().to_vec();
    bytes.extend_from_slice(base.as_bytes());
    bytes
}

/// Returns the base's digest and the bytes after it.
fn split(bytes: &[u8]) -> Option<(Digest, &[u8])> {
    let mut reader = Reader(bytes);
    let version = u32::from_le_bytes(reader.chunk()?);
    let base = Digest::from(reader.chunk::<BASE>()?);
    (version == IS_CHANGES | INDEX_VERSION).then_some((base, reader.0))
}

impl Changes {
    /// Decodes the changes in `bytes`. Returns `None` if they're damaged, and `Some(None)` if
    /// nothing has changed.
    pub(super) fn open(bytes: &[u8]) -> Option<Option<Self>> {
        let (base, rest) = split(bytes)?;
        let mut reader = Reader(rest);
        match reader.byte()? {
            UNCHANGED => return Some(None),
            CHANGED => {}
            _ => return None,
        }
        let removed = (0..reader.number()?).map(|_| reader.number());
        let removed = removed.collect::<Option<_>>()?;
        let successors = (0..reader.number()?).map(|_| Some((reader.number()?, reader.number()?)));
        let successors = successors.collect::<Option<_>>()?;
        Some(Some(Self {
            base,
            segment: Segment::open(reader.0.to_vec())?,
            removed,
            successors,
        }))
    }

    /// Returns true if all entry numbers are valid for a base with `base` entries.
    pub(super) fn fits(&self, base: usize) -> bool {
        let all = base + self.segment.len();
        let pairs = self.successors.iter();
        let mut named = pairs.flat_map(|(old, newer)| [*old, *newer]);
        self.removed.iter().all(|number| (*number as usize) < base)
            && named.all(|number| (number as usize) < all)
    }
}
