//! Looks up the rank of a token.

use crate::layout::{NUMBER, RANK_BITS, SLOTS, TOKENS, hash};

/// The token table. It is not loaded as a whole: a lookup touches a slot or two and the bytes of
/// their tokens, so only a few pages of the file ever get into memory.
static TABLE: &[u8] = include_bytes!("../data/o200k_base.table");

const RANK: u32 = (1 << RANK_BITS) - 1;

/// Offset of the token bytes, after the slots and the offsets of the tokens.
const BYTES: usize = (SLOTS + TOKENS + 1) * NUMBER;

/// Returns the rank of `token`, or `None` if it is not a token. Tokens with lower ranks are merged
/// first.
pub(crate) fn rank(token: &[u8]) -> Option<u32> {
    let (mut slot, rest) = hash(token);
    loop {
        let held = number(slot);
        // An empty slot ends the search.
        let rank = (held & RANK).checked_sub(1)?;
        if held & !RANK == rest && bytes_of(rank) == token {
            return Some(rank);
        }
        slot = (slot + 1) % SLOTS;
    }
}

fn bytes_of(rank: u32) -> &'static [u8] {
    let at = SLOTS + rank as usize;
    let (start, end) = (number(at) as usize, number(at + 1) as usize);
    TABLE.get(BYTES + start..BYTES + end).unwrap_or_default()
}

fn number(at: usize) -> u32 {
    let bytes = TABLE.get(at * NUMBER..).and_then(<[u8]>::first_chunk);
    bytes.map_or(0, |&[low, middle, high]: &[u8; NUMBER]| {
        u32::from_le_bytes([low, middle, high, 0])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_of_every_token_is_found() {
        let (mut known, mut gaps) = (0, 0);
        for at in 0..u32::try_from(TOKENS).unwrap() {
            match bytes_of(at) {
                [] => gaps += 1,
                token => {
                    assert_eq!(rank(token), Some(at));
                    known += 1;
                }
            }
        }
        assert_eq!((known, gaps), (199_998, 0));
        assert_eq!(TABLE.len(), BYTES + number(SLOTS + TOKENS) as usize);
    }

    #[test]
    fn rank_of_non_token_is_none() {
        for text in ["", "zqxj wvk", "\u{10ffff}\u{10fffe}"] {
            assert_eq!(rank(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn rank_of_every_byte_exists() {
        assert!((0..=u8::MAX).all(|byte| rank(&[byte]).is_some()));
    }
}
