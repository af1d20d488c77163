use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use windlass_base::{Digest, encode_hex, put_leb128, take_leb128};
use windlass_site::{ErrorKind, Explain};

/// Position from which a pack continues: the pack, a section, the first entry not fully shown, and
/// the amount of that entry already shown.
///
/// A cursor refers to a stored result by its digest, so following it never runs anything again. It
/// grants no permission either, because its holder can read the same files anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    key: [u8; KEY_LEN],
    /// The section's index, from 0.
    pub section: u16,
    /// The entry's index within the section, from 0.
    pub offset: u32,
    /// Amount of that entry shown by earlier pages, on top of `seen`. We count evidence in lines
    /// and an observation in parts.
    pub(crate) line: u32,
    /// Amount shown by the first view.
    pub(crate) seen: Seen,
    /// True if later pages go on to the sections after this one.
    pub(crate) onward: bool,
    /// True once all entries have been shown. The pages then show the omitted parts of long lines.
    pub(crate) rest: bool,
}

/// Amount of a section shown by the first view. That view shows each piece of evidence up to the
/// same number of lines, which keeps cursors short: a few numbers describe all of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) entries: u32,
    /// Number of lines shown of each piece of evidence.
    pub(crate) lines: u32,
    /// Number of pieces of evidence, counted from the first, of which one more line was shown.
    pub(crate) more: u32,
    /// Number of pieces of evidence, counted from the first, eligible for surrounding lines. Those
    /// lines were shown only where all the evidence's own lines were.
    pub(crate) around: u32,
}

impl Seen {
    /// Returns the number of lines shown of a piece of evidence, where `nr` is its index within the
    /// section and `entry` is its entry's index.
    pub(crate) fn lines_of(&self, entry: usize, nr: usize) -> usize {
        if entry >= self.entries as usize {
            return 0;
        }
        self.lines
            .saturating_add(u32::from(nr < self.more as usize)) as usize
    }

    /// Returns true if the lines around a piece of evidence were shown. Takes the same arguments as
    /// [`Seen::lines_of`].
    pub(crate) fn has_around(&self, entry: usize, nr: usize) -> bool {
        entry < self.entries as usize && nr < self.around as usize
    }
}

const KEY_LEN: usize = 16;
const VERSION: u8 = 4;

/// Error for text that isn't a cursor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a cursor: copy the `next_cursor` of a pack as it was printed")]
pub struct CursorError(String);

impl Cursor {
    /// Creates a cursor for entry `offset` of section `section` in the pack with `digest`.
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

    /// Returns the same cursor with pages that continue through all later sections.
    #[must_use]
    pub fn onward(self) -> Self {
        Self {
            onward: true,
            ..self
        }
    }

    /// Returns the name of the stored pack with `digest`.
    #[must_use]
    pub fn key_of(digest: &Digest) -> String {
        encode_hex(&digest.as_bytes()[..KEY_LEN])
    }

    /// Returns the name of the cursor's stored pack.
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

/// Computes a checksum that catches typing errors. It's too short to prevent forgery, and doesn't
/// have to.
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
    fn cursor_round_trips_and_detects_typos() {
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
