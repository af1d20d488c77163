use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use windlass_base::{Digest, encode_hex, put_leb128, take_leb128};
use windlass_site::{ErrorKind, Explain};

/// Where a pack goes on: the pack, one of its sections, the first entry that is still to be shown, and how much
/// of it was shown already.
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
    /// How much of that entry pages before this one showed, beside what `seen` says: lines of its evidence, or
    /// parts of an observation.
    pub(crate) line: u32,
    /// What the first view showed.
    pub(crate) seen: Seen,
    /// Whether its pages go on with the sections after this one.
    pub(crate) onward: bool,
    /// Whether all entries were shown, and pages show what was left out of their long lines.
    pub(crate) rest: bool,
}

/// How much of the first entries of a section was shown before its first page: each of its pieces of evidence
/// up to the same number of lines, so that a few numbers say all of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// How many entries.
    pub(crate) entries: u32,
    /// How many lines of each piece of evidence, where it has them.
    pub(crate) lines: u32,
    /// How many pieces of evidence, from the first, were shown with one line more.
    pub(crate) more: u32,
    /// How many pieces of evidence, from the first, were shown with the lines around them, where all of their own
    /// were.
    pub(crate) around: u32,
}

impl Seen {
    /// How many lines were shown of piece `nr` of evidence, counted through all entries, one of `entry`.
    pub(crate) fn lines_of(&self, entry: usize, nr: usize) -> usize {
        if entry >= self.entries as usize {
            return 0;
        }
        self.lines
            .saturating_add(u32::from(nr < self.more as usize)) as usize
    }

    /// Whether the lines around such a piece were shown.
    pub(crate) fn has_around(&self, entry: usize, nr: usize) -> bool {
        entry < self.entries as usize && nr < self.around as usize
    }
}

const KEY_LEN: usize = 16;
const VERSION: u8 = 4;

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
            line: 0,
            seen: Seen::default(),
            onward: false,
            rest: false,
        }
    }

    /// The same place, from which pages go on through all sections after it.
    #[must_use]
    pub fn onward(self) -> Self {
        Self {
            onward: true,
            ..self
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
        let Seen {
            entries,
            lines,
            more,
            around,
        } = self.seen;
        let flags = u32::from(self.rest) << 1 | u32::from(self.onward);
        let section = u32::from(self.section) << 2 | flags;
        let numbers = [
            section,
            self.offset,
            self.line,
            entries,
            lines,
            more,
            around,
        ];
        for number in numbers {
            put_leb128(&mut body, number);
        }
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
            let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(2)?)?;
            if sum != checksum(body) || *body.first()? != VERSION {
                return None;
            }
            let (key, mut numbers) = body[1..].split_at_checked(KEY_LEN)?;
            let mut next = || take_leb128(&mut numbers);
            let section = next()?;
            let cursor = Self {
                key: key.try_into().ok()?,
                section: (section >> 2).try_into().ok()?,
                onward: section & 1 == 1,
                rest: section & 2 == 2,
                offset: next()?,
                line: next()?,
                seen: Seen {
                    entries: next()?,
                    lines: next()?,
                    more: next()?,
                    around: next()?,
                },
            };
            numbers.is_empty().then_some(cursor)
        };
        read().ok_or_else(|| CursorError(text.chars().take(60).collect()))
    }
}

impl Explain for CursorError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_and_notices_a_typing_error() {
        let seen = Seen {
            entries: 7,
            lines: u32::MAX,
            more: 128,
            around: 5,
        };
        let cursor = Cursor {
            line: 300,
            seen,
            ..Cursor::new(&Digest::of_bytes(b"x"), 3, 70_000)
        };
        let text = cursor.to_string();
        assert_eq!(text.parse(), Ok(cursor));
        assert_eq!(cursor.onward().to_string().parse(), Ok(cursor.onward()));
        let rest = Cursor {
            rest: true,
            ..cursor
        };
        assert_eq!(rest.to_string().parse(), Ok(rest));
        for at in 0..text.len() {
            let mut other = text.clone().into_bytes();
            other[at] = if other[at] == b'A' { b'B' } else { b'A' };
            assert!(String::from_utf8(other).unwrap().parse::<Cursor>() != Ok(cursor));
        }
        assert!("".parse::<Cursor>().is_err());
        assert!("é".repeat(500).parse::<Cursor>().is_err());
    }
}
