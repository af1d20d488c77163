//! The format of the token table. Both the library, which reads the table, and the test that
//! makes it from a vocabulary include this file.
//!
//! The table starts with the slots of a hash table with linear probing. They are followed by the
//! offset of each token in the token bytes, and the end of the last one. The rest are these bytes,
//! in the order of ranks. All numbers are little-endian and have [`NUMBER`] bytes.

/// Size of a number, in bytes. A fourth byte would leave more room for hashes, but make every
/// package 200 kB larger.
pub(crate) const NUMBER: usize = 3;

/// Number of ranks in the vocabulary, including the gaps.
pub(crate) const TOKENS: usize = 199_998;

const SLOT_BITS: u32 = 18;

/// Number of slots.
///
/// A quarter of them are empty, so that a lookup needs few probes. If the vocabulary grows, raise
/// `SLOT_BITS` and check that `RANK_BITS` is still enough.
pub(crate) const SLOTS: usize = 1 << SLOT_BITS;

/// Number of lower bits in a slot.
///
/// They contain the rank plus one, so that 0 marks an empty slot. The other bits are a part of the
/// hash; if that is different, we need not compare any bytes.
pub(crate) const RANK_BITS: u32 = 18;

/// Returns the first slot to probe for a token, and the part of the hash to look for in the slot.
pub(crate) fn hash(token: &[u8]) -> (usize, u32) {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = token.len() as u64;
    for chunk in token.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(MULTIPLIER);
        hash ^= hash >> 32;
    }
    let slot = (hash & (SLOTS as u64 - 1)) as usize;
    let rest = (hash >> 40) as u32 & ((1 << (NUMBER as u32 * u8::BITS - RANK_BITS)) - 1);
    (slot, rest << RANK_BITS)
}
