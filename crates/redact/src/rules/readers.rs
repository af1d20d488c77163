//! Readers: functions that find the secrets after a rule's match, such as the header line of a key
//! or the name of an HTTP header.
//!
//! The rule's pattern only matches this head. A reader never goes beyond the next head, unless a
//! secret does. Otherwise, a crafted text could take quadratic time to scan.

use std::cell::Cell;
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use memchr::memmem;

use crate::hidden::visible;
use crate::scanned_text::{Text, is_line_end};
use crate::value::letters::plain_of;
use crate::value::random::looks_random;

/// Reads the text after a match, adds the found secrets, and returns the position to continue from.
type Read = fn(&Text<'_>, Range<usize>, &mut Vec<Range<usize>>) -> usize;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader(Read);

impl Reader {
    /// Looks up the reader called `name` in `data/*.toml`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let read: Read = match name {
            "key-tail" => key_tail,
            "encoded-key" => encoded_key,
            "cookies" => cookies,
            "sql-rows" => super::sql_rows::read,
            _ => return None,
        };
        Some(Self(read))
    }

    pub(crate) fn read(
        self,
        text: &Text<'_>,
        matched: Range<usize>,
        found: &mut Vec<Range<usize>>,
    ) -> usize {
        self.0(text, matched, found)
    }
}

/// Counts the rest of a token beyond its pattern's upper bound.
pub(crate) fn rest_of_token(secret: &[u8], after: &[u8]) -> usize {
    const LONG: usize = 200;
    let in_token = |b: &u8| b.is_ascii_alphanumeric() || b"+/=_-.".contains(b);
    // Only a long token may have been cut off by its pattern.
    if secret.len() < LONG || !secret.last().is_some_and(in_token) {
        return 0;
    }
    after.iter().take_while(|b| in_token(b)).count()
}

/// Maximum number of bytes within which a text must turn out to be a key. Most keys are a few
/// thousand bytes long, but a key ring may be longer.
pub(crate) const MAX_KEY: usize = 64 << 10;

/// Maximum length of the cookies in a header, in bytes.
const MAX_COOKIES: usize = 4 << 10;

/// Reads a private key encoded in base64 together with its titles, on one line or several of equal
/// length. Certificates look the same until they're decoded.
fn encoded_key(text: &Text<'_>, head: Range<usize>, found: &mut Vec<Range<usize>>) -> usize {
    /// Length of the decoded base64 prefix for recognizing a key, in bytes.
    const DECODED: usize = 64;
    /// Maximum length of a line in a key of several lines. A longer line is the whole key.
    const LONGEST_LINE: usize = 128;
    let of_base64 = |b: u8| b.is_ascii_alphanumeric() || b"+/=_-".contains(&b);
    let mut end = text.run(head.start, usize::MAX, of_base64);
    let first = end - head.start;
    let decoded = text.slice(head.start..head.start + first.min(DECODED) / 4 * 4);
    let title = STANDARD_NO_PAD.decode(decoded);
    if !title.is_ok_and(|title| memmem::find(&title, b"PRIVATE KEY").is_some()) {
        return end;
    }
    // All lines are as long as the first one, except for a shorter last line.
    while first <= LONGEST_LINE && end - head.start < MAX_KEY {
        let line = text.run(end, 2, is_line_end);
        let start = text.blanks(line);
        let stop = text.run(start, first + 1, of_base64);
        let is_whole = text
            .get(stop)
            .is_none_or(|b| is_line_end(b) || b"\"'".contains(&b));
        if line == end || stop == start || stop - start > first || !is_whole {
            break;
        }
        end = stop;
        if stop - start < first {
            break;
        }
    }
    found.push(head.start..end);
    end
}

/// Finds the rest of a key before `-----END … PRIVATE KEY-----`, in a text without the start of the
/// key.
///
/// The rest begins with a run of letters and digits longer than any word. The first line of the text
/// may be shorter, because it may be cut.
fn key_tail(text: &Text<'_>, title: Range<usize>, found: &mut Vec<Range<usize>>) -> usize {
    const LONGEST_WORD: usize = 31;
    const DASHES: usize = 4;
    let of_base64 = |b: u8| b.is_ascii_alphanumeric() || b"+/".contains(&b);
    // A single dash may be a mark in front of a line, but several are another title.
    let dashes = Cell::new(0);
    let start = text.run_back(title.start, MAX_KEY, |b| {
        dashes.set(if b == b'-' { dashes.get() + 1 } else { 0 });
        let is_mark = b.is_ascii_whitespace() || b"=\\\"'`,;:#*>|-".contains(&b);
        (of_base64(b) || is_mark) && dashes.get() < DASHES
    });
    let body = text.slice(start..title.start);
    let mut run = 0;
    let long = body.iter().position(|b| {
        run = if of_base64(*b) { run + 1 } else { 0 };
        run > LONGEST_WORD
    });
    if let Some(end) = long {
        let first = end - LONGEST_WORD;
        let is_cut = start == 0 && body[..first].trim_ascii().iter().all(|b| of_base64(*b));
        found.push(if is_cut { 0 } else { start + first }..title.end);
    }
    title.end
}

/// Reads the random values among the cookies in a header. They end with their line or quote.
fn cookies(text: &Text<'_>, head: Range<usize>, found: &mut Vec<Range<usize>>) -> usize {
    let end = text.run(head.end, MAX_COOKIES, |b| {
        !is_line_end(b) && !b"\"'`\\".contains(&b)
    });
    let mut start = head.end;
    for pair in text.slice(head.end..end).split(|b| *b == b';') {
        if let Some(sign) = memchr::memchr(b'=', pair) {
            let value = visible(&pair[sign + 1..]);
            if value.len() >= 16 && looks_random(&plain_of(&value)) {
                found.push(start + sign + 1..start + pair.len());
            }
        }
        start += pair.len() + 1;
    }
    end
}
