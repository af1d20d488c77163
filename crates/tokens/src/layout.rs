//! Layout of the token table, shared by the build script, which writes the table, and the library,
//! which reads it.
//!
//! The table starts with the slots of a hash table with linear probing. After them come the offsets
//! of all tokens in the token bytes, with a final offset for the end of the last token. The token
//! bytes are last, in rank order. All numbers are little-endian.

/// Number of bits of a slot index.
const SLOT_BITS: u32 = 18;

/// Number of slots. About a quarter of them are empty, which keeps probe sequences short.
pub(crate) const SLOTS: usize = 1 << SLOT_BITS;

/// Number of bits in a slot that hold the rank plus one, so that 0 marks an empty slot. The
/// remaining bits hold a partial hash, which rules out most other tokens without comparing bytes.
pub(crate) const RANK_BITS: u32 = 18;

/// Returns the first slot to check for a token, and the token's partial hash in the upper bits.
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
