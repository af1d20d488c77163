//! Cursors, which say where to continue the output of a pack.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use windlass_base::{Digest, encode_hex, put_leb128, take_leb128};
use windlass_site::{ErrorKind, Explain};

/// A position at which a pack continues: the section, the entry, and the amount of that entry that
/// has been shown.
///
/// A cursor identifies a stored result by its digest, so we do not have to run a step again to
/// follow it. It does not grant any permission, because everyone who can read the stored result can
/// read the files as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    key: [u8; KEY_LEN],
    /// Index of the section.
    pub section: u16,
    /// Index of the entry within the section.
    pub offset: u32,
    /// The amount of the entry that earlier pages have shown, on top of `seen`: a number of lines
    /// for evidence, or of parts for an observation.
    pub(crate) line: u32,
    /// The part of the section that was in the first view.
    pub(crate) seen: Seen,
    /// True if the pages go on to later sections.
    pub(crate) onward: bool,
    /// True if all entries have been shown, and only the omitted parts of long lines are left.
    pub(crate) rest: bool,
}

/// The part of a section that was in the first view.
///
/// The first view shows the same number of lines of each piece of evidence. So a few numbers are
/// enough, and cursors stay short.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) entries: u32,
    /// Number of lines that were shown of each piece of evidence.
    pub(crate) lines: u32,
    /// Number of pieces of evidence, from the first, with one more line than that.
    pub(crate) more: u32,
    /// Number of pieces of evidence that could get the lines around them, starting with the first.
    /// Only those with all of their own lines shown did get them.
    pub(crate) around: u32,
}

impl Seen {
    /// The number of lines that were shown of a piece of evidence. `nr` is the index of the piece
    /// within the section, and `entry` the index of its entry.
    pub(crate) fn lines_of(&self, entry: usize, nr: usize) -> usize {
        if entry >= self.entries as usize {
            return 0;
        }
        self.lines
            .saturating_add(u32::from(nr < self.more as usize)) as usize
    }

    /// True if the lines around a piece of evidence were shown. The arguments are those of
    /// [`lines_of`](Self::lines_of).
    pub(crate) fn has_around(&self, entry: usize, nr: usize) -> bool {
        entry < self.entries as usize && nr < self.around as usize
    }
}

const KEY_LEN: usize = 16;
// Raise this when the encoding changes. Old cursors are then refused, instead of pointing to the
// wrong place.
const VERSION: u8 = 4;

/// The caller passed something that is not a cursor, or one of another version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a cursor: copy the `next_cursor` of a pack as it was printed")]
pub struct CursorError(String);

impl Cursor {
    /// Points to the start of an entry. The entry may also be past the end of the section.
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

    /// Makes the pages go on through all later sections, so that a caller can read everything with
    /// a single cursor.
    #[must_use]
    pub fn onward(self) -> Self {
        Self {
            onward: true,
            ..self
        }
    }

    /// The name under which a pack with this digest is stored.
    #[must_use]
    pub fn key_of(digest: &Digest) -> String {
        encode_hex(&digest.as_bytes()[..KEY_LEN])
    }

    /// The name under which the cursor's pack is stored.
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
        // Most of these numbers are small. In LEB128, those take one byte each.
        for number in numbers {
            put_leb128(&mut body, number);
        }
        body
    }
}

/// A checksum against typos. Two bytes are too few to prevent forgery, but a forged cursor is not
/// good for anything.
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
