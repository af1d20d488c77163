//! Layout of the token table, shared by the build script that writes it and the library that reads it.
//!
//! The slots of a hash table with linear probing come first, then the offset of each token in the bytes of
//! all tokens and the end of the last one, then those bytes in rank order. All numbers are little-endian.

/// Number of bits of a slot index.
const SLOT_BITS: u32 = 18;

/// Number of slots; a quarter of them is empty.
pub(crate) const SLOTS: usize = 1 << SLOT_BITS;

/// Number of bits of a slot for the rank plus one; 0 marks an empty slot. The remaining bits hold a partial
/// hash, which rules out most other tokens without comparing bytes.
pub(crate) const RANK_BITS: u32 = 18;

/// Returns the first slot to check for a token, and its partial hash.
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
    let rest = (hash >> 40) as u32 & ((1 << (u32::BITS - RANK_BITS)) - 1);
    (slot, rest << RANK_BITS)
}
