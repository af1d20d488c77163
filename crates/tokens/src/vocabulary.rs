//! Looks up ranks of tokens in the table written by the build script.

use crate::layout::{RANK_BITS, SLOTS, hash};

/// The token table. A lookup touches one or two slots and the tokens they refer to, so the table is
/// never read as a whole.
static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.table"));

const RANK: u32 = (1 << RANK_BITS) - 1;

/// Offset of the token bytes, after the slots and the token offsets.
const BYTES: usize = (SLOTS + TOKENS + 1) * NUMBER;

/// Size of each number in the table, in bytes.
const NUMBER: usize = 4;

const TOKENS: usize = parse(env!("O200K_TOKENS"));

/// Returns the rank of `token`, or `None` if it isn't a token. Parts that form a token with a lower
/// rank are merged first.
pub(crate) fn rank(token: &[u8]) -> Option<u32> {
    let (mut slot, rest) = hash(token);
    loop {
        let held = number(slot);
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
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

const fn parse(digits: &str) -> usize {
    let (digits, mut at, mut value) = (digits.as_bytes(), 0, 0);
    while at < digits.len() {
        value = value * 10 + (digits[at] - b'0') as usize;
        at += 1;
    }
    value
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
