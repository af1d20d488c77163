use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use windlass_base::{Digest, encode_hex};

/// Where a pack goes on: the pack, one of its sections, and the first entry that is still to be shown.
///
/// It names a stored result by its digest and never runs anything again. It holds no authority: whoever has
/// it can read what they could read anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    key: [u8; KEY_LEN],
    /// Which section, from 0.
    pub section: u16,
    /// Which entry, from 0.
    pub offset: u32,
}

const KEY_LEN: usize = 16;
const VERSION: u8 = 1;

/// A text that is no cursor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a cursor: copy the `next_cursor` of a pack as it was printed")]
pub struct CursorError(String);

impl Cursor {
    /// Entry `offset` of section `section` of the pack with `digest`.
    #[must_use]
    pub fn new(digest: &Digest, section: u16, offset: u32) -> Self {
        let mut key = [0; KEY_LEN];
        key.copy_from_slice(&digest.as_bytes()[..KEY_LEN]);
        Self {
            key,
            section,
            offset,
        }
    }

    /// Under which name the pack with `digest` is stored.
    #[must_use]
    pub fn key_of(digest: &Digest) -> String {
        encode_hex(&digest.as_bytes()[..KEY_LEN])
    }

    /// Under which name the pack is stored.
    #[must_use]
    pub fn key(&self) -> String {
        encode_hex(&self.key)
    }

    fn body(&self) -> Vec<u8> {
        let mut body = vec![VERSION];
        body.extend(self.key);
        body.extend(self.section.to_le_bytes());
        body.extend(self.offset.to_le_bytes());
        body
    }
}

/// Catches typing errors, not forgery.
fn checksum(body: &[u8]) -> [u8; 2] {
    let digest = Digest::of_bytes(body);
    [digest.as_bytes()[0], digest.as_bytes()[1]]
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = self.body();
        bytes.extend(checksum(&bytes));
        f.write_str(&URL_SAFE_NO_PAD.encode(bytes))
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = || {
            let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
            let (body, sum) = bytes.split_at_checked(1 + KEY_LEN + 2 + 4)?;
            if sum != checksum(body) || body[0] != VERSION {
                return None;
            }
            let key = body[1..=KEY_LEN].try_into().ok()?;
            let section = u16::from_le_bytes(body[KEY_LEN + 1..KEY_LEN + 3].try_into().ok()?);
            let offset = u32::from_le_bytes(body[KEY_LEN + 3..].try_into().ok()?);
            Some(Self {
                key,
                section,
                offset,
            })
        };
        read().ok_or_else(|| CursorError(text.chars().take(60).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_and_notices_a_typing_error() {
        let cursor = Cursor::new(&Digest::of_bytes(b"x"), 3, 70_000);
        let text = cursor.to_string();
        assert_eq!(text.parse(), Ok(cursor));
        for at in 0..text.len() {
            let mut other = text.clone().into_bytes();
            other[at] = if other[at] == b'A' { b'B' } else { b'A' };
            assert!(String::from_utf8(other).unwrap().parse::<Cursor>() != Ok(cursor));
        }
        assert!("".parse::<Cursor>().is_err());
        assert!("é".repeat(500).parse::<Cursor>().is_err());
    }
}
