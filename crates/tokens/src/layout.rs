//! How the table of tokens is laid out: shared by the build script, which writes it, and the library, which reads it.
//!
//! First the slots of a hash table with linear probing, then where each token begins among the bytes of all tokens and
//! where the last one ends, then those bytes, in the order of the ranks. All numbers are little-endian.

/// How many bits the number of a slot has.
const SLOT_BITS: u32 = 18;

/// How many slots there are; a quarter of them stays empty.
pub(crate) const SLOTS: usize = 1 << SLOT_BITS;

/// How many bits of a slot hold the rank and one: 0 is an empty slot. The others hold what tells most other tokens
/// apart without looking at their bytes.
pub(crate) const RANK_BITS: u32 = 18;

/// Where a token is looked for first, and what its slot holds beside its rank.
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
